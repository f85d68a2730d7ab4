"""PDF: order, headings, tables, links, positions, what people cannot see, and failures."""

import pytest

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable
from tests.fetcher.web.reading.documents.pdf_files import HEIGHT, Page, assembled, pdf
from tests.fetcher.web.reading.documents.reading import document

LEFT = [
    "左の段の一行目の文章はここから始まります",
    "左の段の二行目の文章がここに続いています",
    "左の段の三行目の文章もここに続いています",
    "左の段の四行目の文章がここで終わります。",
]
RIGHT = [line.replace("左", "右") for line in LEFT]
ROWS = [["項目", "前期", "当期"], ["売上高", "1,000", "1,200"], ["利益", "△100", "250"]]


def test_japanese_lines_are_joined_and_headings_have_their_size():
    page = Page().text(50, 60, "2026年3月期 決算短信", 20)
    page.lines(
        50,
        100,
        ["当期の売上高は前期に比べて増加しました。これは新しい商品の", "販売が好調であったためです。"],
    )
    assert document(pdf(page)).markdown == (
        "# 2026年3月期 決算短信\n\n"
        "当期の売上高は前期に比べて増加しました。これは新しい商品の販売が好調であったためです。\n"
    )


def test_words_of_latin_letters_keep_their_spaces_over_lines():
    page = Page().lines(50, 100, ["The first line of a paragraph in English goes on", "in the second line."])
    assert "goes on in the second" in document(pdf(page)).markdown


def test_columns_are_read_one_after_the_other():
    """Also below a title over both, and whatever order they are drawn in."""
    page = Page().text(50, 50, "両方の段にまたがる題名がここにあります", 18)
    for left, right, y in zip(LEFT, RIGHT, range(100, 156, 14), strict=True):
        page.text(310, y, right).text(50, y, left)
    text = document(pdf(page)).markdown
    places = [text.index(line) for line in ["両方の段", *LEFT, *RIGHT]]
    assert places == sorted(places)


def test_a_ruled_table_is_a_table():
    page = Page().text(50, 60, "次の表のとおりです。").grid([50, 150, 250, 350], [100, 120, 140, 160], ROWS)
    page.text(50, 190, "以上です。")
    found = document(pdf(Page().text(50, 60, "一枚目"), page))
    [table] = found.tables
    assert (table.header, table.rows, table.page) == (tuple(ROWS[0]), (tuple(ROWS[1]), tuple(ROWS[2])), 2)
    assert found.markdown.index("次の表") < found.markdown.index("| 売上高 |") < found.markdown.index("以上")


def test_a_cell_without_a_rule_in_it_is_merged():
    page = Page().text(150, 114, "売上").text(53, 134, "月").text(153, 134, "前期").text(253, 134, "当期")
    for cell, x in zip(["1月", "10", "20"], [53, 153, 253], strict=True):
        page.text(x, 154, cell)
    for y in (100, 140, 160):
        page.rule(50, y, 350, y)
    page.rule(150, 120, 350, 120)
    for x in (50, 150, 350):
        page.rule(x, 100, x, 160)
    page.rule(250, 120, 250, 160)
    [table] = document(pdf(page)).tables
    assert table.header == ("月", "売上 / 前期", "売上 / 当期")
    assert table.rows == (("1月", "10", "20"),)


def test_pages_have_places_and_furniture_is_left_out():
    pages = [
        Page()
        .text(50, 30, f"株式会社サンプル 四半期報告書 {number}")
        .text(50, 200, f"本文その{number}です。")
        .text(290, HEIGHT - 20, f"- {number} -")
        for number in range(1, 6)
    ]
    found = document(pdf(*pages))
    assert "四半期報告書" not in found.markdown
    assert "- 3 -" not in found.markdown
    assert [(number, part.strip()) for number, part in found.parts] == [
        (number, f"本文その{number}です。") for number in range(1, 6)
    ]


def test_links_title_and_dates_are_read():
    page = Page().text(50, 100, "詳細はこちらです").link(50, 88, 40, 16, "https://ir.example/more")
    found = document(pdf(page, title="決算短信", made="20260510"), url="https://ir.example/%E6%B1%BA.pdf")
    assert "[詳細はこ](https://ir.example/more)ちらです" in found.markdown
    assert found.title == "決算短信"
    assert "2026-05-10" in found.beside
    untitled = document(pdf(page), url="https://ir.example/%E6%B1%BA%E7%AE%97.pdf")
    assert untitled.title == "決算.pdf"


NEARLY_TRANSPARENT = b"/Resources << /Font << /F1 3 0 R >> /ExtGState << /G << /ca .04 >> >> >>"


