"""The font for Japanese, Chinese and Korean text whose font is not in the PDF: it is left to the viewer.

pdfium takes one of the system's. Where the system has none for such text, as on most servers, its characters
have no box, and pdfium leaves out each piece of text whose box has no width: a character alone, or a line
that is turned. So pdfium gets a font of ours, in which each character is a square. Text is then read in the
same way on every system. The tables of the font are those of the OpenType specification.
"""

import ctypes
from functools import cache
from struct import pack
from typing import Any

import pypdfium2.raw as pdfium

_EM, _ASCENT, _DESCENT = 1000, 880, -120
_CHARSETS = frozenset({128, 129, 134, 136})
"""Shift_JIS, Hangul, GB 2312 and Big5 (`FXFONT_*_CHARSET` in fpdf_sysfontinfo.h)."""
_TRUETYPE = 0x10000
_HANDLE = 1
"""What stands for the font where pdfium passes it around; any number but 0."""


def _font() -> bytes:
    """A font with one square for all characters."""
    corners = pack(">4B4h4h", *[1] * 4, 0, _EM, 0, -_EM, _DESCENT, 0, _EM, 0)  # on the curve, then steps
    square = pack(">hhhhhHH", 1, 0, _DESCENT, _EM, _ASCENT, 3, 0) + corners
    square += bytes(-len(square) % 4)
    tables = {
        # Format 13: many characters, one glyph.
        b"cmap": pack(">HHHHLHHLLLLLL", 0, 1, 3, 10, 12, 13, 0, 28, 0, 1, 0x20, 0x10FFFF, 1),
        b"glyf": square + square,  # the first glyph stands for what a font does not have
        b"head": pack(
            ">LLLLHHQQhhhhHHhhh",
            *(_TRUETYPE, _TRUETYPE, 0, 0x5F0F3CF5, 3, _EM, 0, 0),
            *(0, _DESCENT, _EM, _ASCENT, 0, 8, 2, 0, 0),
        ),
        b"hhea": pack(">LhhhHhhhhhhhhhhhH", _TRUETYPE, _ASCENT, _DESCENT, 0, _EM, 0, 0, _EM, 1, *[0] * 7, 2),
        b"hmtx": pack(">HhHh", _EM, 0, _EM, 0),
        b"loca": pack(">HHH", 0, len(square) // 2, len(square)),
        b"maxp": pack(">LHHHHHH16x", _TRUETYPE, 2, 4, 1, 0, 0, 1),
    }
    head, data = pack(">LHHHH", _TRUETYPE, len(tables), 64, 2, 16 * len(tables) - 64), b""
    for tag, table in tables.items():
        head += pack(">4sLLL", tag, 0, 12 + 16 * len(tables) + len(data), len(table))
        data += table + bytes(-len(table) % 4)
    return head + data


_FONT = _font()


def _map_font(_info: Any, _weight: int, _italic: int, charset: int, *_rest: Any) -> int | None:
    return _HANDLE if charset in _CHARSETS else None


def _font_data(_info: Any, _font: Any, table: int, buffer: Any, size: int) -> int:
    if table:  # only the font as a whole is asked for, after a look whether it is one of a collection
        return 0
    if size >= len(_FONT):
        ctypes.memmove(buffer, _FONT, len(_FONT))
    return len(_FONT)


def _delete_font(_info: Any, _font: Any) -> None:
    """Nothing is kept for a font."""


_TYPES = dict(pdfium.FPDF_SYSFONTINFO._fields_)
_INFO = pdfium.FPDF_SYSFONTINFO(
    version=2,
    MapFont=_TYPES["MapFont"](_map_font),
    GetFontData=_TYPES["GetFontData"](_font_data),
    DeleteFont=_TYPES["DeleteFont"](_delete_font),
)


@cache
def use_own_font() -> None:
    """Has pdfium use this font instead of the system's, in this process."""
    pdfium.FPDF_SetSystemFontInfo(_INFO)
