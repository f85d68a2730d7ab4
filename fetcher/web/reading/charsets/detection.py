"""The charset of bytes that declare none: UTF-8 or Japanese where they look like it, else windows-1252."""

import codecs
import re
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
    if _is_utf8(body):
        return "utf-8", False
    return _guess(body), True


def _is_utf8(body: bytes) -> bool:
    """A character that is cut in two at the end is no error, unless it is all there is beyond ASCII."""
    try:
        text, read = codecs.utf_8_decode(body, "strict", False)
    except UnicodeDecodeError:
        return False
    return read == len(body) or not text.isascii()


def _guess(body: bytes) -> str:
    found = _NOT_ASCII.search(body)
    start = found.start() if found else 0  # where a character begins, whatever the charset
    sample = body[start : start + _SAMPLE]
    if _share_valid(_foreign(decode_as("utf-8", sample))) >= _ENOUGH_UTF8:
        return "utf-8"
    score, encoding = max((_japanese(decode_as(name, sample)), name) for name in ("euc-jp", "shift_jis"))
    return encoding if score >= _ENOUGH_JAPANESE else "windows-1252"


def _foreign(text: str) -> str:
    """The characters beyond ASCII; the last, which the sample may have cut, does not count if broken."""
    return re.sub(r"[\x00-\x7f]+", " ", text.removesuffix(REPLACEMENT))


def _share_valid(foreign: str) -> float:
    letters = len(foreign) - foreign.count(" ")
    return 1 - foreign.count(REPLACEMENT) / letters if letters else 0.0


def _japanese(text: str) -> float:
    """The share of characters beyond ASCII that stand beside others of their kind as Japanese does.

    Western text read as Shift_JIS gives half-width katakana, rare kanji, and common kanji that stand
    alone (an apostrophe and its letter) or repeat (a line of dashes): none of them counts.
    """
    foreign = _foreign(text)
    if _share_valid(foreign) < 1 - _ERRORS_TOLERATED:
        return 0.0
    return sum(len(run[0]) for run in _japanese_run().finditer(foreign)) / len(foreign.replace(" ", ""))


@cache
def _japanese_run() -> re.Pattern[str]:
    """Two or more different characters in a row, each kana, punctuation or kanji of JIS level 1."""
    cells = bytes(range(0xA1, 0xFF))
    kanji = "".join(
        bytes([row, cell]).decode("euc_jp", "ignore") for row in range(0xB0, 0xD0) for cell in cells
    )
    common = f"[\u3000-\u3011\u3041-\u3093\uff01-\uff5e\u30a1-\u30fc{kanji}]"
    return re.compile(rf"({common})(?!\1){common}+")