@pytest.mark.parametrize(
    "hidden",
    [
        Page().text(50, 300, "SECRET", before="1 1 1 rg"),
        Page().text(50, 300, "SECRET", size=0.5),
        Page().text(900, 300, "SECRET"),
        Page().text(50, -300, "SECRET"),
        Page().text(50, 300, "SECRET", before="3 Tr"),
        Page().text(50, 300, "SECRET", before="7 Tr"),
        Page().text(50, 300, "SECRET", before="1 1 1 RG 1 Tr"),
        Page().text(50, 300, "SECRET", before="q 1 0 0 .001 0 300 cm"),
        Page().text(50, 300, "SECRET", before="1 Tz"),
        Page(extra=NEARLY_TRANSPARENT).text(50, 300, "SECRET", before="/G gs"),
    ],
    ids=[
        "white",
        "tiny",
        "beside the page",
        "above the page",
        "not painted",
        "for clipping",
        "white lines",
        "flat",
        "narrow",
        "nearly transparent",
    ],
)
def test_what_people_cannot_see_is_not_read(hidden):
    hidden.content.append(b"Q 0 0 0 rg 0 Tr 100 Tz")
    hidden.content.insert(0, b"q")
    text = document(pdf(hidden.text(50, 100, "見える文章"))).markdown
    assert "SECRET" not in text
    assert "見える文章" in text


@pytest.mark.parametrize("look", ["1 1 1 rg", "3 Tr"])
def test_what_people_cannot_see_within_a_line_is_not_read(look):
    """And what they see behind it is."""
    page = Page()
    page.content.append(
        f"BT /F1 10 Tf 50 500 Td (Seen ) Tj {look} (SECRET) Tj 0 0 0 rg 0 Tr ( again) Tj ET".encode()
    )
    assert document(pdf(page)).markdown == "Seen again\n"


def test_white_words_on_a_dark_ground_are_read():
    page = Page().box(40, 80, 300, 40, "0 0 0.5").text(50, 100, "白い見出し", before="1 1 1 rg")
    assert "白い見出し" in document(pdf(page)).markdown


def test_a_turned_page_is_read_as_people_turn_it():
    page = Page(extra=b"/Rotate 90")
    for number, line in enumerate(["一行目です。", "二行目です。"]):
        data = line.encode("cp932").hex()
        page.content.append(f"BT /F1 10 Tf 0 1 -1 0 {100 + 20 * number} 100 Tm <{data}> Tj ET".encode())
    text = document(pdf(page)).markdown
    assert text.index("一行目です。") < text.index("二行目です。")


def test_characters_in_a_font_of_the_viewers_are_read_on_every_system():
    """Each in a piece of its own too: no font of this system is asked for their boxes."""
    page = Page()
    for number, character in enumerate("日本語"):
        page.text(100 + 10 * number, 100, character)
    assert document(pdf(page)).markdown == "日本語\n"


def test_forms_are_numbered_from_their_page():
    """A page without text keeps its number."""
    found = document(pdf(Page(), Page().text(50, 100, "二枚目")))
    assert [number for number, part in found.parts if part.strip()] == [2]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"%PDF-1.7", DocumentCode.DOCUMENT_DAMAGED),
        (pdf(Page().text(50, 100, "文"))[:300], DocumentCode.DOCUMENT_DAMAGED),
        (b"%PDF-1.7\n" + b" " * 5_000_000, DocumentCode.DOCUMENT_DAMAGED),
        (pdf(Page()), DocumentCode.DOCUMENT_HAS_NO_TEXT),
        (
            assembled([b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 0 /Kids [] >>"]),
            DocumentCode.DOCUMENT_DAMAGED,
        ),
        (
            pdf(
                Page().text(50, 100, "文"),
                trailer=b"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4"
                b" /O <" + b"00" * 32 + b"> /U <" + b"00" * 32 + b"> >> /ID [<00><00>]",
            ),
            DocumentCode.DOCUMENT_ENCRYPTED,
        ),
    ],
    ids=["only a head", "cut", "spaces", "no text", "no pages", "password"],
)
def test_each_failure_has_its_code(body, code):
    with pytest.raises(DocumentUnreadable) as caught:
        document(body)
    assert caught.value.code is code


def test_fonts_that_do_not_say_what_they_show_have_their_code():
    font = (
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Odd /Encoding /Identity-H /DescendantFonts ["
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Odd"
        b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity)"
        b" /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /Odd /Flags 4 >> >>] >>"
    )
    page = (
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>"
    )
    content = b"BT /F1 12 Tf 50 700 Td <00110012001300140015> Tj ET"
    body = assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
            font,
            page,
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        ]
    )
    with pytest.raises(DocumentUnreadable) as caught:
        document(body)
    assert caught.value.code is DocumentCode.DOCUMENT_FONTS_UNREADABLE


def test_an_error_page_that_is_called_a_pdf_is_a_page():
    assert "見つかりません" in document("<!doctype html><p>見つかりません</p>", "application/pdf").markdown


def test_many_pages_are_read_in_part(monkeypatch):
    monkeypatch.setattr("fetcher.web.reading.documents.pdf.reader.MOST_PAGES", 2)
    found = document(pdf(*(Page().text(50, 100, f"本文{number}") for number in range(1, 5))))
    assert "全4ページのうち、先頭の2ページ" in found.markdown
    assert [number for number, _ in found.parts] == [1, 2]
    assert "本文3" not in found.markdown
