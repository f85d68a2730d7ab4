"""What a cell of an article's table shows: lines of text, controls, the names of pictures, signs.

An icon without a name is known by the words in its class and file name, and must not be read as its opposite:
crosses and lines win over ticks, and an icon whose sign may be denied says nothing.
"""

import re
from functools import lru_cache

from fetcher.web.reading.markdown.elements import BLOCKS, PREFORMATTED
from fetcher.web.reading.markdown.escape import clean, code_span, squash
from fetcher.web.reading.markdown.inline import Close, Rule, Writing, done
from fetcher.web.reading.markdown.inline_rules import (
    INLINE,
    READABLE,
    code_text,
    write_shown_text,
    write_spaces,
)
from fetcher.web.reading.tree import Article, Tree

_NAMES = ("aria-label", "alt", "title")
_VALUES = {"time": "datetime", "data": "value"}

_SIGNS = {
    **dict.fromkeys(("times", "xmark", "cross", "batsu", "close", "remove", "cancel", "ng"), "\u00d7"),
    **dict.fromkeys(("minus", "dash", "hyphen", "slash", "ban"), "\u2212"),
    **dict.fromkeys(("check", "checkmark", "tick"), "\u2713"),
    "nijumaru": "\u25ce",
    "maru": "\u25cb",
    "sankaku": "\u25b3",
}
"""Words in names of icons, and their signs; the first of this table wins."""
_DENIALS = frozenset({"no", "not", "non", "none", "false", "off", "un", "disabled", "inactive", "logo"})
"""Words beside which a sign may mean its opposite, or nothing."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_NAMED_BY = ("class", "data-icon", "icon")
_LONGEST = 200


def open_block(writing: Writing, _node: int) -> Close:
    writing.run.end_line()
    return writing.run.end_line


def open_inner_table(writing: Writing, node: int) -> Close:
    """A table in a cell: its lines in the Markdown; a file has it as a table of its own."""
    return done if writing.run.plain else open_block(writing, node)


def break_line(writing: Writing, _node: int) -> Close:
    writing.run.end_line()
    return done


def write_image_text(writing: Writing, node: int) -> Close:
    if not writing.run.in_code:
        writing.run.add_text(writing.article.tree.attribute(node, "alt") or "")
    return done


def write_code_lines(writing: Writing, node: int) -> Close:
    run = writing.run
    for line in code_text(writing.article, node).split("\n"):
        run.end_line()
        if run.plain or run.in_code:
            run.add_text(line)
        else:
            run.pieces.append(code_span(line))
    run.end_line()
    return done


IN_CELLS: dict[str, Rule] = {
    **INLINE,
    **READABLE,
    **dict.fromkeys(BLOCKS, open_block),
    **dict.fromkeys(("td", "th", "button"), write_spaces),
    **dict.fromkeys(("input", "select", "textarea", "meter", "progress"), write_shown_text),
    **dict.fromkeys(PREFORMATTED, write_code_lines),
    "table": open_inner_table,
    "br": break_line,
    "img": write_image_text,
}
"""The rules for the content of a cell (see `writer.py`)."""


def label(article: Article, cell: int) -> str:
    """The names of the elements in a cell without text, else the signs that its icons show."""
    tree, skipped = article.tree, article.skipped
    names, signs = list[str](), list[str]()
    node, end = cell, tree.ends[cell]
    while node < end:
        tag, attributes = tree.tags[node], tree.attributes[node]
        if tag == "table" or (skipped[node] and tag != "img"):
            node = tree.ends[node]
            continue
        named_by = (*_NAMES, _VALUES.get(tag, ""))
        name = next(filter(None, map(attributes.get, named_by)), None) or ""
        is_spoken = attributes.get("aria-hidden") != "true"
        if is_spoken and (name := clean(name).strip()):
            names.append(name)
            node = tree.ends[node]
            continue
        if attributes and tree.ends[node] == node + 1 and (sign := _sign_of(tree, node)):
            signs.append(sign)
        node += 1
    return squash(" ".join(names or signs))


def _sign_of(tree: Tree, node: int) -> str:
    here = tree.attributes[node]
    file = (here.get("src") or "")[:_LONGEST].partition("?")[0].rpartition("/")[2].rpartition(".")[0]
    names = (here.get(name) or "" for name in _NAMED_BY)
    return sign_called(" ".join([*names, file])[:_LONGEST])


@lru_cache(maxsize=1024)
def sign_called(names: str) -> str:
    """The sign that an icon with such names shows; empty if they name none."""
    words = {word.lower() for word in _WORDS.findall(names)}
    if not words.isdisjoint(_DENIALS):
        return ""
    return next((sign for word, sign in _SIGNS.items() if word in words), "")
