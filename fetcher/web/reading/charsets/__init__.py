"""Decodes bytes as browsers do, by the WHATWG Encoding Standard: to the letter what is Japanese.

Python's codecs do the work in C; other charsets are read as they do, a few rare characters apart. Where a
Japanese codec stops, an error handler looks the bytes up among the characters that the codec lacks. If it
does not find them, it skips as many bytes as the standard says and writes one U+FFFD. Where a codec gives
another character than the standard, the characters are exchanged afterwards; that is exact, because no other
bytes give them. No bytes make these functions raise.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from functools import cache, partial

from fetcher.web.reading.charsets.whatwg import ENCODINGS, EUC_JP_CHANGES, SHIFT_JIS_CHANGES, SINGLE_BYTE

REPLACEMENT = "\ufffd"

_Decoder = Callable[[bytes], str]
_MULTIBYTE = ("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949")
"""The codecs of more than one byte a character."""
_MAX_ERRORS = 100_000
"""Bytes with more errors are not in that charset; Python's own replacement, in C, is good enough for them."""


def encoding_of(label: str) -> str | None:
    """The encoding of a label, or None for a label that browsers do not know."""
    return ENCODINGS.get(label.strip("\t\n\f\r ").lower())


def decode_as(encoding: str, data: bytes) -> str:
    """The text of bytes in one of the standard's encodings; unreadable bytes become U+FFFD."""
    return _DECODERS[encoding](data)


def load() -> None:
    """Loads every codec, for a process that cannot open their files later."""
    for codec in ("utf-8", "utf-16-le", "utf-16-be", *_MULTIBYTE, *SINGLE_BYTE.values()):
        codecs.lookup(codec)


def _codec(name: str, data: bytes) -> str:
    return data.decode(name, "replace")


def _single_byte(encoding: str, data: bytes) -> str:
    return _by_table(_characters(encoding), data)


def _by_table(characters: str, data: bytes) -> str:
    return codecs.charmap_decode(data, "strict", characters)[0]


@cache
def _characters(encoding: str) -> str:
    """The 256 characters of an encoding of one byte a character."""
    if encoding == "x-user-defined":
        return bytes(range(128)).decode() + "".join(map(chr, range(0xF780, 0xF800)))
    characters = list(bytes(range(256)).decode(SINGLE_BYTE[encoding], "replace"))
    for control in range(0x80, 0xA0):
        if characters[control] == REPLACEMENT:
            characters[control] = chr(control)
    return "".join(characters)


def _japanese(
    codec: str, *, broken: bytes, changes: Mapping[str, str], additions: Mapping[bytes, str]
) -> _Decoder:
    """A decoder around a codec: `broken` matches the bytes that become one U+FFFD where the codec stops."""
    handler, broken_bytes = f"fetcher.{codec}", re.compile(broken, re.DOTALL)

    def handle_error(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeDecodeError)
        # A codec passes the same exception to its handler throughout one call, so the count is kept there.
        errors = getattr(error, "errors", 0) + 1
        if errors > _MAX_ERRORS:
            raise error
        error.errors = errors  # type: ignore[attr-defined]
        data, start = error.object, error.start
        for code in (data[start : start + width] for width in (3, 2, 1)):
            if code in additions:
                return additions[code], start + len(code)
        found = broken_bytes.match(data, start)
        assert found is not None
        return REPLACEMENT, found.end()

    def decode(data: bytes) -> str:
        try:
            text = data.decode(codec, handler)
        except UnicodeDecodeError:
            text = data.decode(codec, "replace")
        for character, right in changes.items():
            text = text.replace(character, right)
        return text

    codecs.register_error(handler, handle_error)
    return decode


# Python reads the tilde of JIS X 0212 as ASCII's. So it is replaced by a code of the same shape that has no
# character in either set (A2C5; the real A2C5 becomes A2C6), and the codec stops there.
_TILDE = b"\x8f\xa2\xb7"
_UNUSED = b"\x8f\xa2\xc5"


