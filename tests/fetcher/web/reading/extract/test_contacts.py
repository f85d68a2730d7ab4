"""Whom to ask about a page is read, wherever the page tells it; whom to ask about the site is not."""

import pytest

from fetcher.web.reading.readers import article_markdown

PROSE = "".join(
    f"<p>{number}番目の説明です。転入届は引越しの日から十四日以内に、本人確認書類を持って窓口へお越しください。</p>"
    for number in range(8)
)
OFFICE = "<p>市民課 <span>電話番号：0123-45-6789</span> ファクス：0123-45-6780</p>"


def _read(body: str) -> str:
    page = f"<html lang=ja><title>転入届 | 例市</title><body>{body}</body>"
    return article_markdown(page.encode(), "https://city.example.lg.jp/kurashi/tennyu.html")


@pytest.mark.parametrize(
    "contact",
    [
        f"<div id=tmp_inquiry><h2>お問い合わせ</h2><div>{OFFICE}</div></div>",
        f"<div id=section_footer><h2>このページに関するお問い合わせ先</h2>{OFFICE}</div>",
        f"<aside class=contact><h2>このページの担当課へのお問い合わせ</h2>{OFFICE}</aside>",
        f"<footer class=contact><h2>お問い合わせ</h2>{OFFICE}</footer>",
        f"<div class=toiawase><h2><span>この記事に関する<br>お問い合わせ先</span></h2>{OFFICE}</div>",
        f"<div><p>担当・問合せ先</p>{OFFICE}</div>",
        "<footer><p>お問い合わせ：市民課 0123-45-6789（平日の午前九時から午後五時まで）</p></footer>",
        "<div>【問い合わせ先】<br>市民課<br>電話 0123-45-6789</div>",
    ],
)
def test_whom_to_ask_about_a_page_is_read(contact):
    text = _read(f"<div id=main><h1>転入届</h1><div id=text>{PROSE}</div>{contact}</div><div>© 例市</div>")
    assert "0123-45-6789" in text
    assert "7番目の説明" in text


@pytest.mark.parametrize(
    "frame",
    [
        f"<footer><h2>お問い合わせ</h2>{OFFICE}</footer>",
        f"<div id=footer><h2>お問い合わせ</h2>{OFFICE}</div>",
        f"<nav><h2>この記事に関するお問い合わせ先</h2>{OFFICE}</nav>",
        f"<div class=sidebar><h2>お問い合わせ</h2>{OFFICE}</div>",
        f"<div class=sr-only><h2>このページに関するお問い合わせ先</h2>{OFFICE}</div>",
        f"<aside><div class=modal><h2>このページに関するお問い合わせ先</h2>{OFFICE}</div></aside>",
        f"<div style='display: none'><h2>このページに関するお問い合わせ先</h2>{OFFICE}</div>",
    ],
)
def test_whom_to_ask_about_a_site_is_not_read(frame):
    text = _read(f"<div id=main><h1>転入届</h1><div id=text>{PROSE}</div></div>{frame}")
    assert "0123-45-6789" not in text


def test_whom_to_ask_is_read_once():
    contact = f"<div class=contact><h2>お問い合わせ</h2>{OFFICE}</div>"
    text = _read(f"<div id=main><div id=text>{PROSE}{OFFICE}</div>{contact}</div>")
    assert text.count("0123-45-6789") == 1


@pytest.mark.parametrize("name", ["visuallyhidden", "modal", "js-popup", "tooltip"])
def test_what_people_do_not_see_stays_out_of_whom_to_ask(name):
    """Text that is only read aloud, and windows that are not open."""
    unseen = f"<div class={name}>見えない文です</div>"
    contact = f"<aside><h2>このページに関するお問い合わせ先</h2>{OFFICE}{unseen}</aside>"
    text = _read(f"<div id=main><h1>転入届</h1><div id=text>{PROSE}</div>{contact}</div>")
    assert ["0123-45-6789" in text, "見えない" in text] == [True, False]
