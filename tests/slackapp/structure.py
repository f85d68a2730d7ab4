"""Markdown and Slack's blocks as one neutral structure, so that the two can be compared.

What a standard renderer makes of Markdown is read from `markdown-it-py` (CommonMark, tables, strikethrough).
A document is a list of entries in reading order:

    ("point", depth, number or None, quoted)      a point of a list begins
    ("words", depth of quotes, pieces)            its words, or a paragraph's
    ("heading", text), ("code", quoted, text), ("table", rows, aligns), ("rule",)

Pieces are `(text, styles, url)`. Paragraphs that follow each other are one entry with an empty line between.
"""

import re
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt

STANDARD = MarkdownIt("commonmark").enable(["table", "strikethrough"])
DEEPEST = 8
_BARE = re.compile(r"https?://[A-Za-z0-9/._~%?&=+-]*[A-Za-z0-9/]")
_BOX = re.compile(r"^\[[ xX]\] ")
_MARKS = re.compile("[*_~]")
_STYLES = {"strong": "bold", "em": "italic", "s": "strike"}


def of_markdown(markdown):
    """What a standard renderer shows."""
    return _merged(_Walk().entries(STANDARD.parse(markdown)))


def of_blocks(blocks):
    """What Slack shows."""
    return _merged(entry for block in blocks for entry in _block(block))


def without_styles(entries):
    """The same without emphasis and its marks, for the one place where Slack shows more than the standard."""
    return [_plain(entry) for entry in entries]


def _plain(value):
    if isinstance(value, str):
        return _MARKS.sub("", value)
    if isinstance(value, list) and all(isinstance(each, tuple) and len(each) == 3 for each in value):
        return _joined([(_MARKS.sub("", text), styles & {"code"}, url) for text, styles, url in value])
    return type(value)(map(_plain, value)) if isinstance(value, list | tuple) else value


def _merged(entries):
    kept: list[Any] = []
    for entry in entries:
        if entry[0] == "words" and not any(text.strip() for text, _, _ in entry[2]):
            continue
        if kept and entry[0] == "words" and kept[-1][:2] == entry[:2]:
            pieces = [*kept[-1][2], ("\n\n", frozenset(), ""), *entry[2]]
            kept[-1] = (*entry[:2], _joined(pieces))
        else:
            kept.append((*entry[:2], _joined(entry[2])) if entry[0] == "words" else entry)
    return kept


def _joined(pieces):
    """Neighbours that look alike as one; the end of a line has no look."""
    kept: list[Any] = []
    for text, styles, url in pieces:
        for part in re.findall(r"\n+|[^\n]+", text):
            look = (frozenset(), "") if part[0] == "\n" else (styles, url)
            if kept and kept[-1][1:] == look:
                kept[-1] = (kept[-1][0] + part, *look)
            else:
                kept.append((part, *look))
    return kept


class _Walk:
    """Walks through the tokens of `markdown-it-py`."""

    def __init__(self):
        self._around: list[str] = []
        """`quote` or `point` for each container."""
        self._numbers: list[tuple[int | None, int | None]] = []
        """The last number of each list, as written and as shown."""
        self._point = 0
        """How deep the point stands whose words come next, unless something else came between."""
        self._heading = 0
        self._rows: list[list[Any]] = []
        self._aligns: list[str] = []
        self._in_table = False

    def entries(self, tokens):
        for token in tokens:
            found = getattr(self, f"_{token.type}", lambda _: None)(token)
            if found:
                yield found

    def _blockquote_open(self, _):
        self._around.append("quote")

    def _blockquote_close(self, _):
        self._around.pop()
        self._point = 0

    def _bullet_list_open(self, _):
        self._numbers.append((None, None))

    def _bullet_list_close(self, _):
        self._numbers.pop()

    _ordered_list_open, _ordered_list_close = _bullet_list_open, _bullet_list_close
    _list_item_close = _blockquote_close

    def _list_item_open(self, token):
        depth, quoted = self._around.count("point"), "quote" in self._around
        number = int(token.info) if token.info else None
        written, shown = self._numbers[-1]
        again = shown is not None and written == number
        self._numbers[-1] = (number, (shown or 0) + 1 if again else number)
        self._around.append("point")
        self._point = len(self._around)
        return ("point", min(depth, DEEPEST), self._numbers[-1][1], quoted)

    def _heading_open(self, token):
        self._heading = int(token.tag[1])

    def _heading_close(self, _):
        self._heading = 0

    def _table_open(self, _):
        self._rows, self._aligns, self._in_table = [], [], True

    def _tr_open(self, _):
        self._rows.append([])

    def _th_open(self, token):
        self._aligns.append(str(token.attrs.get("style", "text-align:left")).partition(":")[2])

    def _table_close(self, _):
        self._point, self._in_table = 0, False
        return ("table", _plain_header(self._rows), self._aligns)

    def _fence(self, token):
        self._point = 0
        return ("code", "quote" in self._around, token.content.removesuffix("\n"))

    _code_block = _fence

    def _hr(self, _):
        self._point = 0
        return ("rule",)

    def _inline(self, token):
        pieces = _joined(_pieces(token))
        if pieces and not self._in_table:  # a line break before the first word is not shown
            pieces[0] = (pieces[0][0].lstrip("\n"), *pieces[0][1:])
        if self._in_table:
            self._rows[-1].append(pieces)
            return None
        in_point = self._point == len(self._around) > 0
        self._point = self._point if in_point else 0
        if self._heading and not self._around and pieces:
            plain = not any(url or "code" in styles for _, styles, url in pieces)
            if self._heading <= 2 and plain:
                return ("heading", "".join(text for text, _, _ in pieces).replace("\n", " "))
        if self._heading:
            pieces = _joined([(text, styles | {"bold"}, url) for text, styles, url in pieces])
        if in_point and pieces:
            pieces[0] = (
                _BOX.sub(lambda box: "☐ " if box[0] == "[ ] " else "☑ ", pieces[0][0]),
                *pieces[0][1:],
            )
        return ("words", min(self._around.count("quote"), 1 if in_point else 2), pieces)


