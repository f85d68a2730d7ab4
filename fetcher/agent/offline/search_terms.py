"""What to look for in a text to find what a question is about, in Japanese or English, without a dictionary.

Latin text gives words. Japanese, which writes without spaces, gives pairs of neighbouring characters, each
with a weight that says how much such a pair tells: two Han or katakana characters are most of a word, two
hiragana are mostly grammar. A pair of Han characters is also found with one okurigana between them, so that
both spellings of a compound meet.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple
from unicodedata import normalize

from fetcher.agent.japanese_words import GRAMMAR, PARTICLES

STRONG = 0.5
"""The weight from which a term alone says that a text is about the question."""
_MOST_TERMS = 48
_LONGEST_QUERY = 2000
"""Characters that are looked at: people ask at the beginning."""

# Ranges of code points: katakana with its length mark, Han with iteration mark and zero, and hangul.
_HIRAGANA = r"\u3041-\u3096"
_KATAKANA = r"\u30a1-\u30fa\u30fc"
_KANJI = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff"
_SPACELESS = _HIRAGANA + _KATAKANA + _KANJI + r"\uac00-\ud7a3"
_LETTER = rf"[^\W_{_SPACELESS}]"
_NOT_OKURIGANA = PARTICLES + "か"
_OKURIGANA = "".join(kana for kana in map(chr, range(0x3041, 0x3097)) if kana not in _NOT_OKURIGANA)
"""Hiragana that one spelling of a compound has between two Han characters and another leaves out."""

_QUERY = re.compile(
    rf"(?P<number>\d+(?:\.\d+)*)(?!{_LETTER})(?=(?P<unit>[%{_KANJI}{_KATAKANA}])?)"
    rf"|(?P<word>{_LETTER}+)"
    rf"|(?P<run>[{_SPACELESS}]+)"
)
_KANJI_PAIRS = re.compile(rf"(?=([{_KANJI}])[{_OKURIGANA}]?([{_KANJI}]))")
_LONG_WORDS = re.compile(rf"[{_KANJI}]{{3,}}|[{_KATAKANA}]{{3,}}")
_HIRAGANAS = re.compile(f"[{_HIRAGANA}]")
_KANJIS = re.compile(f"[{_KANJI}]")
_PLURAL = re.compile(r"(?<=[^\Wsu])s$")
_ENDINGS = rf"(?:e?s|e?d|ing)?(?!{_LETTER})"

# What is not ASCII, kana or Han in their plain forms may be a compatibility form of something.
_UNUSUAL = re.compile(r"[^\x00-\x7f\u3001-\u3096\u309d-\u30fe\u4e00-\u9fff]+")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")

_GRAMMAR = re.compile("|".join(GRAMMAR))
_STOP_WORDS = re.compile(
    "an?|about|and|any|are|as|at|be|by|can|could|do|does|for|from|give|has|have|how|i|in|is|its?|me|my|of|on|or"
    "|please|should|tell|that|the|their|there|these|this|those|to|was|we|were|what|when|where|which|who|why"
    "|will|with|would|your?"
)

Count = Callable[[str], int]
"""How often a term occurs in a folded text."""


class Term(NamedTuple):
    weight: float
    count: Count


Found = Iterator[tuple[str, Term]]
"""Terms under the names by which they are told apart."""


def terms(query: str) -> list[Term]:
    """What to look for, the most telling first; empty for a query of nothing but grammar."""
    found: dict[str, Term] = {}
    for match in _QUERY.finditer(_GRAMMAR.sub(" ", folded(query[:_LONGEST_QUERY]))):
        for name, term in _KINDS[match.lastgroup](match):
            found.setdefault(name, term)
    return sorted(found.values(), key=lambda term: -term.weight)[:_MOST_TERMS]


def folded(text: str) -> str:
    """The text in the one form in which terms are compared: NFKC, lower case, no thousands separators."""
    # Only what needs it is normalised: NFKC of a whole page takes several times as long as all the rest.
    text = _UNUSUAL.sub(lambda match: normalize("NFKC", match[0]), normalize("NFC", text))
    return _THOUSANDS.sub("", text.lower())


def _number(match: re.Match[str]) -> Found:
    """A number, and with its unit, which makes it tell more."""
    number, unit = match["number"], match["unit"]
    yield number, Term(0.3 if unit else 1, _bounded(number, rf"(?<!\d\.{re.escape(number)})(?!\.?\d)"))
    if unit:
        yield number + unit, Term(1, _bounded(number + unit))


def _word(match: re.Match[str]) -> Found:
    """A word of a script with spaces; an English one also in its plural and with other endings."""
    stem = _PLURAL.sub("", match[0])
    if not _STOP_WORDS.fullmatch(match[0]):
        yield stem, Term(1, _bounded(stem, _ENDINGS))


def _run(match: re.Match[str]) -> Found:
    """Pairs of characters, longer words as a whole, and single Han characters, which tell little."""
    run = match[0]
    for first, second in _KANJI_PAIRS.findall(run):
        yield first + second, Term(1, _matching(f"{first}[{_OKURIGANA}]?{second}"))
    for pair in (run[at : at + 2] for at in range(len(run) - 1)):
        hiragana = len(_HIRAGANAS.findall(pair))
        if hiragana == 1 and any(kana in _NOT_OKURIGANA for kana in pair):
            continue  # a particle meets a word
        yield pair, Term((1, 0.6, 0.2)[hiragana], _literal(pair))
    for word in _LONG_WORDS.findall(run):
        yield word, Term(1, _literal(word))
    for kanji in _KANJIS.findall(run):
        yield kanji, Term(0.4 if len(run) == 1 else 0.15, _literal(kanji))


def _literal(text: str) -> Count:
    return lambda passage: passage.count(text)


def _matching(pattern: str) -> Count:
    compiled = re.compile(pattern)
    return lambda passage: len(compiled.findall(passage))


def _bounded(literal: str, after: str = "") -> Count:
    """Counts a text before which no letter stands; the literal comes first, so that it is scanned for."""
    literal = re.escape(literal)
    return _matching(f"{literal}(?<!{_LETTER}{literal}){after}")


_KINDS: dict[str | None, Callable[[re.Match[str]], Found]] = {
    "number": _number,
    "unit": _number,
    "word": _word,
    "run": _run,
}
