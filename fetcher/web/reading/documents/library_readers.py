"""The readers that need libraries: only the reader processes for documents load this module."""

import codecs
import re
from importlib import import_module

from fetcher.web.net.media_types import OLE, PDF, ZIP
from fetcher.web.reading.documents.office import read_ole, read_zip
from fetcher.web.reading.documents.pdf.reader import read_pdf
from fetcher.web.reading.readers import Readers

codecs.lookup("cp437")  # names in archives; the process cannot open files later
import_module("xml.dom.expatbuilder")  # likewise, for mammoth

DOCUMENT_READERS: Readers = (
    (re.compile(PDF), read_pdf),
    (re.compile(ZIP), read_zip),
    (re.compile(OLE), read_ole),
)
"""By the type that the first bytes show; they come before the readers of pages and text."""
