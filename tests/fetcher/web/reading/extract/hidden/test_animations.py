"""Parts of a page that an animation of its style sheet shows are read."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render

STORY = "".join(
    f"<p>Sentence number {number} of a story that somebody wrote about the river, the mill and summer.</p>"
    for number in range(8)
)
FADE = "@keyframes fade{from{opacity:0}to{opacity:1}}"


def _read(style, attributes="class=x"):
    html = f"<style>{style}</style><body><main><h1>T</h1>{STORY}<div {attributes}>Open from nine</div></main>"
    return render(extract(html, "https://example.com/a", mode=ReadingMode.ARTICLE))


@pytest.mark.parametrize(
    "style",
    [
        ".x{opacity:0;animation:fade 1s forwards}",
        ".x{opacity:0;animation:fade .6s ease-out both}",
        ".x{opacity:0;animation:1s cubic-bezier(.2,.6,.2,1) 200ms forwards fade}",
        ".x{opacity:0} div{animation:fade 1s forwards}",
        ".x{opacity:0;animation-name:fade;animation-duration:2s;animation-fill-mode:forwards}",
        ".x{opacity:0;animation:fade 1s;animation-fill-mode:both;animation-delay:.3s}",
        ".x{opacity:0;-webkit-animation:fade 1s forwards}",
        ".x{transform:translateY(-9999px);animation:up 1s both}@keyframes up{100%{transform:none}}",
        ".x{opacity:0;animation:fade 1s both}@-webkit-keyframes fade{from{opacity:0}to{opacity:1}}",
        ".x{visibility:hidden;animation:see 1s forwards}@keyframes see{to{visibility:visible}}",
        "@media screen{.x{opacity:0;animation:fade 1s forwards}}",
        ".x{opacity:0;animation:two 1s forwards}@keyframes two{0%{opacity:0}50%,100%{opacity:1}}",
        ".x{opacity:0;animation:wk 1s forwards}@-webkit-keyframes wk{to{opacity:1}}",
    ],
)
def test_what_an_animation_shows_in_the_end_is_read(style):
    assert "Open from nine" in _read(f"{FADE}{style}")
    assert "Open from nine" in _read(f"{style}{FADE}")


@pytest.mark.parametrize(
    "style",
    [
        ".x{opacity:0;animation:fade 1s}",
        ".x{opacity:0;animation:fade 1s 99999s forwards}",
        ".x{opacity:0;animation:fade 99999s forwards}",
        ".x{opacity:0;animation:fade 1s forwards paused}",
        ".x{opacity:0;animation:fade 1s forwards;animation-play-state:paused}",
        ".x{opacity:0;animation:fade 1s forwards;animation-delay:100000ms}",
        ".x{opacity:0;animation:fade 1s reverse forwards}",
        ".x{opacity:0;animation:fade 1s infinite forwards}",
        ".x{opacity:0;animation:other 1s forwards}",
        ".x{opacity:0!important;animation:fade 1s forwards}",
        ".x{opacity:0;animation:gone 1s forwards}@keyframes gone{to{opacity:0}}",
        ".x{opacity:0;animation:half 1s forwards}@keyframes half{from{opacity:0}50%{opacity:1}}",
        ".x{opacity:0;animation:fade 1s forwards}@keyframes fade{to{opacity:0}}",
        ".x{opacity:0;animation:fade 1s forwards}@keyframes fade{from{opacity:.5}}",
        ".x{opacity:0;animation:fade 1s forwards}@-webkit-keyframes fade{to{opacity:0}}",
        ".x{opacity:0;animation:paper 1s forwards}@media print{@keyframes paper{to{opacity:1}}}",
        ".x{opacity:0;animation:fade 1s forwards} main .x{animation:none}",
        ".x{opacity:0;animation:fade 1s forwards,away 1s forwards}@keyframes away{to{opacity:0}}",
        ".x{opacity:0;font-size:0;animation:fade 1s forwards}",
        ".x{opacity:0;animation:fade 1s forwards!important;animation-play-state:paused!important}",
    ],
)
def test_what_an_animation_may_never_show_is_not(style):
    """Nothing else is known of it than that it is transparent."""
    assert "Open from nine" not in _read(f"{FADE}{style}")


def test_styles_of_an_element_count_too():
    assert "Open" in _read(FADE, 'style="opacity:0;animation:fade 1s forwards"')
    assert "Open" not in _read(FADE, 'style="opacity:0;animation:fade 1s"')
