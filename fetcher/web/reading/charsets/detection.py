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
_OTHER_THAN_ASCII = re.compile(r"[^\x00-\x7f]++")
_FEWEST_IN_UTF8 = 8
"""Characters outside ASCII that are UTF-8 by chance once in ten million times, in any other charset."""
_JIS_ESCAPE = re.compile(rb"\x1b\$[@B]")
_NUL_IN_PAIR = ((0, "utf-16be"), (1, "utf-16le"))
_EUC_KANA = re.compile(rb"[\xa4\xa5][\xa1-\xfe]")
_NOT_SHIFT_JIS = re.compile("[\x80-\xa0\ufffd\uf8f0-\uf8f3]")
"""What the codec gives for bytes that Shift_JIS does not have."""
_HALF_WIDTH_RUN = re.compile("[\uff66-\uff9f]{2,}")
_FEWEST_EUC_KANA = 0.05
"""Japanese in EUC-JP has kana; half-width kana that EUC-JP could also read give kanji only."""


def detect(body: bytes) -> tuple[str, bool]:
    """An encoding, and whether it is a guess: valid UTF-8 is not."""
    if b"\x1b$" in body and _JIS_ESCAPE.search(body) and not _NOT_ASCII.search(body):
        return "iso-2022-jp", True
    for at, encoding in _NUL_IN_PAIR:  # UTF-16 without its mark: every second byte of ASCII is zero
        half = body[at:512:2]
        if len(half) > 3 and half.count(0) > 0.4 * len(half) and not body[1 - at : 512 : 2].count(0):
            return encoding, True
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
    as_shift_jis = decode_as("shift_jis", body[max(0, start - 1) : start] + sample).removesuffix(REPLACEMENT)
    is_shift_jis = not _NOT_SHIFT_JIS.search(as_shift_jis)
    half_width = sum(map(len, _HALF_WIDTH_RUN.findall(as_shift_jis))) if is_shift_jis else 0
    is_half_width = half_width and len(_EUC_KANA.findall(sample)) < _FEWEST_EUC_KANA * half_width
    candidates = ("shift_jis",) if is_half_width else ("euc-jp", "shift_jis")
    score, encoding = max((_japanese(decode_as(name, sample)), name) for name in candidates)
    if score < _ENOUGH_JAPANESE and is_shift_jis:
        score, encoding = _japanese_in_cells(as_shift_jis), "shift_jis"
    return encoding if score >= _ENOUGH_JAPANESE else "windows-1252", True


def is_surely_utf8(body: bytes) -> bool:
    """Whether bytes are text in UTF-8, despite their label: text in another charset hardly ever is."""
    first = _NOT_ASCII.search(body)
    if first is None:
        return False
    with suppress(UnicodeDecodeError):
        text, _ = codecs.utf_8_decode(body[first.start() : first.start() + _SAMPLE], "strict", False)
        return sum(map(len, _OTHER_THAN_ASCII.findall(text))) >= _FEWEST_IN_UTF8
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
    runs = re.finditer(rf"([{_common()}])(?!\1)[{_common()}]+", characters)
    return sum(len(run[0]) for run in runs) / len(characters.replace(" ", ""))


def _japanese_in_cells(text: str) -> float:
    """The share of Japanese in short cells of Shift_JIS: runs of any kind, and kanji beside figures.

    Such cells are "Tuesday", "fine" or "January" in one kanji, and names in half-width kana. Western text
    hardly ever gets here: an accented letter before a space or a comma is not Shift_JIS at all. What is
    left of it stands beside Latin letters, or repeats.
    """
    wide, alone = _common(), f"{_common()}A-Za-z"
    runs = re.finditer(
        rf"([{wide}])(?!\1)[{wide}]+|[\uff61-\uff9f]{{2,}}|(?<![{alone}])[{wide}](?![{alone}])", text
    )
    return sum(len(run[0]) for run in runs) / max(1, sum(not each.isascii() for each in text))


@cache
def _common() -> str:
    """Kana, punctuation and kanji of JIS level 1, for a class of characters."""
    cells = bytes(range(0xA1, 0xFF))
    kanji = "".join(
        bytes([row, cell]).decode("euc_jp", "ignore") for row in range(0xB0, 0xD0) for cell in cells
    )
    return f"\u3000-\u3011\u3041-\u3093\uff01-\uff5e\u30a1-\u30fc{kanji}"
