"""Prose is cut where a reader would pause."""

import pytest

from fetcher.web.output.chunks.sentences import runs, sentences, words


@pytest.mark.parametrize(
    "parts",
    [
        ["One.", "Two!", "Three?"],
        ["Really?!", "Yes."],
        ["Wait...", "What?"],
        ["Well\u2026", "And so on."],
        ['He said "no."', "Then (yes.)", "End."],
        ["**Bold.**", "Plain."],
        ["Pi is 3.14 and so.", "It is."],
        ["See https://example.com/a?b=c.d!e for it.", "More."],
        ["1. First things first.", "Second."],
        ["no end at all"],
    ],
)
def test_english_sentences_end_before_a_space(parts):
    """SRD FR-WF-15b: `.!?` and a space end a sentence; decimals, URLs and numbering do not."""
    assert cut(" ".join(parts)) == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["今日は。", "明日は！", "本当？", "はい"],
        ["「行こう。」", "と言った。", "（終わり。）", "次"],
        ["ﾃｽﾄです｡", "｢はい｡｣", "次"],
        ["本当!?", "そうです!", "はい"],
        ["**重要です。**", "次の文。", "**太字**で始まる。"],
        ["そう……。", "しかし……それは。"],
        ["値は３．１４である．", "次"],
        ["版は 1.2.3 です。", "https://example.jp/?q=あ を見る。"],
        ["え？！", "はい‼", "次"],
        ["`終わり。`", "次"],
        ['"あ"と"い。"', "次"],
        ["v1.a。", "次"],
    ],
)
def test_japanese_sentences_need_no_space(parts):
    """Japanese stops end a sentence with their closing brackets and quotes, space or none."""
    assert cut("".join(parts)) == parts
    assert cut("\u3000".join(parts)) == parts


def test_a_newline_is_a_space():
    """A sentence may end with its line."""
    assert cut("One.\nTwo.\n") == ["One.", "Two."]


def test_words_are_what_white_space_separates():
    """Any Unicode white space separates words."""
    text = " a  b\u3000c\n"
    assert [text[start:end] for start, end in words(text, 0, len(text))] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "character",
    ["e\u0301", "か\u3099", "ｶﾞ", "👨‍👩‍👧‍👦", "👍🏽", "👍🏻", "👍🏿", "ﾊﾟ", "🇯🇵", "❤\ufe0f", "\ud83d\ude00"],
)
def test_a_run_does_not_tear_a_character_apart(character):
    """What is seen as one character stays whole wherever the cut would fall."""
    for offset in range(8):
        text = "x" * offset + character + "y" * 9
        parts = [text[start:end] for start, end in runs(text, 0, len(text), 4, 16)]
        assert "".join(parts) == text
        assert any(character in part for part in parts)


def test_a_run_is_no_longer_than_its_last_character_needs():
    assert list(runs("ab\u0301cde", 0, 6, 2, 16)) == [(0, 3), (3, 5), (5, 6)]


def test_animals_are_no_skin_tones():
    """A cut may stand before the character that follows the last of these."""
    assert list(runs("😀🐀", 0, 2, 1, 16)) == [(0, 1), (1, 2)]


def test_an_endless_character_is_cut():
    """A letter under thousands of accents does not become one run."""
    text = "a" + "\u0301" * 5000
    assert max(end - start for start, end in runs(text, 0, len(text), 4, 16)) == 20


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]
