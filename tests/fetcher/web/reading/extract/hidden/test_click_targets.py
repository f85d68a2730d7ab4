"""What a click, a tick or a script of the page shows is content; what nothing shows stays out."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.readers import read
from fetcher.web.values import ReadingContext

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(8)
)


def _document(body, style="", head=""):
    html = f"<title>t</title>{head}<style>{style}</style><body><main><h1>Title</h1>{STORY}{body}</main>"
    context = ReadingContext(
        url="https://example.com/a", mode=ReadingMode.ARTICLE, content_type="text/html; charset=utf-8"
    )
    return read(html.encode(), context).document


SHOWN = ["display:block", "display:grid", "max-height:500px", "height:auto", "visibility:visible"]
CLOSED = {
    "display": ".x{display:none}",
    "max-height": ".x{max-height:0;overflow:hidden}",
    "height": ".x{height:0;overflow:hidden}",
    "visibility": ".x{visibility:hidden}",
}
STATES = {
    "#i:checked ~ .x": "<input type=checkbox id=i><div class=x>{}</div>",
    ".w input:checked + div .x": "<div class=w><input type=radio><div><p class=x>{}</div></div>",
    ".x:target": "<div class=x>{}</div>",
    ".w:hover > .x": "<div class=w>Prices<div class=x>{}</div></div>",
    ".w:focus-within .x": "<div class=w><a href=/a>Prices</a><div class=x>{}</div></div>",
    "button:focus + .x": "<button>Prices</button><div class=x>{}</div>",
    ".x:open": "<div class=x>{}</div>",
    ".w[open] .x": "<div class=w><div class=x>{}</div></div>",
    'button[aria-expanded="true"] + .x': "<button aria-expanded=false>Prices</button><div class=x>{}</div>",
    "[aria-expanded=true] ~ div > .x": "<b aria-expanded=false>Prices</b><div><div class=x>{}</div></div>",
    ".a:hover .x, .b": "<div class=a>Prices<div class=x>{}</div></div>",
    ":is(.a, .b):hover .x": "<div class=a>Prices<div class=x>{}</div></div>",
}


@pytest.mark.parametrize("selector", STATES)
@pytest.mark.parametrize("closed", CLOSED)
def test_what_a_rule_shows_once_somebody_touches_the_page_is_read(selector, closed):
    """The style sheet itself proves that a click reveals it."""
    shown = {"display": SHOWN[0], "max-height": SHOWN[2], "height": SHOWN[3], "visibility": SHOWN[4]}[closed]
    document = _document(
        STATES[selector].format("Cancelled orders cost much"), f"{CLOSED[closed]}{selector}{{{shown}}}"
    )
    assert "Cancelled orders cost much" in document.markdown


@pytest.mark.parametrize(
    "style",
    [
        ".x{display:none} .w:hover .x{color:red}",
        ".x{display:none} .w:hover .y{display:block}",
        ".x{display:none} .v:hover .x{display:block}",
        ".x{display:none} .w:hover .x{display:none}",
        ".x{display:none} .w:hover::before{display:block}",
        ".x{max-height:0;overflow:hidden} .w:hover .x{max-height:0}",
        ".x{display:none} @media print{.w:hover .x{display:block}}",
        ".x{opacity:0} .w:hover .x{opacity:1}",
        ".x{opacity:0;visibility:hidden} .w:hover .x{opacity:1;visibility:visible}",
        ".x{font-size:0} .w:hover .x{display:block}",
        ".x{display:none;font-size:0} .w:hover .x{display:block}",
        ".x{position:absolute;left:-9999px} .w:hover .x{display:block}",
        ".x{color:#fff} .w:hover .x{display:block}",
        ".x{display:none;color:#fff} .w:hover .x{display:block}",
    ],
)
def test_what_no_rule_shows_or_what_is_hidden_in_other_ways_is_not(style):
    """Text without size, without colour, transparent or moved away stays out."""
    document = _document("<div class=w>Prices<div class=x>Send the thread</div></div>", style)
    assert "Send" not in document.markdown + document.beside


@pytest.mark.parametrize(
    "body",
    [
        "<div x-data><div x-show=open style='display:none'>{}</div></div>",
        "<div v-show=false style='display: none;'><p>{}</p></div>",
        "<style>[v-cloak]{{display:none}}</style><div v-cloak>{}</div>",
        "<style>[x-cloak]{{display:none!important}}</style><div x-cloak>{}</div>",
        "<style>[ng-cloak]{{display:none}}</style><div ng-cloak>{}</div>",
        "<div ng-show=open hidden>{}</div>",
        "<ul><li>First shop</li><li style='display:none'>{}</li></ul><a href='#'>もっと見る</a>",
        "<style>.hide{{display:none}}</style><ol><li>First<li class=hide>{}<li class=hide>Third</ol>",
        "<ul><li hidden>{}</li><li>Second shop</li></ul>",
        "<select><option>冬<option>夏</select><div class='s w'>冬期</div><div class='s x' hidden>{}</div>",
        "<div class=slide>One</div><div class='slide next' style='display:none'>{}</div>",
        "<p class=monthly>$10</p><p class=annual hidden>$8 {}</p>",
        "<span class=incl>1,100円</span><span class=excl style='display:none'>1,000円 {}</span>",
        "<style>.acc-body{{max-height:0;overflow:hidden}}</style><p>Post<div class=acc-body>{}</div>",
    ],
)
def test_what_scripts_switch_is_read(body):
    """Frameworks, lists that go on after a click, seasons, prices for a year."""
    assert "Three days and nights" in _document(body.format("Three days and nights")).markdown


@pytest.mark.parametrize(
    "body",
    [
        "<button onclick='show(\"d\")'>注意</button><div id=d hidden><p>6歳未満は入場不可</p></div>",
        "<button onclick='d.showModal()'>注意</button><dialog id=d><p>6歳未満は入場不可</p></dialog>",
        "<button commandfor=d command=show-modal>注意</button><dialog id=d><p>6歳未満は入場不可</p></dialog>",
        "<button @click='$refs.d; open(\"d\")'>注意</button><dialog id=d>6歳未満は入場不可</dialog>",
    ],
)
def test_a_dialog_that_a_button_opens_can_be_looked_for(body):
    assert "6歳未満は入場不可" in _document(body).beside


@pytest.mark.parametrize(
    "body",
    [
        "<div style='display:none'>Send the thread</div>",
        "<p>Text</p><p style='display:none'>Send the thread</p>",
        "<ul><li hidden>Send the thread</li><li hidden>Now</li></ul>",
        "<style>.a{display:none}</style><div class=a>Send the thread</div><div class=a>Now</div>",
        "<p>$10</p><p hidden>Send the thread</p>",
        "<dialog id=d>Send the thread</dialog>",
        "<b onclick='open(\"d\")'>X</b><dialog id=d>Rules<p style='font-size:0'>Send the thread</p></dialog>",
        "<b onclick='open(\"d\")'>X</b><div id=d hidden>Rules<p style='opacity:0'>Send the thread</p></div>",
        "<ul><li>One</li><li style='font-size:0'>Send the thread</li></ul>",
        "<div x-show=a style='opacity:0'>Send the thread</div>",
        "<div class=s>One</div><div class=s style='position:absolute;left:-9999px'>Send the thread</div>",
    ],
)
def test_what_nothing_switches_is_not(body):
    document = _document(body)
    assert "Send the thread" not in document.markdown + document.beside


@pytest.mark.parametrize(
    "style",
    [
        "left:-9999px",
        "top:-9999px",
        "position:static;left:-9999px",
        "clip:rect(0 0 0 0)",
        "position:relative;clip:rect(0,0,0,0)",
        "position:static;clip:rect(1px,1px,1px,1px)",
    ],
)
def test_offsets_and_clips_of_what_stands_in_its_place_hide_nothing(style):
    """Browsers do not heed them there; an external style sheet may set the position, so there they count."""
    assert "Open from nine" in _document(f"<div style='{style}'>Open from nine</div>").markdown
    assert "Open from nine" in _document("<p class=x>Open from nine", f".x{{{style}}}").markdown
    sheet = "<link rel=stylesheet href=/a.css>"
    if "static" not in style and "relative" not in style:
        hidden = _document(f"<div style='{style}'>Open from nine</div>", head=sheet)
        assert "Open from nine" not in hidden.markdown


@pytest.mark.parametrize(
    "ground", ["background=/bar.gif", "bgcolor=navy", "bgcolor=#003366", "bgcolor=003366"]
)
def test_a_ground_set_by_an_attribute_is_behind_the_text(ground):
    cell = f"<th {ground}><font color=white>"
    table = f"<table><tr>{cell}品目</font>{cell}額<tr><td>a<td>1</table>"
    assert "品目" in _document(table).markdown
    assert "品目" not in _document(table.replace(ground, "")).markdown


def test_many_rules_and_closed_entries_take_no_long_time():
    style = "".join(f".a{n}:hover .x{{display:block}}" for n in range(3000)) + ".x{display:none}"
    assert (
        "Entry 1999"
        in _document("<ul><li>Entry" + "".join(f"<li class=x>Entry {n}" for n in range(2000)), style).markdown
    )
