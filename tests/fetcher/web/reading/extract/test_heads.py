"""The title of a story and the lines with its day are told apart from its text."""

import time

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.readers import read
from fetcher.web.values import Document, ReadingContext

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(8)
)


def _document(above: str, story: str = STORY, *, title: str = "The old mill | News", kind: str = "article"):
    html = (
        f'<title>{title}</title><meta property="og:type" content="{kind}">'
        f"<body><main>{above}{story}</main></body>"
    )
    context = ReadingContext(url="https://example.com/a", mode=ReadingMode.ARTICLE, content_type="text/html")
    return read(html.encode(), context).document


def _whole(document: Document) -> str:
    return f"{document.head}\n{document.beside}\n{document.markdown}"


@pytest.mark.parametrize(
    "line",
    [
        "2019年04月28日 08時00分",
        "山田太郎 2019/04/28 11:51",
        "By Jane Doe, May 3, 2026",
        "VON MAX MUSTER am 21. April 2020",
        "公開日 2019年2月13日 投稿者 山田",
        "2026-05-03 | Wellness",
        "Dec 23, 2025 ● 6 min read",
        "2019年2月27日 読了時間 3 分 作者： 山田",
    ],
)
def test_the_title_and_the_day_of_a_story_are_its_head(line):
    """They are no part of the text, and are told once."""
    document = _document(f"<header><h1>The old mill</h1><div><p>{line}</p></div></header>")
    assert document.head == f"# The old mill\n\n{line}"
    assert document.markdown.startswith("Sentence number 0")
    assert "old mill" not in document.beside
    assert "20" not in document.beside


def test_a_title_above_the_block_with_the_text_is_in_the_head_too():
    above = "<div class=top><h1>The old mill</h1><div><time>May 3, 2026</time></div></div>"
    document = _document(above, f"<div>{STORY}</div>")
    assert document.head == "# The old mill\n\nMay 3, 2026"
    assert document.beside == ""


@pytest.mark.parametrize(
    "line", ["開催日 2026年5月3日", "2026年5月3日〜5月5日", "申込締切：2026/05/03", "2026年5月3日まで"]
)
def test_the_day_of_an_event_stays_in_the_text(line):
    """Also where the text is a block of its own below it."""
    document = _document(f"<h1>The old mill</h1><p>{line}</p>")
    assert document.head == "# The old mill"
    assert document.markdown.startswith(line)
    below = _document(f"<h1>The old mill</h1><p>{line}</p>", f"<div>{STORY}</div>")
    assert below.head == "# The old mill"
    assert below.markdown.startswith(line)


@pytest.mark.parametrize(
    "line",
    [
        "試験日：2025年2月3日 9:30集合",
        "2024年3月31日、配当金 1株当たり25円",
        "<ul><li>2024年5月3日 遠足<li>2024年5月9日 健診</ul>",
        "<h2>2024年5月1日 バージョン2.1</h2>",
    ],
)
def test_a_line_that_tells_more_than_its_day_stays_in_the_text(line):
    """A fact, an entry of a list, the heading of a section."""
    document = _document(f"<h1>The old mill</h1><div>{line}</div>")
    assert document.head == "# The old mill"
    assert not document.markdown.startswith("Sentence")


def test_the_head_is_written_as_the_text_is():
    """A struck day is not told as the day."""
    document = _document("<h1>The <em>old</em> mill</h1><p><del>May 3, 2026</del> May 4, 2026</p>")
    assert document.head == "# The *old* mill\n\n~~May 3, 2026~~ May 4, 2026"


def test_a_title_that_is_a_text_stays_in_the_text():
    """Also if it is a link, which is no prose."""
    long = "The old mill " * 30
    for title in (long, f"<a href=/>{long}</a>"):
        document = _document(f"<h1>{title}</h1><p>May 3, 2026</p>")
        assert document.head == "May 3, 2026"
        assert "The old mill The old mill" in document.markdown


def test_the_day_below_a_lead_is_in_the_head():
    """The lead is a part of the text."""
    lead = "In short: the mill by the river, which had been closed for seven years, has been opened again."
    above = f"<h1>The old mill</h1><p>{lead}</p><div class=tools><time>May 3, 2026</time></div>"
    document = _document(above, f"<div>{STORY}</div>")
    assert document.head == "# The old mill\n\nMay 3, 2026"
    assert document.markdown.startswith(lead)


