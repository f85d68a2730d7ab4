"""Icons without a name are read as the sign that they show, never as its opposite."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.tables.rows import tables
from tests.fetcher.web.reading.articles import article, markdown

CLASSES = {
    "\u00d7": """
        bi bi-x-circle|bi bi-x-circle-fill text-danger|bi bi-x-lg|ph ph-x-circle|ti ti-circle-x
        lucide-circle-x|icon-x|mdi mdi-close-circle|el-icon-circle-close
        icon-cancel|icon-no|is-ng|icon-no-check|check none|check off|icon-uncheck|no-ok|icon ok-none|not-check
        check is-off|fa-square-xmark
        glyphicon glyphicon-remove|icon_batsu02
        XCircleIcon|circle cross|check ng|icon-false
        ph-x-square|tick no
    """,
    "\u2212": """
        bi bi-dash-circle|fa fa-minus-circle|fas fa-circle-minus|codicon codicon-circle-slash|fa fa-ban
        bi-slash-circle|check is-disabled|icon-check disabled|bi bi-dash|lucide-circle-minus|tick inactive
    """,
    "\u2713": """
        bi bi-check-circle-fill text-success|mdi mdi-check-circle|icon-yes|el-icon-success
        icon-circle-check|fa-check|check|CheckIcon|feather feather-check|ti-square-check
        icon_check01|icon-done|check d-none|check nowrap
    """,
    "\u25cb": "fa fa-circle-o|circle-empty|icon-circle|icon_maru|bi bi-circle|glyphicon glyphicon-ok",
    "\u25ce": "icon-nijumaru|double-circle|icon_nijyumaru2|fa-bullseye",
    "\u25b3": "icon-sankaku|bi bi-triangle|icon_sankaku_01",
    "": """
        fa fa-question-circle|fa fa-info-circle|fa fa-plus-circle|fa fa-exclamation-triangle
        status-circle|fa-lock|ng-star-inserted|ng-scope|fa-2x|overflow-x|no-wrap|text-success
        user-circle|arrow-circle|x-small|d-none|star
    """,
}


@pytest.mark.parametrize(
    ("names", "sign"),
    [
        (each.strip(), sign)
        for sign, all_names in CLASSES.items()
        for line in all_names.split("\n")
        for each in line.split("|")
        if each.strip()
    ],
)
def test_the_words_of_a_class_name_the_sign(names: str, sign: str):
    _assert_shown(f"<i class='{names}'></i>", sign)


DRAWN = [
    ("<img src=/img/x-circle.svg>", "\u00d7"),
    ("<img src=/img/circle-x.png?v=2 alt=''>", "\u00d7"),
    ("<img src=/img/check_off.png>", "\u00d7"),
    ("<img src=/img/nocheck.png>", "\u00d7"),
    ("<img src=/img/ico_no.png>", "\u00d7"),
    ("<img src=/img/ico_yes.png>", "\u2713"),
    ("<img src=/img/check_on.gif>", "\u2713"),
    ("<img src=/img/maru01.gif>", "\u25cb"),
    ("<img src=/img/info-circle.svg>", ""),
    ("<img src=/img/logo-check24.png>", ""),
    ("<img src=/img/bullet_circle.gif>", ""),
    ("<svg class='lucide lucide-check'><path d=''/></svg>", "\u2713"),
    ("<svg class='lucide lucide-circle-x'><path d=''/></svg>", "\u00d7"),
    ("<svg><use href='#icon-x'></use></svg>", "\u00d7"),
    ("<svg><use xlink:href='/sprite.svg#check'/></svg>", "\u2713"),
    ("<svg class=icon> <use href='#minus'/></svg>", "\u2212"),
    ("<svg data-icon=xmark class=svg-inline--fa><path/></svg>", "\u00d7"),
    ("<div><p><svg class=bi-check-lg></svg></p></div>", "\u2713"),
    ("<span class=icon-check><svg class=icon></svg></span>", "\u2713"),
    ("<span class=icon-check><svg class=icon-x></svg></span>", "\u00d7"),
    ("<svg class=lucide-star><path/></svg>", ""),
    ("<svg class=lucide-check aria-label=対応></svg>", "対応"),
    ("<ion-icon name=close></ion-icon>", "\u00d7"),
    ("<iconify-icon icon=mdi:check></iconify-icon>", "\u2713"),
    ("<i data-feather=x></i>", "\u00d7"),
    ("<div class=icon-check></div>", "\u2713"),
    ("<i class='fa fa-check'></i><i class='fa fa-info-circle'></i>", "\u2713"),
    ("10GB<svg class=lucide-check></svg>", "10GB"),
]


@pytest.mark.parametrize(("html", "sign"), DRAWN)
def test_files_and_drawings_name_the_sign(html: str, sign: str):
    _assert_shown(html, sign)


@pytest.mark.parametrize(
    ("names", "sign"),
    [
        ("yes", "\u2713"),
        ("no", "\u00d7"),
        ("cell ng", "\u00d7"),
        ("batsu", "\u00d7"),
        ("close", ""),
        ("price", ""),
    ],
)
def test_the_class_of_an_empty_cell_names_its_sign(names: str, sign: str):
    """A style sheet draws it."""
    (found,) = tables(article(f"<table><tr><th>A<th>B<tr><td>x<td class='{names}'></table>"))
    assert found.rows == (("x", sign),)


def test_the_srds_mode_reads_no_drawings():
    html = "<p>a<svg class=check></svg></p><table><tr><th>A<th>B<tr><td>x<td><svg class=check></svg></table>"
    assert markdown(html) == "a\n\n| A | B |\n|---|---|\n| x |  |"


def _assert_shown(html: str, sign: str) -> None:
    table = f"<table><tr><th>A<th>B<tr><td>x<td>{html}</table>"
    assert tables(article(table, skip="img"))[0].rows == (("x", sign),)
    assert f"| x | {sign} |" in markdown(table, mode=ReadingMode.ARTICLE)
