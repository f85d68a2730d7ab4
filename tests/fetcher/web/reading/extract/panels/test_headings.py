"""The reading mode `article` puts the label of a panel, such as a question, over what a click on it shows."""

from pathlib import Path

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render

INTRO = "<p>Here are the questions that people ask us most about the river, the mill and the summer.</p>"
ENOUGH = "This is enough text that the page does not count as one without any content of its own."


def _read(block, head=""):
    html = f"<head>{head}</head><body><main><h1>Help</h1>{INTRO}{block}<p>{ENOUGH}</p></main>"
    return render(extract(html, "https://example.com/help", mode=ReadingMode.ARTICLE))


PATTERNS = {path.stem: path.read_text("utf-8") for path in Path(__file__).with_name("pages").glob("*.html")}
"""The same two questions as the documentation of widely used frameworks and sites have them."""


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_label_stands_over_its_panel(pattern):
    """In accordions and in tabs, where all labels stand before all panels."""
    words = " ".join(_read(PATTERNS[pattern]).split())
    found = [words.find(part) for part in ("the warranty?", "Three years.", "Where is it made?", "In Osaka.")]
    assert -1 < found[0] < found[1] < found[2] < found[3], words
    assert words.count("Where is it made?") == 1


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_label_is_a_heading_a_term_or_a_bold_line(pattern):
    """So that it is no part of the line before or behind it."""
    lines = [line.strip() for line in _read(PATTERNS[pattern]).splitlines()]
    line = next(line for line in lines if "made?" in line)
    assert line.lstrip("-# ").strip("*") == "Where is it made?"
    assert pattern == "buttons_in_terms" or line.lstrip("- ")[0] in "#*"


@pytest.mark.parametrize(
    "block",
    [
        '<dl class="faq"><dt>Q. 保証期間は？</dt><dd>A. 三年です。</dd></dl>',
        '<div class="q">Q. 保証期間は？</div><div class="a">A. 三年です。</div>',
        '<p class="question">Q. 保証期間は？</p><p class="answer">A. 三年です。</p>',
        '<div class="q"><p>保証期間は？</p></div><div class="faq-a" style="display:none">三年です。</div>',
        '<dl><dt class="js-open" role="button">保証期間は？</dt><dd>三年です。</dd></dl>',
        '<ul><li><p role="button" aria-expanded="false">保証期間は？</p><div>三年です。</div></li></ul>',
        '<h3 class="acc-btn" role="button">保証期間は？</h3><div class="acc-body">三年です。</div>',
        '<div class="toggle"><button><i>Q</i><b>保証期間は？</b></button><div>三年です。</div></div>',
    ],
)
def test_japanese_questions_are_read(block):
    """As shops and town halls write them."""
    text = _read(block)
    assert 0 < text.find("保証期間は？") < text.find("三年です。")


@pytest.mark.parametrize(
    "block",
    [
        '<button aria-controls="x">もっと見る</button><div id="x" class="more">三年です。</div>',
        '<button class="accordion-close">閉じる</button><div class="panel">三年です。</div>',
        '<div class="accordion"><div>三年です。</div><button>送信</button><p>Other text.</p></div>',
        '<button class="toggle">Show more</button><div class="more">三年です。</div>',
        "<button>Copy</button><div>三年です。</div>",
        '<button class="collapse-btn" aria-expanded="false">メニュー</button><p>三年です。</p>',
        '<button aria-haspopup="true" aria-controls="m">Share this</button><div id="m">三年です。</div>',
        '<button aria-controls="s">前へ</button><button aria-controls="s">次へ</button><p id="s">三年です。',
        '<button aria-label="Search" aria-expanded="false">検索</button><p class="panel">三年です。</p>',
    ],
)
def test_a_plain_control_is_left_out(block):
    """What it shows is read."""
    text = _read(block)
    assert "三年です。" in text
    for word in ("見る", "閉じる", "送信", "Show more", "Copy", "メニュー", "Share", "前へ", "次へ", "検索"):
        assert word not in text


def test_a_list_of_contents_is_no_list_of_tabs():
    """Its links stay where they are."""
    block = (
        '<ul class="contents"><li><a href="#a">Prices</a></li><li><a href="#b">Hours</a></li></ul>'
        '<h2 id="a">Prices</h2><p>Ten euros each.</p>'
        '<section id="b"><h2>Hours</h2><p>From nine to five.</p></section>'
    )
    text = _read(block)
    assert text.count("Prices") == text.count("Hours") == 2
    assert text.index("Hours") < text.index("Ten euros")


def test_a_label_of_a_menu_stays_out():
    """A button over links opens a menu."""
    links = "".join(f'<li><a href="/{number}">Department {number}</a></li>' for number in range(5))
    text = _read(
        f'<button aria-expanded="false" aria-controls="m">Departments</button><ul id="m">{links}</ul>'
    )
    assert "Departments" not in text


@pytest.mark.parametrize("rule", [".x", "button.x", "main .tabs .x", ".labels"])
@pytest.mark.parametrize("style", ["opacity:0", "font-size:0", "position:absolute;left:-9999px"])
def test_a_hidden_label_stays_hidden(rule, style):
    """A label is judged where it stands and as what it is, before it becomes a heading elsewhere."""
    tabs = (
        PATTERNS["aria_tabs"]
        .replace('type="button"', 'type="button" class="x"')
        .replace("<div role", '<div class="labels" role')
    )
    text = _read(tabs, f"<style>{rule} {{{style}}}</style>")
    assert "Three years." in text
    assert "warranty" not in text