def test_a_long_title_is_in_the_head():
    """Also if it is as long as a paragraph, or if a picture stands above it whose text is one."""
    long = "The old mill by the river, of which somebody wrote that it had stood there for six hundred years"
    assert len(long) > 80
    picture = "<p>The old mill by the river in the light of an evening in the long summer of that year.</p>"
    for above in ("", picture):
        document = _document(f"{above}<h1>{long}</h1><p>May 3, 2026</p>", title=f"{long} | News")
        assert document.head == f"# {long}\n\nMay 3, 2026"


def test_a_title_that_is_written_twice_is_no_part_of_the_text():
    """The heading of a section, which says less, is."""
    document = _document(
        "<h1>The old mill</h1><h2>Our village: The old mill</h2>", title="The old mill | Village"
    )
    assert document.head == "# The old mill\n\n## Our village: The old mill"
    assert document.markdown.startswith("Sentence number 0")
    assert _document("<h1>The old mill by the river</h1><h2>Mill</h2>").markdown.startswith("## Mill")


LEAD = "<p>Somebody has written a story about the river and the mill, and about a summer that was long.</p>"


@pytest.mark.parametrize(
    "line",
    [
        "<p>19.10.2025</p>",
        "<p>3. Mai 2026, 15:59 Uhr</p>",
        "<div class=article-byline>By Jane Doe, May 3, 2026</div>",
        "<div><time>May 3, 2026</time> The Valley</div>",
        "<p>Updated: May 3, 2026</p><p>The Valley</p>",
    ],
)
def test_the_day_between_the_lead_and_the_text_is_in_the_head(line):
    document = _document(f"<h1>The old mill</h1>{LEAD}{line}")
    assert "20" in document.head
    assert "20" not in document.markdown
    assert document.markdown.startswith("Somebody has written")


def test_the_day_below_the_text_is_in_the_head():
    """If it is alone: of several, each tells of something."""
    day = "<time>Published: May 3, 2026, 12:35</time>"
    document = _document("<h1>The old mill</h1>", f"{STORY}{day}")
    assert document.head == "# The old mill\n\nPublished: May 3, 2026, 12:35"
    assert "2026" not in document.markdown
    beside = _document("<h1>The old mill</h1>", f"{STORY}{day}<p>The end</p>")
    assert beside.head == document.head
    days = "<div>May 3, 2026</div><div>May 9, 2026</div>"
    assert "May 9, 2026" in _document("<h1>The old mill</h1>", f"{STORY}{days}").markdown


@pytest.mark.parametrize(
    "end",
    [
        "<h3>応募締切</h3><p>2026年5月31日</p>",
        "<p><b>次回開催</b></p><p>2026年6月7日</p>",
        "<p>2026年6月7日</p><p>市民ホール</p><p>入場無料</p>",
        f"<p>{'The mill and the river. ' * 6}It opens on this day:</p><p>2026-06-07 10:00</p>",
    ],
)
def test_a_day_below_the_text_that_belongs_to_other_lines_stays_with_them(end):
    document = _document("<h1>The old mill</h1>", f"{STORY}{end}")
    assert document.head == "# The old mill"
    assert "2026" in document.markdown


@pytest.mark.parametrize(
    "days",
    [
        "<h2>開催日</h2><p>2026年5月31日</p>{}",
        "<p><b>応募の締め切り</b></p><p>2026年5月31日</p>{}",
        "<p>2026年5月31日</p><p>川町公園</p>{}",
        "<p>2026年5月3日</p>{0}<p>2026年5月4日</p>{0}",
        "<div><time>2026-05-03 10:00</time>{0}</div><div><time>2026-05-03 10:15</time>{0}</div>",
    ],
)
def test_a_day_below_the_lead_that_belongs_to_what_follows_stays_with_it(days):
    """It has a heading, or each of several parts has one."""
    document = _document(f"<h1>The old mill</h1>{LEAD}", days.format(STORY))
    assert document.head == "# The old mill"
    assert "2026" in document.markdown.partition("Sentence number 0")[0]


@pytest.mark.parametrize(
    "line", ["Von Jane Doe, Redakteurin", "By Jane Doe and John van Doe", "von Jane Doe, VALLEY RADIO"]
)
def test_the_author_is_in_the_head(line):
    """Above the lead and below it."""
    for above in (f"<p>{line}</p>{LEAD}", f"{LEAD}<p>{line}</p>"):
        document = _document(f"<h1>The old mill</h1>{above}")
        assert document.head == f"# The old mill\n\n{line}"
        assert "Doe" not in document.markdown


