"""What an asker may want next, by what the pages have."""

import pytest

from fetcher.agent.offers import EXCEL, offers
from fetcher.agent.values import Answer, GeneratedFile, Source
from fetcher.web.values import Document, Table

PAGE, PRICES, FILE = "https://a.example/", "https://a.example/prices", "https://x.slack.com/files/U1/F1/a.pdf"
DOCUMENTS = {
    PAGE: Document(markdown="本文"),
    PRICES: Document(markdown="表", tables=(Table(caption="", header=("a",), rows=(("1",),)),)),
    FILE: Document(markdown="表", tables=(Table(caption="", header=("a",), rows=(("1",),)),)),
}
LONG = "豆は千円です。" * 60
WORKBOOK = GeneratedFile(file_name="a.xlsx", mime_type=EXCEL, content=b"PK")


def kinds(text, *urls, files=(), **fields):
    sources = tuple(Source(number=n, title="t", url=url) for n, url in enumerate(urls, start=1))
    answer = Answer(text=text, sources=sources, files=files, **fields)
    return [(offer.kind, offer.url) for offer in offers(answer, DOCUMENTS, {FILE})]


@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        (kinds(LONG, PAGE, f"{PRICES}#page=2"), [("excel", PRICES), ("shorter", PAGE), ("english", PAGE)]),
        (kinds("豆は千円です。", PAGE), [("english", PAGE)]),
        (kinds("Beans cost 1,000 yen (千円).", PAGE), [("japanese", PAGE)]),
        (kinds(LONG, PRICES, files=(WORKBOOK,)), [("shorter", PRICES), ("english", PRICES)]),
        (kinds(LONG, PRICES, offline=True), [("excel", PRICES)]),  # it can neither shorten nor translate
        (kinds(LONG, PAGE, offline=True), []),
        (kinds(LONG, FILE), []),  # a person's file cannot be read by its link
        (kinds(LONG), []),
        (kinds(LONG, PRICES, answered=False), []),
    ],
)
def test_offers_fit_the_answer(offered, expected):
    assert offered == expected
