"""Word (docx): mammoth makes HTML of it, which is written by the rules of pages."""

import io
from urllib.parse import unquote, urlsplit
from xml.parsers.expat import ExpatError
from zipfile import BadZipFile

import mammoth

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable
from fetcher.web.reading.documents.written_html import written
from fetcher.web.values import Document, Reading, ReadingContext

_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => h2:fresh
"""


def read_word(body: bytes, context: ReadingContext, kind: str) -> Reading:
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
