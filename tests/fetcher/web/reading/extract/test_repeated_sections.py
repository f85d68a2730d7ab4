"""The reading mode `article` leaves out a section that stands twice, and nothing that only says the same."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(4)
)
KINDS = ("website", "article", "product")
STEP = (
    "Mix the flour and the butter with your fingers until it looks like sand, then add two spoons of water"
    " and knead it for a minute or two."
)
JAPANESE_STEP = (
    "粉とバターを指先で砂のようになるまですり混ぜ、冷水を大さじ2加えて1分ほどこねます。"
    "生地をまとめてラップで包み、冷蔵庫で30分休ませてください。"
)
ANSWER = (
    "Please write to the support team with your order number, and we will answer within two working days; on"
    " weekends it may take a little longer than that, and before holidays longer still."
)
HOURS = "<p>Open Monday to Friday from 9:00 to 18:00, Saturday from 10:00 to 16:00, closed on Sundays.</p>"
LAST_ORDERS = "<p>Last orders are taken half an hour before we close, in the garden an hour before.</p>"


def _read(block, kind):
    html = f'<meta property="og:type" content="{kind}"><body><main><h1>Title</h1>{STORY}{block}</main>'
    return render(extract(html, "https://example.com/a", mode=ReadingMode.ARTICLE)).replace("\\", "")


def _each(template, *names):
    return "".join(template.format(name=name) for name in names)


REPEATED = {
    "rows of a timetable": (
        "<div>"
        + '<div class="row"><div>Local train to Kyoto via Uji, all stations, every ten minutes from the early'
        " morning until late at night</div><div>Platform one</div></div>" * 6 + "</div>",
        "Local train",
        6,
    ),
    "trains at other hours": (
        _each("<div><b>{name}:00</b><p>Local train to Kyoto via Uji, all stations</p></div>", *range(6, 12)),
        "Local train",
        6,
    ),
    "shops with equal hours": (
        _each(f'<section class="shop"><h3>{{name}}</h3><div>{HOURS}{LAST_ORDERS}</div></section>', "A", "B"),
        "closed on Sundays",
        2,
    ),
    "shops with the same inner heading": (
        _each(
            f'<section id="{{name}}" class="shop-{{name}}"><h3>Shop {{name}}</h3><div><h4>Hours</h4>{HOURS}'
            f"{LAST_ORDERS}</div></section>",
            "A",
            "B",
        ),
        "closed on Sundays",
        2,
    ),
    "numbered steps": (_each(f"<div><i>Step {{name}}</i><p>{STEP}</p></div>", 1, 2, 3), "Mix the flour", 3),
    "steps without numbers": (f"<div class=step><p>{STEP}</p><p>{JAPANESE_STEP}</p></div>" * 3, "Mix", 3),
    "steps in a list": (
        f"<ol>{f'<li><div><div>{JAPANESE_STEP}</div></div></li>' * 3}</ol>",
        "冷蔵庫で30分",
        3,
    ),
    "parts of a recipe": (_each(f"<h3>{{name}}</h3><p>{STEP}</p><p>Bake it.</p>", "Base", "Top"), "Mix", 2),
    "plans": (
        _each(
            '<div class="plan"><h3>{name}</h3><div><div>Unlimited projects for all members of your team</div>'
            "<div>Support by e-mail within one day of your question, and on weekends by chat as well</div>"
            "<div>Backups every night, kept for a month in two places</div></div></div>",
            *("Basic", "Pro", "Max"),
        ),
        "Backups every night",
        3,
    ),
    "equal answers": (
        _each(
            f"<div class=faq><h3>{{name}}</h3><div><p>{ANSWER}</p><p>{STEP}</p></div></div>", "Why?", "How?"
        ),
        "two working days",
        2,
    ),
    "equal answers that open": (
        _each(
            f"<details><summary>{{name}}</summary><div><p>{ANSWER} {STEP}</p></div></details>", "Why?", "How?"
        ),
        "two working days",
        2,
    ),
    "jobs": (
        _each(
            '<div class="{name}"><h3>{name}</h3><div><p>Salary from 3,000 euros a month, thirty days of'
            " holiday, work from home on two days.</p><p>Please apply by letter.</p></div></div>",
            *("Cook", "Waiter", "Driver"),
        ),
        "Salary from",
        3,
    ),
    "events": (
        _each(
            "<div><p>{name} May</p><div><p>A walk through the old town with a local historian, about"
            " two hours.</p><p>Meet at the fountain in front of the town hall.</p></div></div>",
            *(3, 10, 17),
        ),
        "A walk through",
        3,
    ),
    "under other headings": (
        _each(f"<h2>{{name}}</h2><div><p>{STEP}</p><p>{ANSWER}</p></div>", "Lunch", "Dinner"),
        "Mix",
        2,
    ),
    "columns of a comparison": (
        '<div><div class="col"><div>Feature</div><div>Storage</div></div>'
        + '<div class="col"><div>The same long sentence about what is included in this plan and what is not'
        " at all.</div><div>Not included here, but it can be bought at any time.</div></div>" * 3 + "</div>",
        "The same long sentence",
        3,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", REPEATED)
def test_what_is_said_of_several_things_is_no_copy(name, kind):
    """Each has a label of its own, or they are blocks of one sort side by side."""
    html, part, count = REPEATED[name]
    assert _read(html, kind).count(part) == count


SECTION = f"<h2>About</h2><p>{STEP}</p><p>{ANSWER}</p>"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "block",
    [
        f'<div class="only-desktop">{SECTION}</div><div class="only-mobile">{SECTION}</div>',
        f'<section class="pc">{SECTION}</section><section class="sp">{SECTION}</section>',
        f'<div class="tabs"><div>{SECTION}</div></div><div class="list"><div>{SECTION}</div></div>',
        f"<div>{SECTION}</div><div>{SECTION}</div>",
        f'<div class="a"><p>{STEP}</p><p>{ANSWER}</p></div><div class="b"><p>{STEP}</p><p>{ANSWER}</p></div>',
    ],
)
def test_a_section_for_another_screen_is_read_once(block, kind):
    """It has another name, or its heading stands twice as well."""
    assert _read(block, kind).count("Mix the flour") == 1


def test_many_equal_sections_take_no_long_time():
    """Each looks at a bounded number of elements around it."""
    deep = "<div>" * 200 + f"<div><p>{STEP}</p><p>{ANSWER}</p></div>" * 3_000
    assert _read(deep, "website").count("Mix the flour") == 3_000


def test_an_answer_below_a_long_quotation_is_read_without_what_it_quotes():
    """Who quotes a whole post to say a word loses no word."""
    posts = (
        f"<article><div>{STORY}</div></article>"
        f"<article><div><blockquote><div>Ann said: {STORY}</div></blockquote>So was it.</div></article>"
    )
    html = f"<body><main><h1>Title</h1>{posts}</main></body>"
    text = render(extract(html, "https://forum.example.com/threads/1", mode=ReadingMode.ARTICLE))
    assert "So was it." in text
    assert text.count("Sentence number 2") == 1
