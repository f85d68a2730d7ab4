"""The charset of tables of short cells, as Japanese companies publish them."""

import pytest

from fetcher.web.reading.charsets.detection import detect

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
WESTERN = [
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
    assert detect(text.encode("cp932"), in_japan=True) == ("shift_jis", True)


@pytest.mark.parametrize("text", WESTERN)
def test_western_cells_are_not_taken_for_japanese(text):
    assert detect(text.encode("cp1252")) == ("windows-1252", True)
    assert detect(text.encode("cp1252"), in_japan=True) == ("windows-1252", True)


def test_a_japanese_host_speaks_for_japanese():
    assert detect("A社,100\nB社,200\n".encode("cp932"), in_japan=True) == ("shift_jis", True)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark_is_found(codec):
    assert detect("name,price\nabc,100\n".encode(codec))[0] == codec.replace("16-", "16")
