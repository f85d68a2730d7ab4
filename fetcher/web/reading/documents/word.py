"""Word (docx): mammoth makes HTML of it, which is written by the rules of pages.

Mammoth knows nothing of hidden text (ECMA-376, part 1, 17.3.2.41). So it is taken out of each part of a file
between mammoth's parser and its reader. Styles come before the parts that use them.
"""

import io
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile

import mammoth
from mammoth.docx import office_xml

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable
from fetcher.web.reading.documents.written_html import written
from fetcher.web.values import Document, Reading, ReadingContext

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => h2:fresh
"""

_OFF = frozenset({"0", "false", "off"})
_TOO_SMALL = 2
"""Half points: text of this size cannot be read."""
_DEEPEST_STYLES = 10
"""Styles that are based on one another, as far as it is followed."""
_KEPT = frozenset({"w:rPr", "w:fldChar", "w:instrText"})
"""Of a hidden run: fields begin and end with them."""
_read_part = office_xml.read
_hidden_styles: set[str] = set()
"""Of the file that is being read: a process reads one at a time."""


def read_word(body: bytes, context: ReadingContext, kind: str) -> Reading:
    _hidden_styles.clear()
    try:
        # Pictures are left out.
        html = mammoth.convert_to_html(io.BytesIO(body), convert_image=lambda _: [], style_map=_STYLES).value
    except (
        BadZipFile,
        KeyError,
        ValueError,
        AttributeError,
        TypeError,
        IndexError,
        OSError,
        ExpatError,
    ) as error:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_DAMAGED, error=type(error).__name__) from error
    except RecursionError:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_TOO_LARGE, error="it is nested too deeply") from None
    markdown, tables = written(html, context.url)
    if not markdown.strip():
        raise DocumentUnreadable(DocumentCode.DOCUMENT_HAS_NO_TEXT, error="it has no text")
    title = unquote(urlsplit(context.url).path.rpartition("/")[2]) or None
    return Reading(document=Document(markdown=markdown, title=title, tables=tables), media_type=kind)


def _read_visible_part(file: Any) -> Any:
    """A part of a file as mammoth parses it, without the texts of hidden runs."""
    root = _read_part(file)
    if root.name == "w:styles":
        styles = list(root.find_children("w:style"))
        for _ in styles[:_DEEPEST_STYLES]:  # a style may come before the one that it is based on
            _hidden_styles.update(
                style.attributes.get("w:styleId", "") for style in styles if _is_hidden(style, "w:basedOn")
            )
    waiting = [(root, False)]
    while waiting:
        node, is_hidden = waiting.pop()
        if node.name == "w:p":
            is_hidden = _named(node.find_child_or_null("w:pPr"), "w:pStyle") in _hidden_styles
        elif node.name == "w:r" and _is_hidden(node, "w:rStyle", around=is_hidden):
            node.children = [child for child in node.children if getattr(child, "name", "") in _KEPT]
        waiting += [(child, is_hidden) for child in node.children if hasattr(child, "children")]
    return root


def _is_hidden(element: Any, style: str, *, around: bool = False) -> bool:
    """Whether a run or a style hides its text: by itself, or by the style that it names."""
    properties = element.find_child_or_null("w:rPr")
    vanish, size = properties.find_child("w:vanish"), _named(properties, "w:sz")
    if size.isdecimal() and int(size) <= _TOO_SMALL:
        return True
    if vanish is not None:
        return vanish.attributes.get("w:val", "").lower() not in _OFF
    named = _named(properties if style == "w:rStyle" else element, style)
    return around or named in _hidden_styles


def _named(element: Any, name: str) -> str:
    return str(element.find_child_or_null(name).attributes.get("w:val", ""))


office_xml.read = _read_visible_part