@pytest.mark.parametrize("line", ["Von Berlin nach Rom", "By Appointment", "By Jane Doe: The mill is old"])
def test_a_line_that_tells_more_than_names_is_no_author(line):
    assert line in _document(f"<h1>The old mill</h1><p>{line}</p>{LEAD}").markdown


@pytest.mark.parametrize(
    "line",
    [
        "<p>May 3, 2026, in the town hall</p>",
        "<p class=date>開催日 2026年5月3日</p>",
        "<p class=date>May 3, 2026: 30 seats</p>",
    ],
)
def test_a_day_below_the_lead_that_may_be_an_event_s_stays_in_the_text(line):
    document = _document(f"<h1>The old mill</h1>{LEAD}{line}")
    assert document.head == "# The old mill"
    assert "2026" in document.markdown


def test_a_list_of_days_stays_in_the_text():
    days = "".join(f"<li>May {day}, 2026: tour {day}</li>" for day in range(1, 6))
    assert "May 4, 2026" in _document(f"<h1>The old mill</h1><ul>{days}</ul>").markdown


def test_a_heading_that_is_not_the_title_stays_in_the_text():
    """Unless a day stands below it."""
    document = _document("<h1>How we began</h1>")
    assert document.head == ""
    assert document.markdown.startswith("# How we began\n")
    assert _document("<h1>How we began</h1><p>May 3, 2026</p>").head == "# How we began\n\nMay 3, 2026"


def test_a_page_that_is_not_a_story_has_its_title_in_its_text():
    goods = "".join(f'<li><a href="/g{n}">Cup {n}, blue</a> ${n}.00</li>' for n in range(40))
    document = _document("<h1>The old mill</h1>", f"<ul>{goods}</ul>", kind="website")
    assert document.head == ""
    assert document.markdown.startswith("# The old mill\n")


@pytest.mark.parametrize(
    "hidden",
    [
        "<span hidden>Orders</span>",
        '<span style="display:none">Orders</span>',
        '<span style="font-size:0">Orders</span>',
        "<span style='position:absolute;left:-9999px'>Orders</span>",
        "<title>Orders</title>",
        "<ruby><rp>Orders</rp></ruby>",
        "<object data=x>Orders</object>",
        "<math><annotation>Orders</annotation></math>",
    ],
)
def test_what_people_cannot_see_is_not_in_the_head(hidden):
    document = _document(f"<h1>The old mill{hidden}</h1><p>May 3, 2026 {hidden}</p>")
    assert document.head == "# The old mill\n\nMay 3, 2026"
    assert "Orders" not in _whole(document)


@pytest.mark.parametrize(
    "above",
    [
        "<div>" * 200 + "x" * 1_000_000 + "</div>" * 200,
        "<p>2026-05-03 x</p>" * 30_000,
        "<h1>x</h1>" * 30_000,
        f"<h1>{'The old mill ' * 50_000}</h1>",
        f"<h1>The old mill</h1>{'<h2>The old mill by the river</h2>' * 30_000}",
        f"<h2>{'x' * 90}</h2>" * 10_000,
        f"<h1>The old mill</h1>{'<h2><div>' * 180}{'x y ' * 1_000_000}{'</div></h2>' * 180}",
        f"<h1>The old mill</h1>{'<article>' * 2000}<h1>{'x y ' * 500_000}</h1>",
        f"{LEAD}{'<time>2026-05-03</time>' * 90}{STORY}{'<time>2026-05-03</time>' * 40_000}",
    ],
)
def test_a_hostile_head_is_read_in_time(above):
    start = time.process_time()
    _document(above)
    assert time.process_time() - start < 2.0


def test_what_stands_below_a_text_is_read_in_time():
    start = time.process_time()
    _document("<h1>The old mill</h1>", f"{STORY}{'<div>' * 400}{'<b></b>' * 70_000}")
    assert time.process_time() - start < 1.5


@pytest.mark.parametrize(
    ("line", "is_told"),
    [("更新日：2026年5月14日", True), ("Updated May 3, 2026", True), ("開催日 2026年5月3日", False)],
)
def test_the_day_of_a_change_above_the_title_is_in_the_head(line, is_told):
    """Pages of offices tell it there; the day of an event is not that of the page."""
    above = f"<div><p>{line}</p></div><div><div><h1>The old mill</h1></div></div>"
    document = _document(above, f"<div>{STORY}</div>")
    assert (line in document.head) is is_told
    assert _whole(document).count(line) == 1
