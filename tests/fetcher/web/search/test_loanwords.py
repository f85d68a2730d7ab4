"""An English word and the katakana that writes it find each other."""

import pytest

from fetcher.web.search.loanwords import like
from fetcher.web.search.ranking import rank


@pytest.mark.parametrize(
    ("english", "katakana"),
    [
        ("ticket", "チケット"),
        ("poster", "ポスター"),
        ("elevator", "エレベーター"),
        ("discount", "ディスカウント"),
        ("version", "バージョン"),
        ("calendar", "カレンダー"),
        ("storage", "ストレージ"),
        ("template", "テンプレート"),
        ("showroom", "ショールーム"),
    ],
)
def test_both_ways(english, katakana):
    count, back = like(english), like(katakana)
    assert count is not None
    assert count(f"最新の{katakana}です。{katakana}あり。") == 2
    assert back is not None
    assert back(f"the {english} is here") == 1


@pytest.mark.parametrize(
    ("english", "katakana"), [("ticket", "タオル"), ("poster", "パネル"), ("storage", "ストップ")]
)
def test_other_words_are_not_alike(english, katakana):
    count = like(english)
    assert count is not None
    assert count(katakana) == 0


@pytest.mark.parametrize("word", ["bus", "the", "バス", "menu"])
def test_a_short_word_is_like_too_many_others(word):
    assert like(word) is None


def test_a_question_in_english_finds_a_japanese_passage():
    """No list has these words."""
    passages = ["ロビーは1階です。", "トランポリンは6歳から使えます。", "売店は2階です。"]
    assert rank("Is there a trampoline?", passages, most=1) == [1]


def test_a_question_in_katakana_finds_an_english_passage():
    passages = ["The lobby is downstairs.", "The trampoline is for children.", "The kiosk sells tea."]
    assert rank("トランポリンはありますか", passages, most=1) == [1]