def _euc_jp_additions() -> dict[bytes, str]:
    """The rows of NEC and IBM, which Python has only in Shift_JIS: the same cells, two rows to a lead."""
    additions = {_UNUSED: "\uff5e"}
    for row in (0xAD, 0xF9, 0xFA, 0xFB, 0xFC):
        for cell in range(0xA1, 0xFF):
            lead, offset = divmod((row - 0xA1) * 94 + cell - 0xA1, 188)
            pair = bytes([lead + (0x81 if lead < 0x1F else 0xC1), offset + (0x40 if offset < 0x3F else 0x41)])
            additions[bytes([row, cell])] = pair.decode("cp932", "replace")
    return {code: character for code, character in additions.items() if REPLACEMENT not in character}


_shift_jis = _japanese(
    "cp932", broken=rb"[\x81-\x9f\xe0-\xfc][\x80-\xff]?|.", changes=SHIFT_JIS_CHANGES, additions={}
)
_euc_jp_pairs = _japanese(
    "euc_jp",
    broken=rb"\x8f[\xa1-\xfe][\x80-\xff]?|[\x8e\x8f\xa1-\xfe][\x80-\xff]?|.",
    changes=EUC_JP_CHANGES,
    additions=_euc_jp_additions(),
)


def _euc_jp(data: bytes) -> str:
    return _euc_jp_pairs(data.replace(_UNUSED, b"\x8f\xa2\xc6").replace(_TILDE, _UNUSED))


_ESCAPE = re.compile(rb"\x1b(\([BIJ]|\$[@B])")
# JIS pairs as EUC-JP has them. An unknown escape, and bytes that are not in a pair, become bytes that EUC-JP
# does not use. A byte without a partner takes the unused byte that follows it.
_TO_EUC = bytes(
    0x80 if byte == 0x1B else byte | 0x80 if 0x21 <= byte <= 0x7E else 0xFF for byte in range(256)
)
_ODD = re.compile(rb"(?<![\xa1-\xfe])((?>[\xa1-\xfe]{2})*+)[\xa1-\xfe](?:\xff|(?=[\x80\n]|\Z))")


def _iso_2022_jp(data: bytes) -> str:
    """Text between escapes; all kanji are decoded at once, with a line for each stretch of them."""
    first, *rest = _ESCAPE.split(data)
    states, stretches = rest[::2], rest[1::2]
    kanji = [
        text.translate(_TO_EUC) for state, text in zip(states, stretches, strict=True) if state[0] == 0x24
    ]
    lines = iter(_euc_jp(_ODD.sub(b"\\1\xff", b"\n".join(kanji))).split("\n"))
    pieces = [_by_table(_JIS_ASCII, first)]
    for state, text in zip(states, stretches, strict=True):
        piece = next(lines) if state[0] == 0x24 else _by_table(_JIS_STATES[state], text)
        pieces.append(piece if text else REPLACEMENT)
    if stretches and not stretches[-1]:
        pieces.pop()  # an escape before another escape is an error; at the end it is not
    return "".join(pieces)


_JIS_ASCII = "".join(
    REPLACEMENT if byte in (0x0E, 0x0F, 0x1B) or byte > 0x7F else chr(byte) for byte in range(256)
)
_JIS_ROMAN = _JIS_ASCII.replace("\\", "\u00a5").replace("~", "\u203e")
_JIS_KATAKANA = "".join(
    chr(byte - 0x21 + 0xFF61) if 0x21 <= byte <= 0x5F else REPLACEMENT for byte in range(256)
)
_JIS_STATES = {b"(B": _JIS_ASCII, b"(J": _JIS_ROMAN, b"(I": _JIS_KATAKANA}

_DECODERS: dict[str, _Decoder] = {
    "utf-8": partial(_codec, "utf-8"),
    "utf-16le": partial(_codec, "utf-16-le"),
    "utf-16be": partial(_codec, "utf-16-be"),
    "shift_jis": _shift_jis,
    "euc-jp": _euc_jp,
    "iso-2022-jp": _iso_2022_jp,
    "gbk": partial(_codec, "gb18030"),
    "gb18030": partial(_codec, "gb18030"),
    "big5": partial(_codec, "big5hkscs"),
    "euc-kr": partial(_codec, "cp949"),
    "replacement": lambda data: REPLACEMENT if data else "",
    "x-user-defined": partial(_single_byte, "x-user-defined"),
    **{name: partial(_single_byte, name) for name in SINGLE_BYTE},
}
