"""How inline elements are written, in each reading mode."""

import re
from functools import partial

from fetcher.web.reading.markdown import escape
from fetcher.web.reading.markdown.elements import BLOCKS, CONTROLS, SILENT
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
from fetcher.web.reading.tree import Article, Tree

_SPANS = (
    dict.fromkeys(("strong", "b"), (escape.STRONG, escape.STRONG_END))
    | dict.fromkeys(("em", "i"), (escape.EMPHASIS, escape.EMPHASIS_END))
    | dict.fromkeys(DELETIONS, (escape.STRIKE, escape.STRIKE_END))
    | dict.fromkeys(("code", "kbd", "samp", "tt", "pre"), (escape.CODE, ""))
)
"""The marks around the text of an element."""

_TICKS = {True: "\u2611", False: "\u2610"}
_MUTE_INPUTS = frozenset({"hidden", "password", "file", "color"})
_FIGURE = re.compile(r"[0-9][0-9., ]{0,9}(?:%|/ ?[0-9][0-9.,]{0,9})?")
"""The only text of a bar that is read: browsers do not show it, and it should tell what the bar shows."""
_WIDEST_LIST = 1000
"""Options that are looked at, at most."""


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


def write_shown_text(writing: Writing, node: int) -> Close:
    """A control's value, its choice or its state; never a secret or hidden value."""
    run = writing.run
    run.add_space()
    for at, line in enumerate(_shown_by(writing.article.tree, node).splitlines()):
        if at:
            run.end_line()
        run.add_text(line)
    run.add_space()
    return done


def write_figure_of_bar(writing: Writing, node: int) -> Close:
    """The figure in a bar; a bar without one is only drawn, and so is other text in it."""
    tree = writing.article.tree
    text = "".join(tree.texts[node + 1 : tree.ends[node]]).strip()
    if _FIGURE.fullmatch(text):
        writing.run.add_text(f" {text} ")
    return done


def _shown_by(tree: Tree, node: int) -> str:
    """What a control shows, in lines; empty if it shows nothing."""
    tag, attributes = tree.tags[node], tree.attributes[node]
    if tag == "input":
        kind = (attributes.get("type") or "").strip().lower()
        if kind in ("checkbox", "radio"):
            return _TICKS["checked" in attributes]
        return "" if kind in _MUTE_INPUTS else attributes.get("alt" if kind == "image" else "value") or ""
    if tag == "select":
        # The options that are selected; else the first, unless several can be selected.
        options = [at for at in range(node, tree.ends[node]) if tree.tags[at] == "option"][:_WIDEST_LIST]
        chosen = [at for at in options if "selected" in tree.attributes[at]]
        if "multiple" not in attributes:
            chosen = chosen[-1:] or options[:1]
        return ", ".join(" ".join("".join(tree.texts[at : tree.ends[at]]).split()) for at in chosen)
    text = "".join(tree.texts[node + 1 : tree.ends[node]]).strip()
    if tag == "textarea" or _FIGURE.fullmatch(text):
        return text
    value, most = attributes.get("value") or "", attributes.get("max") or ""
    return f"{value}/{most}" if value and most else value


def code_text(article: Article, node: int) -> str:
    """The exact text of a code block."""
    tree, pieces = article.tree, [""]
    node, end = node + 1, tree.ends[node]
    while node < end:
        tag = tree.tags[node]
        if article.skipped[node] or tag in SILENT or tag in CONTROLS:
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
    **dict.fromkeys(CONTROLS | {"object"}, write_spaces),
    "select": write_shown_text,
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
    **dict.fromkeys(("meter", "progress"), write_figure_of_bar),
}
"""The rules that an article has instead, so that it reads as people see it."""
