"""Detects the charset of undeclared bytes: UTF-8 or Japanese if they look like it, else windows-1252."""

import codecs
import re
from contextlib import suppress
from functools import cache

from fetcher.web.reading.charsets import REPLACEMENT, decode_as

_SAMPLE = 64 * 1024
_ENOUGH_UTF8 = 0.9
_ENOUGH_JAPANESE = 0.5
_ERRORS_TOLERATED = 0.02

_NOT_ASCII = re.compile(rb"[\x80-\xff]")
_JIS_ESCAPE = re.compile(rb"\x1b\$[@B]")


def detect(body: bytes) -> tuple[str, bool]:
    """An encoding, and whether it is a guess: valid UTF-8 is not."""
    if b"\x1b$" in body and _JIS_ESCAPE.search(body) and not _NOT_ASCII.search(body):
        return "iso-2022-jp", True
    with suppress(UnicodeDecodeError):
        text, read = codecs.utf_8_decode(body, "strict", False)
        # A character may be cut in two at the end, unless it is the only one that is not ASCII.
        if read == len(body) or not text.isascii():
            return "utf-8", False
    first = _NOT_ASCII.search(body)
    start = first.start() if first else 0  # in every charset a character begins here
    sample = body[start : start + _SAMPLE]
    if _share_valid(_not_ascii(decode_as("utf-8", sample))) >= _ENOUGH_UTF8:
        return "utf-8", True
    score, encoding = max((_japanese(decode_as(name, sample)), name) for name in ("euc-jp", "shift_jis"))
    return encoding if score >= _ENOUGH_JAPANESE else "windows-1252", True


def is_japanese_utf8(body: bytes) -> bool:
    """Whether bytes are Japanese text in UTF-8, under whatever label: in no other charset are they text."""
    first = _NOT_ASCII.search(body)
    if first is None:
        return False
    with suppress(UnicodeDecodeError):
        text, _ = codecs.utf_8_decode(body[first.start() : first.start() + _SAMPLE], "strict", False)
        return bool(text) and _japanese(text) >= _ENOUGH_JAPANESE
    return False


def _not_ascii(text: str) -> str:
    """The other characters, with a space for each run of ASCII; without a broken one at the sample's end."""
    return re.sub(r"[\x00-\x7f]+", " ", text.removesuffix(REPLACEMENT))


def _share_valid(characters: str) -> float:
    count = len(characters) - characters.count(" ")
    return 1 - characters.count(REPLACEMENT) / count if count else 0.0


def _japanese(text: str) -> float:
    """The share of the characters outside ASCII that are in runs of their kind, as in Japanese.

    Western text read as Shift_JIS gives half-width katakana, rare kanji, and common kanji that stand
    alone (an apostrophe and its letter) or repeat (a line of dashes): these do not count.
    """
    characters = _not_ascii(text)
    if _share_valid(characters) < 1 - _ERRORS_TOLERATED:
        return 0.0
    runs = _japanese_run().finditer(characters)
    return sum(len(run[0]) for run in runs) / len(characters.replace(" ", ""))


@cache
def _japanese_run() -> re.Pattern[str]:
    """Two or more different characters in a row, each kana, punctuation or kanji of JIS level 1."""
    cells = bytes(range(0xA1, 0xFF))
    kanji = "".join(
        bytes([row, cell]).decode("euc_jp", "ignore") for row in range(0xB0, 0xD0) for cell in cells
    )
    common = f"[\u3000-\u3011\u3041-\u3093\uff01-\uff5e\u30a1-\u30fc{kanji}]"
    return re.compile(rf"({common})(?!\1){common}+")
