"""What may leave in a query."""

import pytest

from fetcher.agent.errors import ToolRefused
from fetcher.agent.web_search.query_rules import LONGEST_QUERY, RUN, cleaned, require_own_words
from fetcher.codes import AgentCode

MESSAGE = "来期の予算は三億円で、Project Kawasemi は 2027年4月に 開始します。口外しないでください。"


@pytest.mark.parametrize("query", ["x" * LONGEST_QUERY, "コーヒー豆 定期便"])
def test_a_short_query_is_sent_as_it_is(query):
    assert cleaned(f" \n{query}\u200b ") == query


@pytest.mark.parametrize("query", ["", " \u200b", "x" * (LONGEST_QUERY + 1), "\ufdfa" * 20, "x" * 100_000])
def test_a_query_has_a_length(query):
    """Also in the form that is compared, where one character may stand for many."""
    with pytest.raises(ToolRefused) as refusal:
        cleaned(query)
    assert refusal.value.code is AgentCode.QUERY_TOO_LONG


SPELLED = {
    "as it stands": "来期の予算は三億円で、Project Kawasemi",
    "full-width": "来期の予算は三億円で、Ｐｒｏｊｅｃｔ　Ｋａｗａｓｅｍｉ",
    "in capitals": "来期の予算は三億円で PROJECT KAWASEMI",
    "with spaces": " ".join("来期の予算は三億円でProjectKawasemi"),
    "with signs": "-".join("来期の予算は三億円でProjectKawasemi"),
    "with invisible characters": "\u2063".join("来期の予算は三億円でProjectKawasemi"),
    "in katakana": "来期ノ予算ハ三億円デ、Project Kawasemi",
    "in half-width katakana": "来期ﾉ予算ﾊ三億円ﾃﾞ、Project Kawasemi",
    "with accents": "来期の予算は三億円で" + "\u0323".join("ProjectKawasemi"),
    "with voicing marks": "\u3099".join("来期の予算は三億円でProjectKawasemi"),
    "in the middle": "検索 予算は三億円で、Project Kawasemi は 2027 最新",
}


@pytest.mark.parametrize("query", SPELLED.values(), ids=SPELLED)
def test_a_run_of_anothers_words_does_not_leave(query):
    with pytest.raises(ToolRefused) as refusal:
        require_own_words(query, ["別のメッセージ", MESSAGE])
    assert refusal.value.code is AgentCode.QUERY_QUOTES_OTHERS


def test_the_run_is_counted_to_the_character():
    text = "".join(chr(0x4E00 + number) for number in range(60))
    require_own_words(text[: RUN - 1], [text])
    require_own_words(text[: RUN - 1] + "別" + text[RUN - 1 : 2 * RUN - 2], [text])
    with pytest.raises(ToolRefused):
        require_own_words("別" + text[5 : 5 + RUN] + "別", [text])


def test_a_run_is_found_across_the_pieces_in_which_long_texts_are_read():
    long_text = "あ" * 65_530 + MESSAGE + "い" * 65_530
    with pytest.raises(ToolRefused):
        require_own_words(SPELLED["as it stands"], [long_text])


SIGNS = "見積: A社, B社, C社 / 計 3億円 (4月)、承認: 佐藤"


def test_signs_and_spaces_count_where_the_query_has_them_too():
    """24 characters as they stand are a run, however few of them are letters."""
    for query in (SIGNS[:RUN], f"調査 {SIGNS[4 : 4 + RUN]} 最新"):
        with pytest.raises(ToolRefused):
            require_own_words(query, [SIGNS.replace(" ", "\n\u3000")])
    require_own_words(SIGNS[: RUN - 1], [SIGNS])


def test_invisible_letters_in_the_message_hide_nothing():
    with pytest.raises(ToolRefused):
        require_own_words(
            "project kawasemi launches in april", ["\u3164".join("projectkawasemilaunchesinapril")]
        )


def test_korean_is_counted_in_syllables():
    require_own_words("내년예산은삼억원입니다", ["내년예산은삼억원입니다"])


def test_words_that_both_use_may_leave():
    require_own_words("Kawasemi 予算 2027年4月", [MESSAGE])
