"""What the rules of the reading mode `article` keep: facts, data and titles in unlikely places."""

import pytest

from fetcher.web.reading.readers import article_markdown

PROSE = [
    f"Sentence number {number} of a story that somebody wrote about the river, the mill and the long summer."
    for number in range(20)
]
STORY = "".join(f"<p>{text}</p>" for text in PROSE)
LINES = "".join(f"<div>Line {number} about the mill and the river</div>" for number in range(30))


def _read(body: str, head: str = "", url: str = "https://example.com/a") -> str:
    return article_markdown(f"<title>t</title>{head}<body>{body}</body>".encode(), url)


def test_a_table_above_the_title_stays_whole():
    """A table with a fact is read with all its cells."""
    table = "<table><tr><th>Day<td>2026-05-03<tr><th>Where<td>Old mill</table>"
    text = _read(f"<main>{table}<h1>Title</h1>{LINES}</main>")
    assert "Old mill" in text
    assert "Where" in text


def test_a_price_deep_in_a_form_is_read():
    """What a form offers is content, also where its blocks are too long for one fact."""
    rows = "".join(f"<div>Ticket number {n} for children and adults</div>" for n in range(12))
    form = f"<form><div>{rows}<div><i>Ticket $12</i></div></div><div>Name <input name=n></div></form>"
    assert "Ticket $12" in _read(f"<main>{LINES * 3}{form}</main>")


def test_text_beside_a_table_of_prose_is_read():
    """A page is not narrowed to the table that holds its prose."""
    rows = "".join(f"<tr><td>Term {n}<td>{text}" for n, text in enumerate(PROSE[:6]))
    table = f"<table><tr><th>Term<th>Meaning{rows}</table>"
    assert "Terms of the mill" in _read(f"<div><div>Terms of the mill</div>{table}</div>")


def test_a_table_of_links_below_a_story_is_read():
    """Data outside the body of a story is no list of other stories."""
    rows = "".join(f'<tr><td><a href="/m{n}">Mill at the river, number {n}</a><td>{n}' for n in range(1, 5))
    table = f"<table><tr><th>Mill<th>Wheels{rows}</table>"
    text = _read(f"<main><div><h1>Title</h1>{STORY}</div>{table}{LINES * 3}</main>")
    assert "number 4" in text.split("| Mill |")[1]


def test_a_teaser_that_states_terms_is_read():
    """On which terms a place is open is a fact, also in a box that leads elsewhere."""
    terms = "Open by appointment for groups of readers"
    box = f'<div class=teaser><h3><a href="/x">The mill museum</a></h3>{terms}</div>'
    assert terms in _read(f"<main><h1>Title</h1>{STORY}{box}{STORY}</main>")


@pytest.mark.parametrize("title", ["Quote", "Top"])
def test_the_title_of_a_thread_is_read_whatever_it_says(title):
    """A title is no control."""
    text = _read(f"<h1>{title}</h1>{STORY}", url="https://forum.example.com/threads/1")
    assert title in text.split("Sentence")[0]


def test_a_title_that_is_a_link_without_a_target_is_read():
    """Controls do something on the page itself; a title in one stays."""
    text = _read(f'<main><div><h1><a href="#">The mill</a></h1></div>{LINES}</main>')
    assert "The mill" in text.split("Line")[0]


def test_paragraphs_with_a_name_of_furniture_are_read_where_they_are_much_of_the_text():
    """Each is small, but together they are what the page tells."""
    promos = "".join(f"<p class=promo>{text}</p>" for text in PROSE[:9])
    text = _read(f"<main><h1>Title</h1>{''.join(f'<p>{text}</p>' for text in PROSE[9:])}{promos}</main>")
    assert [part for part in PROSE if part not in text] == []


def test_a_section_of_equal_texts_is_read():
    """A section is a copy only of what stands before it, not of what it holds itself."""
    step = (
        "Put the wheel into the river, wait until it turns, and take the flour from the box below the stone."
    )
    same = f"<div><h3>Step</h3><p>{step}</p></div>"
    text = _read(f"<main><h1>Title</h1>{LINES}<section class=steps>{same * 8}</section></main>")
    assert step in text


PRODUCT = '<script type="application/ld+json">{"@type": "Product", "offers": {"@type": "Offer"}}</script>'


def test_radio_buttons_before_blocks_are_not_tabs_without_a_sign():
    """Blocks that no style sheet and no name connects with choices keep their places."""
    choices = "".join(
        f"<input type=radio name=c id=c{n}><label for=c{n}>Choice {n} of the mill</label>" for n in (1, 2)
    )
    blocks = f"<div>First block. {PROSE[0]}</div><div>Second block. {PROSE[1]}</div>"
    text = _read(f"<main><h1>Title</h1>{LINES}<div>{choices}</div>{blocks}</main>")
    assert "Choice 2" not in text
    assert text.index("First block") < text.index("Second block")


def test_a_panel_inside_another_label_moves_nothing():
    """Labels of labels are a trap: the page is read all the same."""
    one = "<button aria-controls=p2>One</button><i>between</i>"
    labels = f"{one}<button aria-controls=p1>Two <span id=p2>x</span></button>"
    text = _read(f"<main><h1>Title</h1>{LINES}{labels}<p>more</p><div id=p1>{PROSE[0]}</div></main>")
    assert PROSE[0] in text