def _plain_header(rows):
    header = [_joined([(text, styles - {"bold"}, url) for text, styles, url in cell]) for cell in rows[0]]
    return [header, *rows[1:]]


def _pieces(token):
    """A paragraph's pieces; a bare URL is a link, as wherever people read Markdown."""
    styles: list[str] = []
    url, after_break = "", False
    for child in token.children or ():
        style = _STYLES.get(child.tag)
        if style:
            styles = [*styles, style] if child.nesting > 0 else styles[:-1]
        elif child.tag == "a":
            url = unquote(str(child.attrs.get("href", "")))
        elif not (child.type == "softbreak" and after_break):
            yield from ((text, frozenset(styles) | look, url or to) for text, look, to in _shown(child))
        after_break = child.type == "html_inline" and child.content.startswith("<br")


def _shown(child):
    """What one token shows: its text, how that looks by itself, where it leads by itself."""
    match child.type:
        case "text":
            yield from _with_links(child.content)
        case "image":
            yield ("".join(text for text, _, _ in _pieces(child)), frozenset(), "")
        case "code_inline":
            yield (child.content, {"code"}, "")
        case "html_inline" if child.content.startswith("<!--"):
            return
        case "html_inline" if not child.content.startswith("<br"):
            yield (child.content, frozenset(), "")
        case _:
            yield ("\n", frozenset(), "")


def _with_links(text):
    at = 0
    for found in _BARE.finditer(text):
        yield (text[at : found.start()], frozenset(), "")
        yield (found[0], frozenset(), found[0])
        at = found.end()
    yield (text[at:], frozenset(), "")


def _block(block):
    match block["type"]:
        case "header":
            yield ("heading", block["text"]["text"])
        case "divider":
            yield ("rule",)
        case "table":
            rows = [
                [_joined(_elements(cell["elements"][0])) if _says(cell) else [] for cell in row]
                for row in block["rows"]
            ]
            yield ("table", _plain_header(rows), [each["align"] for each in block["column_settings"]])
        case "rich_text":
            for element in block["elements"]:
                yield from _rich_text(element)


def _says(cell):
    return any(text.strip() for text, _, _ in _elements(cell["elements"][0]))


def _rich_text(element):
    border = element.get("border", 0)
    match element["type"]:
        case "rich_text_section":
            yield ("words", 0, list(_elements(element)))
        case "rich_text_quote":
            yield ("words", 1 + border, list(_elements(element)))
        case "rich_text_preformatted":
            text = element["elements"][0]["text"]
            yield ("code", bool(border), "" if text == " " else text)
        case "rich_text_list":
            number = element.get("offset", 0) + 1 if element["style"] == "ordered" else None
            for place, point in enumerate(element["elements"]):
                shown = None if number is None else number + place
                yield ("point", element["indent"], shown, bool(border))
                yield ("words", border, list(_elements(point)))


def _elements(section):
    for element in section["elements"]:
        styles = frozenset(name for name, on in element.get("style", {}).items() if on)
        yield (element["text"], styles, unquote(element.get("url", "")))
