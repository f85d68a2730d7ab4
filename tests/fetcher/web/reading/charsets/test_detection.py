"""The charset of bytes that declare none."""

import pytest

from fetcher.web.reading.charsets.detection import detect

JAPANESE = [
    "日本語",
    "東京都庁",
    "カタカナ",
    "お問い合わせ",
    "<title>会社概要</title><p>明日の天気は晴れ、最高気温は２５℃でしょう。</p>",
    "x" * 100_000 + "これはペンです。",
]
WESTERN = [
    "L’été dernier, nous étions à la plage — c’était génial. Où est-ce ? Ça va, façade, naïve",
    "Über die Größe der Straße: schöne Grüße für Äpfel und Öl",
    "don’t won’t it’s “quoted” – dash",
    "———————————— rule ————————————",
    "España ¿Qué? ¡Olé! mañana",
    "DÉJÀ VU ÉTÉ",
    "©2020 ® ™ • bullet … ½",
    "café",
]


@pytest.mark.parametrize("text", JAPANESE)
@pytest.mark.parametrize(
    ("codec", "encoding"), [("cp932", "shift_jis"), ("euc_jp", "euc-jp"), ("iso2022_jp", "iso-2022-jp")]
)
def test_finds_japanese(text, codec, encoding):
    """Undeclared Japanese is found in each of its charsets, and called a guess."""
    assert detect(text.encode(codec)) == (encoding, True)


@pytest.mark.parametrize("codec", ["cp932", "euc_jp"])
def test_a_cut_character_is_no_error(codec):
    """A body that was cut in the middle of a character is still recognised."""
    assert detect("これはペンです".encode(codec)[:-1]) == detect("これはペンです".encode(codec))


@pytest.mark.parametrize("text", WESTERN)
def test_western_text_is_not_taken_for_japanese(text):
    """Accents, smart quotes and dashes make no Shift_JIS."""
    assert detect(text.encode("cp1252")) == ("windows-1252", True)


@pytest.mark.parametrize("text", ["", "plain", "日本語", "café"])
def test_valid_utf8_is_no_guess(text):
    """UTF-8 that is valid is taken as such, without the note."""
    assert detect(text.encode()) == ("utf-8", False)


def test_utf8_cut_in_the_middle_is_utf8():
    """A character that the size limit has cut does not unmake UTF-8."""
    assert detect("日本語".encode()[:-1]) == ("utf-8", False)


def test_nearly_valid_utf8_is_utf8():
    """One broken byte in a page of UTF-8 does not make it mojibake; the note says so."""
    assert detect("日本語".encode() * 50 + b"\xff" + "日本語".encode()) == ("utf-8", True)


CELLS = {
    "post codes": '13101,"100","1000001","ﾄｳｷｮｳﾄ","ﾁﾖﾀﾞｸ","ﾁﾖﾀﾞ",0,0\r\n',
    "post codes with kanji": '13101,"ﾄｳｷｮｳﾄ","ﾁﾖﾀﾞｸ","東京都","千代田区"\r\n',
    "bank transfers": "12100123ﾔﾏﾀﾞ ﾀﾛｳ        0101234\r\n2 0001ﾐｽﾞﾎ     001ﾎﾝﾃﾝ     1234567ｶ)ｻﾝﾌﾟﾙ\r\n",
    "weekdays": "2026/1/1,木\n2026/1/2,金\n2026/1/3,土\n",
    "weather": "date,weather\n1,晴\n2,曇\n3,雨\n",
    "months and yen": "1月,1000円\n2月,1200円\n",
    "districts": "ID,区\n1,東\n2,西\n",
    "a header of one character": "名,数\n",
}
WESTERN_CELLS = [
    "name,price\nCafé,5\nThé,3\n",
    "Zürich;Genève;Neuchâtel\n1;2;3\n",
    "© 2024 Société Générale®",
    "Ação,Não\nSão Paulo,1\n",
    "Bjørn,Åse\nØre,2\n",
    "“Hello” she said",
    "50°C, ±3",
    "Joe’s,5\nAnn’s,7\n",
]


@pytest.mark.parametrize("text", CELLS.values(), ids=CELLS)
def test_short_cells_of_shift_jis_are_found(text):
    assert detect(text.encode("cp932")) == ("shift_jis", True)


@pytest.mark.parametrize("text", WESTERN_CELLS)
def test_western_cells_are_not_taken_for_japanese(text):
    assert detect(text.encode("cp1252")) == ("windows-1252", True)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark_is_found(codec):
    assert detect("name,price\nabc,100\n".encode(codec))[0] == codec.replace("16-", "16")