def test_a_long_japanese_line_with_a_day_is_text():
    """Japanese says more with fewer characters: such a line is more than a dateline."""
    line = (
        "2026年5月3日 水車小屋がなおったのは村の人びとがもどってきた二度目の夏のことで、"
        "橋も道も森の小屋もそのころにはもうなおっていた"
    )
    text = _read(f"<article><h1>Title</h1><p>{line}</p>{STORY}</article>")
    assert line in text


def test_cells_stay_in_a_table_with_one_long_cell():
    """One paragraph in a table does not make it the frame of the page."""
    rows = "<tr><td>Colour<td><div class=related>red</div><tr><td>Wheel<td>oak"
    table = f"<table>{rows}<tr><td>Notes<td>{PROSE[0]} {PROSE[1]} {PROSE[2]}</table>"
    text = _read(f"<main><h1>Title</h1>{table}</main>")
    assert "red" in text


FORMS = (
    '<ul><li><a href="/f/apply.pdf">Application form of the mill</a><li><a href="/f/map.pdf">Map</a></ul>'
    '<a href="/help">How to fill it in</a>'
)


@pytest.mark.parametrize("declared", ["", '<meta property="og:type" content="article">'])
@pytest.mark.parametrize("name", ["btn", "linklist", "related", "menu", "cta", "foot", "notice"])
def test_links_to_documents_are_read_whatever_their_box_is_called(name, declared):
    """Forms and leaflets are what people look a page up for."""
    box = f'<div class="{name}">{FORMS}</div>'
    text = _read(f"<main><h1>Title</h1>{STORY}{box}</main>", head=declared)
    assert "Application form" in text


@pytest.mark.parametrize("name", ["newsletter", "login", "visuallyhidden"])
def test_links_to_documents_that_belong_to_furniture_are_left_out(name):
    box = f'<div class="{name}">{FORMS}</div>'
    assert "Application form" not in _read(f"<main><h1>Title</h1>{STORY}{box}</main>")


@pytest.mark.parametrize(
    "below",
    [
        "<table><tr><th>区分<th>料金<tr><td>一般<td>1,200円<tr><td>高校生<td>600円</table>",
        "<ul><li>一般 1,200円<li>高校生 600円</ul>",
    ],
)
@pytest.mark.parametrize("title", ["関連情報", "新着情報", "関連コンテンツ"])
def test_a_heading_over_other_pages_cuts_nothing_but_links(title, below):
    """In a story too: what stands under it without links is about the page itself."""
    box = f"<div class=box><h2>{title}</h2>{below}</div>"
    text = _read(f"<main><h1>Title</h1>{STORY}{box}</main>", '<meta property="og:type" content="article">')
    assert "1,200円" in text


@pytest.mark.parametrize(
    ("name", "kept"), [("msg message", True), ("starlight-aside--caution", True), ("x", False)]
)
def test_an_aside_that_is_called_a_note_is_read(name, kept):
    """Documentation and blogs put warnings into asides: they belong to the text."""
    note = f'<aside class="{name}"><p>This breaks older wheels.</p></aside>'
    text = _read(f"<article><h1>Title</h1>{STORY}{note}{STORY}</article>")
    assert ("This breaks older wheels." in text) is kept


def test_a_list_of_places_with_their_telephones_is_read_beside_a_story():
    """Cards with links are other stories, but not if they tell whom to call."""
    places = "".join(f'<li><a href="/p{n}">Mill {n}</a> (TEL: 0123-45-670{n})' for n in range(5))
    more = "".join(f"<section><p>{text} More.</p></section>" for text in PROSE[:5])
    text = _read(f"<main><div><h1>Title</h1>{STORY}</div>{more}<ul>{places}</ul></main>")
    assert "0123-45-6704" in text


def test_a_table_beside_the_text_is_read_with_its_heading_and_its_notes():
    """What stands around a table in a small block is about what the table tells."""
    table = "<table><tr><th>Day<td>2026-05-03<tr><th>Where<td>Old mill at the long river</table>"
    block = f"<div><h2>First walk</h2>{table}<h3>Notes</h3><p>Bring shoes</p></div>"
    text = _read(f"<div><div>{STORY}</div>{block}</div>")
    assert ["First walk" in text, "Old mill" in text, "Bring shoes" in text] == [True] * 3


def test_a_fact_between_the_title_and_the_text_is_read_where_links_follow():
    """A page is not narrowed to its longest text if the time of what it tells stands above that."""
    notice = (
        "The line is closed between the mill and the river, and buses run instead until it opens again, soon."
    )
    links = '<ul><li><a href="/a">Proof of delay for your office</a></ul>'
    text = _read(f"<div><h1>Trains</h1><p>As of 8:15 am</p><div><p>{notice}</p></div>{links}</div>")
    assert "8:15" in text


def test_a_table_between_the_lead_and_the_text_is_read():
    """What is read above the block with the prose leaves out nothing that would be read without it."""
    lead = f"<div><p>In short, {PROSE[0]}</p></div>"
    table = "<div><table><tr><th>Level of water<td>12.5 m<tr><th>Rain in summer<td>345 mm</table></div>"
    text = _read(f"<div><h1>Title</h1>{lead}{table}<div>{STORY}</div></div>")
    assert ["In short" in text, "345 mm" in text, PROSE[19] in text] == [True] * 3
