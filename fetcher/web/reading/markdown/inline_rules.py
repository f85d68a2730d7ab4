"""How inline elements are written, in each reading mode."""

from functools import partial

from fetcher.web.reading.markdown import escape
from fetcher.web.reading.markdown.elements import BLOCKS, SILENT
from fetcher.web.reading.markdown.inline import Close, Rule, Writing, done, in_turn
from fetcher.web.reading.markdown.notation import (
    APART,
    DELETIONS,
    FIGURE_BEGINS,
    FIGURES,
    WORD_BEGINS,
    formula,
    is_struck,
    may_be_another_figure,
    raised_mark,
    script_marks,
)
from fetcher.web.reading.tree import Article

_SPANS = (
    dict.fromkeys(("strong", "b"), (escape.STRONG, escape.STRONG_END))
    | dict.fromkeys(("em", "i"), (escape.EMPHASIS, escape.EMPHASIS_END))
    | dict.fromkeys(DELETIONS, (escape.STRIKE, escape.STRIKE_END))
    | dict.fromkeys(("code", "kbd", "samp", "tt", "pre"), (escape.CODE, ""))
)
"""The marks around the text of an element."""


def write_spaces(writing: Writing, _node: int) -> Close:
    """Only spaces are left of an element's edges."""
    writing.run.add_space()
    return writing.run.add_space


def skip_content(_writing: Writing, _node: int) -> Close:
    return done


def open_span(writing: Writing, node: int) -> Close | None:
    return _open_marks(writing, node, *_SPANS[writing.article.tree.tags[node]])


def open_link(writing: Writing, node: int) -> Close | None:
    href = writing.article.tree.attribute(node, "href")
    url = "" if href is None else writing.links.resolve(href)
    return _open_marks(writing, node, escape.LINK, escape.link_end(url)) if url else None


def _open_marks(writing: Writing, node: int, opening: str, closing: str) -> Close | None:
    filled = writing.article.tree.ends[node] > node + 1
    return writing.run.close if filled and writing.run.open(opening, closing) else None


def write_image(writing: Writing, node: int) -> Close:
    tree, run, links = writing.article.tree, writing.run, writing.links
    alt = escape.clean(tree.attribute(node, "alt") or "").strip()
    if alt and not run.in_code:
        url = links.resolve(tree.attribute(node, "src") or "")
        is_page = url.partition("#")[0] == links.resolve("")  # so is a picture without a source
        run.pieces.append(escape.image(alt, url) if url and not is_page else alt)
    return done


def open_quotation(writing: Writing, _node: int) -> Close:
    writing.run.pieces.append('"')
    return partial(writing.run.pieces.append, '"')


def open_ruby_text(writing: Writing, _node: int) -> Close:
    """Ruby text is written in brackets after the text that it annotates."""
    run = writing.run

    def close() -> None:
        run.drop_space()
        if run.pieces[-1:] == ["("]:
            run.pieces.pop()
        else:
            run.pieces.append(")")

    run.drop_space()
    run.pieces.append("(")
    return close


def open_struck_text(writing: Writing, node: int) -> Close | None:
    """Marks what is struck through, by its element or its own style, and sets it apart from what follows."""
    if not is_struck(writing.article.tree, node):
        return None
    close = _open_marks(writing, node, escape.STRIKE, escape.STRIKE_END)
    return close and in_turn(close, partial(writing.run.set_apart_from, WORD_BEGINS))


def with_figures_apart(rule: Rule | None) -> Rule:
    """An inline element's rule, extended for a figure beside another."""

    def open_element(writing: Writing, node: int) -> Close | None:
        tree, run = writing.article.tree, writing.run
        if may_be_another_figure(tree, node):
            run.set_apart_from(FIGURE_BEGINS)
        close = rule(writing, node) if rule else None
        if tree.tags[node] in APART and tree.texts[tree.ends[node] - 1][-1:].isdigit():
            return in_turn(close, partial(run.set_apart_from, FIGURE_BEGINS))
        return close

    return open_element


def open_script(writing: Writing, node: int) -> Close | None:
    run = writing.run
    before = run.tail()
    if mark := raised_mark(writing.article, node, before):
        run.pieces.append(mark)
        run.set_apart_from(FIGURE_BEGINS)
        return done
    opening, closing = script_marks(writing.article.tree, node, before[-1:])
    if opening:
        run.pieces.append(opening)
    return partial(run.pieces.append, closing) if closing else None


def write_formula(writing: Writing, node: int) -> Close:
    writing.run.add_text(formula(writing.article, node))
    return done


def code_text(article: Article, node: int) -> str:
    """The exact text of a code block."""
    tree, pieces = article.tree, [""]
    node, end = node + 1, tree.ends[node]
    while node < end:
        tag = tree.tags[node]
        if article.skipped[node] or tag in SILENT:
            node = tree.ends[node]
            continue
        if not tag:
            pieces.append(escape.verbatim(tree.texts[node]))
        elif tag == "br" or (tag in BLOCKS and pieces[-1] and pieces[-1][-1] != "\n"):
            pieces.append("\n")
        node += 1
    return "".join(pieces)


INLINE: dict[str, Rule] = {
    **dict.fromkeys(_SPANS, open_span),
    **dict.fromkeys(SILENT, skip_content),
    "a": open_link,
    "img": write_image,
    "q": open_quotation,
    "rt": open_ruby_text,
}
"""The rules of the SRD."""

READABLE: dict[str, Rule] = {
    **{tag: with_figures_apart(INLINE.get(tag)) for tag in FIGURES},
    **dict.fromkeys(DELETIONS, open_struck_text),
    "span": with_figures_apart(open_struck_text),
    "sup": open_script,
    "sub": open_script,
    "math": write_formula,
}
"""The rules that an article has instead, so that it reads as people see it."""
