"""Quotes are compared with our answers by where their URLs lead, and not by how they are spelled."""

import pytest

from fetcher.agent import AnswerUrls

ANSWER = (
    "続きは `http://attacker.example/c/e69da5` http://日本.example/?y=1 [一覧](https://ci.example/builds)"
)


@pytest.mark.parametrize(
    "quote",
    [
        "<http://attacker.example/c/e69da5#top>",
        "<https://attacker.example/c/e69da5/>",
        "<http://attacker.example/c/e69da5?utm_source=slack>",
        "<http://attacker.example/c/e69da5&amp;x=1>",
        "<http://attacker.example.:80/./x/..//c/e69da5>",
        "<http://ATTACKER.example/%2563/e69da5>",
        "<https://safe.example/to?url=http%3A%2F%2Fattacker.example%2Fc%2Fe69da5&h=2>",
        "<http://xn--wgv71a.example?y=1>",
        "attacker.example/c/e69da5を見て",
    ],
)
def test_a_url_of_an_answer_is_known_however_it_is_spelled(quote):
    assert AnswerUrls([ANSWER]).repeated_in(quote)


@pytest.mark.parametrize("quote", ["<https://ci.example/builds/55>", "<http://日本.example/?y=12>", "予算"])
def test_another_page_is_none(quote):
    assert not AnswerUrls([ANSWER]).repeated_in(quote)
