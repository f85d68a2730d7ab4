"""Text without mentions."""

import pytest

from fetcher.agent.safety.mentions import mentions_everyone, without_mentions


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("<!channel> <!here|@here> <!subteam^S1|@team>", "channel here team"),
        ("<@U123> <@U123|taro> <#C1> <#C1|general> <!>", "U123 taro C1 general  "),
        ("@channel @@everyone \uff20HERE", "channel everyone HERE"),
        ("<!channel", "< !channel"),
        (r"\<!channel> <\!here>", "channel here"),
        ("@<!channel> <!@here", "channel < !here"),
        ("taro@here.example @channels @hereby @taro", "taro@here.example @channels @hereby @taro"),
    ],
)
def test_calls_become_words(text, result):
    """Marks and names of everybody lose what makes them calls; other words with an @ stay."""
    assert without_mentions(text) == result
    assert not mentions_everyone(without_mentions(text))


def test_a_trace_keeps_neighbours_apart():
    assert without_mentions("www.@here", trace=" ") == "www. here"
