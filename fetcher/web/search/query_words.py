"""What to look for in a text to find what a question is about, in Japanese or English, without a dictionary.

A question gives words. The thesaurus knows other words for some of them. Latin text is cut at its spaces.
Japanese, which writes without spaces, is cut where its script changes; a long run is also found by pairs of
its characters. Two Han characters are also found with one okurigana between them, so that both spellings of
a compound meet. A question word (how much, when) looks for text that looks like its answer.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import normalize

from fetcher.web.search import loanwords
from fetcher.web.search.question_words import ANSWER_KINDS, GRAMMAR, PARTICLES
from fetcher.web.search.thesaurus import SAME

STRONG, WEAK = 0.3, 0.15
"""How much of a word a text must have to be about it, and to be likely about it."""
_SYNONYM, _STEM, _PARTS = 0.75, 0.2, 0.7
"""What another word for the same thing is worth, a lone Han character of a word, all pairs of a word."""
_MOST_WORDS = 48
_LONGEST_END = 300
"""Characters at either end of a query that are looked at; long text between them is pasted."""

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
    rf"|(?P<han>[{_KANJI}](?:[{_OKURIGANA}]?[{_KANJI}])*)(?=(?P<okurigana>[{_OKURIGANA}])?)"
    rf"|(?P<katakana>[{_KATAKANA}]+)"
    rf"|(?P<kana>[{_SPACELESS}]+?(?=[{_KANJI}{_KATAKANA}]|[^{_SPACELESS}]|$))"
)
_HAN = re.compile(f"[{_KANJI}]")
_RUNS = re.compile(f"[{_KANJI}{_KATAKANA}]{{3,}}")
_PLURAL = re.compile(r"(?<=[^\Wsu])s$")
_ENDINGS = rf"(?:e?s|e?d|ing)?(?!{_LETTER})"

# What is not ASCII, kana or Han in their plain forms may be a compatibility form of something.
_UNUSUAL = re.compile(r"[^\x00-\x7f\u3001-\u3096\u309d-\u30fe\u4e00-\u9fff]+")
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")

_GRAMMAR = re.compile("|".join(GRAMMAR))
_STOP_WORDS = re.compile(
    "an?|about|after|and|any|are|as|at|be|by|can|could|do|does|for|from|get|give|has|have|how|i|if|in|is|its?|long|many"
    "|me|much|my|now|of|on|or|please|s|should|t|tell|that|the|their|there|these|they|this|those|time|to|was|we"
    "|were|what|when|where|which|who|why|will|with|would|your?"
)
_SAME = [re.compile(words) for words in SAME]
_ANSWER_KINDS = [(re.compile(kind.asked), kind) for kind in ANSWER_KINDS]

Count = Callable[[str], int]
"""How often something occurs in a folded text."""


class Form(NamedTuple):
    """One way in which a word may stand in a text, and how much of the word that is."""

    worth: float
    count: Count


class Word(NamedTuple):
    """Something that a question names or asks for."""

    weight: float
    forms: tuple[Form, ...]
    """The best of them counts."""
    parts: tuple[Form, ...] = ()
    """These count together."""
    is_topic: bool = True
    """False where it says what kind of answer is wanted, and not about what."""


@lru_cache(maxsize=64)  # a question is compared with several pages
def words(query: str) -> tuple[Word, ...]:
    """What to look for, the most telling first; empty for a query of nothing but grammar."""
    if len(query) > 2 * _LONGEST_END:
        query = f"{query[:_LONGEST_END]} {query[-_LONGEST_END:]}"
    text = folded(query)
    rest, found = _known(text)
    for run in _RUNS.findall(text):
        if run not in rest:  # the thesaurus knows a part of it
            found.setdefault(run, Word(0.5, (Form(1, _literal(run)),)))
    for match in _QUERY.finditer(_GRAMMAR.sub(" ", rest)):
        for name, word in _KINDS[match.lastgroup](match):
            found.setdefault(name, word)
    telling = tuple(sorted(found.values(), key=lambda word: -word.weight)[:_MOST_WORDS])
    return telling if any(word.weight > 0.1 for word in telling) else ()


def folded(text: str) -> str:
    """The text in the one form in which words are compared: NFKC, lower case, no thousands separators."""
    # Only what needs it is normalised: NFKC of a whole page takes several times as long as all the rest.
    text = _UNUSUAL.sub(lambda match: normalize("NFKC", match[0]), normalize("NFC", text))
    return _THOUSANDS.sub("", text.lower())


def _known(text: str) -> tuple[str, dict[str, Word]]:
    """The text without the words that the thesaurus knows, and these words, and the kinds of answer."""
    found: dict[str, Word] = {}
    matches: dict[tuple[int, int], list[re.Pattern[str]]] = {}
    for same in _SAME:
        if match := same.search(text):
            matches.setdefault(match.span(), []).append(same)
    taken = bytearray(len(text))
    for start, end in sorted(matches, key=lambda span: span[0] - span[1]):  # the longest first
        weight = 0.5 if all(taken[start:end]) else 1  # less for a part of a longer word
        taken[start:end] = b"\1" * (end - start)
        others = [Form(_SYNONYM, _counting(same)) for same in matches[start, end]]
        found[text[start:end]] = Word(weight, (Form(1, _bounded(text[start:end])), *others))
    for asked, kind in _ANSWER_KINDS:
        if match := asked.search(text):
            told = rf"\d ?{match['unit']}" if "unit" in asked.groupindex else kind.told
            found[kind.asked] = Word(kind.weight, (Form(1, _matching(told)),), is_topic=False)
    rest = "".join(" " if known else character for character, known in zip(text, taken, strict=True))
    return rest, found


Found = Iterator[tuple[str, Word]]
"""Words under the names by which they are told apart."""


def _number(match: re.Match[str]) -> Found:
    """A number, and with its unit, which makes it tell more."""
    number, unit = match["number"], match["unit"]
    bare = _bounded(number, rf"(?<!\d\.{re.escape(number)})(?!\.?\d)")
    forms = (Form(1, _bounded(number + unit)), Form(0.3, bare)) if unit else (Form(1, bare),)
    yield number, Word(1, forms)


def _word(match: re.Match[str]) -> Found:
    """A word of a script with spaces; an English one also in its plural and with other endings."""
    stem = _PLURAL.sub("", match[0])
    if not _STOP_WORDS.fullmatch(match[0]):
        sound = loanwords.like(stem)
        alike = (Form(_SYNONYM, sound),) if sound else ()
        yield stem, Word(1, (Form(1, _bounded(stem, _ENDINGS)), *alike))


def _han(match: re.Match[str]) -> Found:
    """A word of Han characters, as a whole and in pairs; a lone one with its okurigana."""
    han = _HAN.findall(match["han"])
    if len(han) == 1:
        okurigana = match["okurigana"]
        if okurigana:
            forms = Form(1, _literal(han[0] + okurigana)), Form(_STEM, _literal(han[0]))
        else:
            alone = f"{han[0]}(?<![{_KANJI}]{han[0]})(?![{_KANJI}])"
            forms = Form(1, _matching(alone)), Form(0.5, _literal(han[0]))
        yield han[0], Word(0.6, forms)
        return
    pairs = [first + f"[{_OKURIGANA}]?" + second for first, second in pairwise(han)]
    whole = f"[{_OKURIGANA}]?".join(han)
    parts = tuple(Form(_PARTS / len(pairs), _matching(pair)) for pair in pairs) if len(pairs) > 1 else ()
    lone = tuple(Form(_STEM / len(han), _literal(character)) for character in han)
    yield match[0], Word(min(1.6, 0.6 + 0.2 * len(han)), (Form(1, _matching(whole)),), (*parts, *lone))


def _katakana(match: re.Match[str]) -> Found:
    """A word of katakana, with or without its last length mark, and its pairs."""
    word = match[0].rstrip("\u30fc") or match[0]
    pairs = [word[at : at + 2] for at in range(len(word) - 1)]
    parts = tuple(Form(_PARTS / len(pairs), _literal(pair)) for pair in pairs) if len(pairs) > 2 else ()
    if pairs:
        sound = loanwords.like(word)
        alike = (Form(_SYNONYM, sound),) if sound else ()
        yield word, Word(1, (Form(1, _literal(word)), *alike), parts)


def _kana(match: re.Match[str]) -> Found:
    """Hiragana is mostly grammar: its pairs tell little."""
    pairs = [match[0][at : at + 2] for at in range(len(match[0]) - 1)]
    if len(pairs) > 1:
        yield match[0], Word(0.2, (), tuple(Form(1 / len(pairs), _literal(pair)) for pair in pairs))


def _literal(text: str) -> Count:
    return lambda passage: passage.count(text)


def _counting(compiled: re.Pattern[str]) -> Count:
    return lambda passage: sum(1 for _ in compiled.finditer(passage))


def _matching(pattern: str) -> Count:
    return _counting(re.compile(pattern))


def _bounded(literal: str, after: str = "") -> Count:
    """Counts a text before which no letter stands; the literal comes first, so that it is scanned for."""
    literal = re.escape(literal)
    return _matching(f"{literal}(?<!{_LETTER}{literal}){after}")


_KINDS: dict[str | None, Callable[[re.Match[str]], Found]] = {
    "number": _number,
    "unit": _number,
    "word": _word,
    "han": _han,
    "okurigana": _han,
    "katakana": _katakana,
    "kana": _kana,
}
