"""Word files."""

import pytest

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable
from tests.fetcher.web.reading.documents.office_files import docx, paragraph, word_table
from tests.fetcher.web.reading.documents.reading import document


def test_headings_tables_and_links_survive():
    link = '<w:p><w:hyperlink r:id="r9"><w:r><w:t>資料</w:t></w:r></w:hyperlink></w:p>'
    body = paragraph("議事録", "Heading1") + paragraph("決まったこと。") + link
    found = document(docx(body + word_table([["項目", "金額"], ["会場", "1,000"], ["弁当", "500"]])))
    assert found.markdown == (
        "# 議事録\n\n決まったこと。\n\n[資料](https://docs.example/more)\n\n"
        "| 項目 | 金額 |\n|---|---|\n| 会場 | 1,000 |\n| 弁当 | 500 |\n"
    )
    assert found.tables[0].rows == (("会場", "1,000"), ("弁当", "500"))


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (docx(""), DocumentCode.DOCUMENT_HAS_NO_TEXT),
        (docx("<w:p>"), DocumentCode.DOCUMENT_DAMAGED),
        (docx(paragraph("x"))[:500], DocumentCode.DOCUMENT_DAMAGED),
    ],
    ids=["empty", "not XML", "cut"],
)
def test_each_failure_has_its_code(body, code):
    with pytest.raises(DocumentUnreadable) as caught:
        document(body)
    assert caught.value.code is code
