"""How the content of a table's cell is written, in an article: in lines, with what its controls show."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from fetcher.web.reading.markdown import escape
from fetcher.web.reading.markdown.code import code_text
from fetcher.web.reading.markdown.elements import BLOCKS, PREFORMATTED
from fetcher.web.reading.markdown.inline import InlineRun
from fetcher.web.reading.markdown.notes import note_behind_figure
from fetcher.web.reading.markdown.rules import Close, Writing, done
from fetcher.web.reading.tables.controls import CONTROLS, shown_by
from fetcher.web.reading.tables.screen_copies import breaks_line, is_block_by_style

_W = TypeVar("_W", bound=Writing)


def in_lines(rule: Callable[[_W, int], Close | None]) -> Callable[[_W, int], Close | None]:
    """The rule of an inline element, for one whose style makes it a block."""

    def styled(writing: _W, node: int) -> Close | None:
        if said := note_behind_figure(writing.article, node):
            writing.run.pieces.append(said)
            return done
        if not is_block_by_style(writing.article.tree, node):
            return rule(writing, node)
        _end_line(writing.run)
        return partial(_close_and_end_line, writing.run, rule(writing, node))

    return styled


def plain(_writing: Writing, _node: int) -> None:
    """The rule of an element that says nothing but its content."""


def _border(writing: Writing, _node: int) -> Close:
    _end_line(writing.run)
    return partial(_end_line, writing.run)


def _space(writing: Writing, _node: int) -> Close:
    writing.run.space()
    return writing.run.space


def _break(writing: Writing, node: int) -> Close:
    if breaks_line(writing.article.tree, node):
        _end_line(writing.run)
    return done


def _image(writing: Writing, node: int) -> Close:
    if not writing.run.in_code:
        writing.run.text(writing.article.tree.attribute(node, "alt") or "")
    return done


def _control(writing: Writing, node: int) -> Close:
    run = writing.run
    run.space()
    for at, line in enumerate(shown_by(writing.article.tree, node).splitlines()):
        if at:
            _end_line(run)
        run.text(line)
    run.space()
    return done


def _preformatted(writing: Writing, node: int) -> Close:
    text, run = code_text(writing.article, node), writing.run
    if run.in_code:
        run.text(text)
    elif text.strip():
        run.pieces.append(escape.code_lines(text))
    return done


def _end_line(run: InlineRun) -> None:
    """Ends the line at hand, if anything stands in it."""
    mark = escape.CODE_BREAK if run.in_code else escape.BREAK
    run.unspace()
    if run.pieces and run.pieces[-1] != mark:
        run.pieces.append(mark)


def _close_and_end_line(run: InlineRun, close: Close | None) -> None:
    if close:
        close()
    _end_line(run)


IN_CELLS: dict[str, Callable[[Writing, int], Close | None]] = {
    **dict.fromkeys(BLOCKS, _border),
    **dict.fromkeys(("td", "th", "button"), _space),
    **dict.fromkeys(CONTROLS, _control),
    **dict.fromkeys(PREFORMATTED, _preformatted),
    "br": _break,
    "img": _image,
}
