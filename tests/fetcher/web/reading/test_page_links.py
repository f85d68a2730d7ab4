"""The links of a whole page: menus, content and footer, and nothing that people cannot see."""

from fetcher.codes import ReadingMode
from fetcher.web.reading.readers import read
from fetcher.web.values import LinkPlace, ReadingContext

PAGE = """<title>店</title><body><header><a href="/">店</a></header>
<nav><a href="/price">料金</a><a href="/price">料金表</a><a href="javascript:x()">x</a>
<a href="#top">上へ</a></nav>
<main><h1>ようこそ</h1><p>私たちの店は
<a href="/news/春の新作">春の新作</a>を並べました。ぜひお越しください。</p></main>
<p style="display:none"><a href="https://evil.example/">隠し</a></p>
<footer><a href="/contact"><img alt="お問い合わせ" src="i.png"></a>
<a href="mailto:a@b.example">メール</a></footer>"""


def _document(html, mode=ReadingMode.ARTICLE):
    context = ReadingContext(url="https://shop.example/", mode=mode, content_type="text/html; charset=utf-8")
    return read(html.encode(), context).document


def test_links_have_their_label_and_their_place():
    found = [(link.place, link.label, link.url) for link in _document(PAGE).links]
    assert found == [
        (LinkPlace.NAVIGATION, "店", "https://shop.example/"),
        (LinkPlace.NAVIGATION, "料金", "https://shop.example/price"),
        (LinkPlace.FOOTER, "お問い合わせ", "https://shop.example/contact"),
        (LinkPlace.CONTENT, "春の新作", "https://shop.example/news/%E6%98%A5%E3%81%AE%E6%96%B0%E4%BD%9C"),
    ]


def test_a_page_of_menus_keeps_within_its_bounds():
    many = "".join(f'<a href="/{number}">項目{number}</a>' for number in range(5000))
    assert len(_document(f"<nav>{many}</nav><main><p>本文です。</p></main>").links) == 300


def test_the_fixed_rules_of_the_srd_know_no_links():
    assert _document(PAGE, ReadingMode.SRD).links == ()


def test_the_frames_of_a_page_are_links():
    """A page that consists of frames has no text of its own; nothing more is fetched for it."""
    frames = (
        '<frame src="menu.html" name="me[n]u"><frame src="/main.html" title="本文"><frame src="about:blank">'
    )
    document = _document(f"<title>古い店</title><frameset cols='20%,80%'>{frames}</frameset>")
    assert document.markdown == (
        "- [me\\[n\\]u](https://shop.example/menu.html)\n- [本文](https://shop.example/main.html)\n"
    )
    assert [link.label for link in document.links] == ["me[n]u", "本文"]


def test_frames_stay_out_of_the_fixed_rules():
    page = "<title>x</title><frameset><frame src=a.html></frameset>"
    assert "a.html" not in _document(page, ReadingMode.SRD).markdown
