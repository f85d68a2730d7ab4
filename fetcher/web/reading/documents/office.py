"""Files of Office and LibreOffice: what they are, and whether they may be unpacked at all."""

import io
import re
import struct
import zlib
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from fetcher.codes import DocumentCode
from fetcher.web.errors import DocumentUnreadable, UnsupportedContentType
from fetcher.web.net.media_types import ZIP
from fetcher.web.reading.documents.spreadsheets import read_workbook
from fetcher.web.reading.documents.word import read_word
from fetcher.web.values import Reading, ReadingContext

MOST_FILES = 5000
MOST_UNPACKED = 150 * 1024 * 1024
"""Bytes of all parts that are read; pictures are not."""
_READ = re.compile(r"(?i).*\.(?:xml|rels|bin|vml)|mimetype")
_AT_ONCE = 1 << 20

_OFFICE = "application/vnd.openxmlformats-officedocument."
_KINDS = {
    "word/document.xml": (f"{_OFFICE}wordprocessingml.document", read_word),
    "xl/workbook.xml": (f"{_OFFICE}spreadsheetml.sheet", read_workbook),
    "xl/workbook.bin": ("application/vnd.ms-excel.sheet.binary.macroenabled.12", read_workbook),
}
_ODS = "application/vnd.oasis.opendocument.spreadsheet"
_SLIDES = f"{_OFFICE}presentationml.presentation"
_OLE_NAMES = (
    ("EncryptedPackage", None),
    ("WordDocument", "application/msword"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
)


def read_zip(body: bytes, context: ReadingContext) -> Reading:
    """A file of Office; any other archive is refused."""
    try:
        with ZipFile(io.BytesIO(body)) as archive:
            parts = archive.infolist()
            _require_small(body, parts)
            names = {part.filename.replace("\\", "/").lower() for part in parts}
            mimetype = (
                archive.read("mimetype").decode("ascii", "replace").strip() if "mimetype" in names else ""
            )
    except DocumentUnreadable:
        raise
    except (
        BadZipFile,
        zlib.error,
        EOFError,
        KeyError,
        NotImplementedError,
        ValueError,
        RuntimeError,
        struct.error,
    ) as error:
        damaged = DocumentCode.DOCUMENT_DAMAGED
        raise DocumentUnreadable(damaged, error=f"not a whole archive: {type(error).__name__}") from None
    for part, (kind, reader) in _KINDS.items():
        if part in names:
            return reader(body, context, kind)
    if mimetype == _ODS or (not mimetype and "content.xml" in names):
        return read_workbook(body, context, _ODS)
    slides = "ppt/presentation.xml" in names or "presentation" in mimetype
    raise UnsupportedContentType(content_type=_SLIDES if slides else mimetype or ZIP)


def _require_small(body: bytes, parts: list[ZipInfo]) -> None:
    """Bound an archive before a parser unpacks it, by its directory and by what really comes out of it."""
    if any(part.flag_bits & 1 for part in parts):
        raise DocumentUnreadable(DocumentCode.DOCUMENT_ENCRYPTED, error="its parts are encrypted")
    read = [part for part in parts if _READ.fullmatch(part.filename)]
    if len(parts) > MOST_FILES or sum(part.file_size for part in read) > MOST_UNPACKED:
        raise DocumentUnreadable(DocumentCode.DOCUMENT_TOO_LARGE, error="it unpacks to too much")
    left = MOST_UNPACKED
    for part in read:  # the directory may lie
        if part.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise DocumentUnreadable(DocumentCode.DOCUMENT_DAMAGED, error="a part is packed in another way")
        name, extra = struct.unpack_from("<HH", body, part.header_offset + 26)
        start = part.header_offset + 30 + name + extra
        packed = body[start : start + part.compress_size]
        unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
        while packed and part.compress_type == ZIP_DEFLATED and not unpacker.eof:
            left -= len(unpacker.decompress(packed, _AT_ONCE))
            packed = unpacker.unconsumed_tail
            if left < 0:
                raise DocumentUnreadable(DocumentCode.DOCUMENT_TOO_LARGE, error="it unpacks to too much")


def read_ole(body: bytes, context: ReadingContext) -> Reading:
    """A workbook in the old format of Excel; other old formats are refused."""
    for name, kind in _OLE_NAMES:
        if name.encode("utf-16-le") in body:
            if kind is None:
                raise DocumentUnreadable(DocumentCode.DOCUMENT_ENCRYPTED, error="a password is needed")
            raise UnsupportedContentType(content_type=kind)
    return read_workbook(body, context, "application/vnd.ms-excel")
