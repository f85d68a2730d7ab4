"""The rules for the content of a table's cell in an article: lines, and what its controls show."""

from functools import partial

from fetcher.web.reading.markdown import escape
from fetcher.web.reading.markdown.code import code_text
from fetcher.web.reading.markdown.elements import BLOCKS, PLAIN, PREFORMATTED
from fetcher.web.reading.markdown.inline import InlineRun
from fetcher.web.reading.markdown.inline_rules import INLINE, READABLE, write_spaces
from fetcher.web.reading.markdown.notes import note_behind_figure
from fetcher.web.reading.markdown.rules import Close, Rule, Writing, done, in_turn
from fetcher.web.reading.tables.cell_labels import CONTROLS, shown_by
from fetcher.web.reading.tables.screen_copies import breaks_line, is_block_by_style


def in_lines(rule: Rule | None) -> Rule:
    """An inline element's rule, extended for marks of notes and for styles that make the element a block."""

    def open_element(writing: Writing, node: int) -> Close | None:
        if mark := note_behind_figure(writing.article, node):
            writing.run.pieces.append(mark)
            return done
        if not is_block_by_style(writing.article.tree, node):
            return rule(writing, node) if rule else None
        _end_line(writing.run)
        return in_turn(rule and rule(writing, node), partial(_end_line, writing.run))

    return open_element


def open_block(writing: Writing, _node: int) -> Close:
    _end_line(writing.run)
    return partial(_end_line, writing.run)


def break_line(writing: Writing, node: int) -> Close:
    if breaks_line(writing.article.tree, node):
        _end_line(writing.run)
    return done


def write_image_text(writing: Writing, node: int) -> Close:
    if not writing.run.in_code:
        writing.run.add_text(writing.article.tree.attribute(node, "alt") or "")
    return done


def write_control(writing: Writing, node: int) -> Close:
    run = writing.run
    run.add_space()
    for at, line in enumerate(shown_by(writing.article.tree, node).splitlines()):
        if at:
            _end_line(run)
        run.add_text(line)
    run.add_space()
    return done


def write_code_lines(writing: Writing, node: int) -> Close:
    text, run = code_text(writing.article, node), writing.run
    if run.in_code:
        run.add_text(text)
    elif text.strip():
        run.pieces.append(escape.code_lines(text))
    return done


def _end_line(run: InlineRun) -> None:
    """Ends the current line, if it has any content."""
    mark = escape.CODE_BREAK if run.in_code else escape.BREAK
    run.drop_space()
    if run.pieces and run.pieces[-1] != mark:
        run.pieces.append(mark)


_INLINE: dict[str, Rule | None] = {**dict.fromkeys(PLAIN), **INLINE, **READABLE}

IN_CELLS: dict[str, Rule] = {
    **{tag: in_lines(rule) for tag, rule in _INLINE.items()},
    **dict.fromkeys(BLOCKS, open_block),
    **dict.fromkeys(("td", "th", "button"), write_spaces),
    **dict.fromkeys(CONTROLS, write_control),
    **dict.fromkeys(PREFORMATTED, write_code_lines),
    "br": break_line,
    "img": write_image_text,
}
