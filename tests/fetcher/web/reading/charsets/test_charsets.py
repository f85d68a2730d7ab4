"""Bytes to text as browsers decode them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.web.reading.charsets import decode_as, encoding_of
from fetcher.web.reading.charsets.whatwg import ENCODINGS


def test_knows_the_standards_labels():
    """Charset names: 228 labels stand for 40 encodings, each named by its own label."""
    assert len(ENCODINGS) == 228
    assert len(set(ENCODINGS.values())) == 40
    assert all(ENCODINGS[name] == name for name in set(ENCODINGS.values()))


@pytest.mark.parametrize(
    ("label", "encoding"),
    [
        ("UTF8", "utf-8"),
        (" Shift_JIS\n", "shift_jis"),
        ("x-sjis", "shift_jis"),
        ("Windows-31J", "shift_jis"),
        ("x-euc-jp", "euc-jp"),
        ("ISO-8859-1", "windows-1252"),
        ("us-ascii", "windows-1252"),
        ("latin1", "windows-1252"),
        ("TIS-620", "windows-874"),
        ("iso-8859-9", "windows-1254"),
        ("gb2312", "gbk"),
        ("ks_c_5601-1987", "euc-kr"),
        ("utf-16", "utf-16le"),
        ("iso-2022-kr", "replacement"),
        ("utf-7", None),
        ("cp65001", None),
        ("", None),
    ],
)
def test_labels_are_matched_in_any_case(label, encoding):
    """FR-WF-CHARSET-01: a label is found in any case and with space around it."""
    assert encoding_of(label) == encoding


@pytest.mark.parametrize(
    ("encoding", "data", "text"),
    [
        ("utf-8", b"a\xe3\x81\x82\xff\xe3\x81", "aあ\ufffd\ufffd"),
        ("utf-8", b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
        ("utf-16le", b"B0\x00\xd8A\x00a", "あ\ufffdA\ufffd"),
        ("utf-16be", b"0B\xd8\x00", "あ\ufffd"),
        ("windows-1252", b"\x80\x81\x8d\x8f\x90\x9d\xe9", "€\x81\x8d\x8f\x90\x9dé"),
        ("windows-874", b"\x81\xa1\xdb", "\x81ก\ufffd"),
        ("iso-8859-8-i", b"\xe0", "א"),
        ("iso-8859-7", b"\xa4\xae", "€\ufffd"),
        ("macintosh", b"\x8e\xdb", "é€"),
        ("x-mac-cyrillic", b"\xa2\xff", "Ґ€"),
        ("x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
        ("replacement", b"anything", "\ufffd"),
        ("replacement", b"", ""),
        ("shift_jis", b"\x5c\x7e\x80\xa0\xb1\xfd\xff", "\\~\x80\ufffdｱ\ufffd\ufffd"),
        ("shift_jis", b"\x87\x40\xed\x40\xfa\x40\xf0\x40\xf9\xfc", "①纊ⅰ\ue000\ue757"),
        ("shift_jis", b"\x81\x60\x81\x61\x81\x7c", "～∥－"),
        ("shift_jis", b"\x82 \x82\xffa\x82", "\ufffd \ufffda\ufffd"),
        ("euc-jp", b"\xa4\xa2\x8e\xb1\x8f\xb0\xa1\xad\xa1\xf9\xa1\xa1\xc1", "あｱ丂①纊～"),
        ("euc-jp", b"~\x8f\xa2\xb7\x8f\xa2\xc5", "~～\ufffd"),
        ("euc-jp", b"\xa4 \xa4\x80\x8fa\x8f\xa1a\xff", "\ufffd \ufffd\ufffda\ufffda\ufffd"),
        ("iso-2022-jp", b"a\x1b$B$\x22-!\x1b(J\\~\x1b(I1\x1b(B\\", "aあ①¥‾ｱ\\"),
        ("iso-2022-jp", b"\x1b$B$\x22$\n$\x22$\x1b(Bx", "あ\ufffdあ\ufffdx"),
        ("iso-2022-jp", b"\x1b$B\x1b(B\x1b$@$\x22\x1b%x\x80", "\ufffd\ufffdあ\ufffd\ufffd\ufffd"),
        ("iso-2022-jp", b"\x0e\x1b(x\x1b$B", "\ufffd\ufffd(x"),
        ("iso-2022-jp", b"\x0e\x0f\x10\x7f\x80", "\ufffd\ufffd\x10\x7f\ufffd"),
        ("iso-2022-jp", b"\x1b(I !_`", "\ufffd｡ﾟ\ufffd"),
        ("iso-2022-jp", b"\x1b$B$\x1b%\x22", "\ufffd\ufffdア"),
        ("euc-jp", b"\xad\xffa\xfa\xffa", "\ufffda\ufffda"),
        ("gbk", b"\xd6\xd0\xff", "中\ufffd"),
        ("big5", b"\xa4\xa4\xff", "中\ufffd"),
        ("euc-kr", b"\xb0\xa1\xff", "가\ufffd"),
        ("shift_jis", bytes.fromhex("81608161817C8191819281CA"), "～∥－￠￡￢"),
        ("euc-jp", bytes.fromhex("A1C1A1C2A1DDA1F1A1F2A2CC"), "～∥－￠￡￢"),
    ],
)
def test_decodes_as_the_encoding_standard_does(encoding, data, text):
    """FR-WF-10i: as browsers read it; Japanese to the letter, errors included."""
    assert decode_as(encoding, data) == text


@given(encoding=st.sampled_from(sorted(set(ENCODINGS.values()))), data=st.binary(max_size=60))
def test_any_bytes_decode_to_sound_text(encoding, data):
    """Decoding any bytes raises nothing and gives no lone surrogate."""
    decode_as(encoding, data).encode("utf-8")


def test_text_past_rescue_still_decodes():
    """Beyond 100,000 errors Python's own replacement takes over, and sound text stays sound."""
    text = decode_as("shift_jis", b"\x81 " * 100_001 + "日本語".encode("shift_jis"))
    assert text.count("\ufffd") == 100_001
    assert text.endswith("日本語")