def test_the_label_of_a_panel_that_is_left_out_goes_with_it():
    """Else it would stand over nothing, or over another panel."""
    tabs = PATTERNS["aria_tabs"].replace("<p>In Osaka.</p>", "").replace('class="is-hidden"', "")
    assert "Where is it made?" not in _read(tabs)


def test_many_labels_take_no_long_time():
    """Each label looks at a few elements only; one panel can have many labels."""
    count = 20_000
    one = '<button aria-controls="p" class="accordion">What?</button>' * count
    text = _read(f'{one}<div id="p">Panel</div>')
    assert text.count("What?") <= 1
    nested = "<div class='accordion'>" * 500 + "<button>Why?</button>" * count + "<div>Because.</div>"
    assert "Because." in _read(nested)


SWITCHES = {
    "data-panel": "<button data-tab=w>平日</button><button data-tab=h>休日</button>"
    "<div data-panel=w>9時から</div><div data-panel=h style='display:none'>10時から</div>",
    "data-content": "<ul><li data-tab=w>平日</li><li data-tab=h>休日</li></ul>"
    "<section data-content=w>9時から</section><section data-content=h hidden>10時から</section>",
    "data-tab-content": "<a data-tab-target=w>平日</a><a data-tab-target=h>休日</a>"
    "<div data-tab-content=w>9時から</div><div data-tab-content=h>10時から</div>",
    "same attribute": "<span class=t data-tab=1>平日</span><span class=t data-tab=2>休日</span>"
    "<div data-tab=1>9時から</div><div data-tab=2>10時から</div>",
    "ids": "<button data-tab=w>平日</button><button data-tab=h>休日</button>"
    "<div id=tab-w>9時から</div><div id=tab-h hidden>10時から</div>",
    "ids with another word": "<button data-tab=tab1>平日</button><button data-tab=tab2>休日</button>"
    "<div id=content1>9時から</div><div id=content2>10時から</div>",
    "ids with a word behind": "<div data-target='#w'>平日</div><div data-target='#h'>休日</div>"
    "<div id=w-panel>9時から</div><div id=h-panel hidden>10時から</div>",
    "panels first": "<div data-panel=w>9時から</div><div data-panel=h>10時から</div>"
    "<button data-tab=w>平日</button><button data-tab=h>休日</button>",
    "accordion": "<button data-accordion=a>平日</button><div data-accordion=a>9時から</div>"
    "<button data-accordion=b>休日</button><div data-accordion=b hidden>10時から</div>",
    "check box": "<input type=checkbox id=f1><label for=f1>平日</label><div class=answer>9時から</div>"
    "<input type=checkbox id=f2><label for=f2>休日</label><div class=answer>10時から</div>",
    "check box in a line": "<p><input type=checkbox id=f1><label for=f1>平日</label></p>"
    "<p class=panel>9時から</p>"
    "<p><input type=checkbox id=f2><label for=f2>休日</label></p><p class=panel>10時から</p>",
    "radio": "<input type=radio name=t id=a checked><label for=a>平日</label>"
    "<input type=radio name=t id=b><label for=b>休日</label>"
    "<div class=panel>9時から</div><div class=panel>10時から</div>",
    "radio in a bar": "<input type=radio name=t id=a><input type=radio name=t id=b>"
    "<div class=tabs><label for=a>平日</label><label for=b>休日</label></div>"
    "<div class=box><div class=x>9時から</div><div class=y>10時から</div></div>",
    "radio by style": "<style>#a:checked ~ .x {display:block}</style>"
    "<input type=radio name=t id=a><label for=a>平日</label>"
    "<input type=radio name=t id=b><label for=b>休日</label>"
    "<div class=x>9時から</div><div class=y>10時から</div>",
    "framework": "<div x-data><button @click='a=!a'>平日</button>"
    "<div x-show=a style='display:none'>9時から</div>"
    "<button @click='b=!b'>休日</button><div x-show=b style='display:none'>10時から</div></div>",
    "two groups": "<button data-tab=1>平日</button><div data-panel=1>9時から</div>"
    "<button data-tab=2>休日</button><div data-panel=2>10時から</div>"
    "<button data-tab=1>秋</button><div data-panel=1>11時から</div>",
}


@pytest.mark.parametrize("name", SWITCHES)
def test_a_control_that_shows_a_panel_by_a_value_or_by_its_place_is_its_heading(name):
    """Without its label, nobody knows when nine o'clock is meant."""
    lines = [line.lstrip("-# ").strip("*") for line in _read(SWITCHES[name]).splitlines() if line]
    assert "|".join(lines).find("平日|9時から|休日|10時から") > 0, lines


@pytest.mark.parametrize(
    "form",
    [
        "<input type=radio name=s id=a><label for=a>S</label><p>Choose one.</p>",
        "<button data-filter=red>Red</button><p data-colour=red>A red house.</p>",
        "<input type=checkbox id=n><label for=n>Send me news</label><p>We write once a month.</p>",
        "<button data-target='#none'>Alpha</button><p>Some text.</p>",
        "<button data-content='Some help'>Alpha</button><p>Some text.</p>",
    ],
)
def test_other_choices_are_no_headings(form):
    lines = _read(form).splitlines()
    assert not any(line.startswith(("##", "**")) for line in lines)
