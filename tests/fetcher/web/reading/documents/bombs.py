"""Documents that are small and want much: memory, time, depth. Each with the code in which it should end."""

import io
import struct
import zlib
from collections.abc import Callable
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from tests.fetcher.web.reading.documents.office_files import archive, docx, paragraph, rows, workbook
from tests.fetcher.web.reading.documents.pdf_files import FONT, assembled

MIB = 1024 * 1024


def _page(content: bytes, *, more: tuple[bytes, ...] = (), resources: bytes = b"") -> bytes:
    """A PDF of one page with this stream object as its content."""
    return assembled(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
            FONT,
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R"
            b" /Resources << /Font << /F1 3 0 R >> %s >> >>" % resources,
            content,
            *more,
        ]
    )


def _stream(data: bytes, entries: bytes = b"") -> bytes:
    return b"<< /Length %d %s >>\nstream\n%s\nendstream" % (len(data), entries, data)


def _repeated(data: bytes, times: int) -> bytes:
    """Data many times over, deflated at the cost of once."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    block = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * times + packer.flush()


def nested_deflate() -> bytes:
    """Zeros, compressed three times: gigabytes in two kilobytes."""
    data = bytes(64 * MIB)
    packed = zlib.compress(data, 9) * 1
    for _ in range(2):
        packed = zlib.compress(packed, 9)
    return _page(_stream(packed, b"/Filter [/FlateDecode /FlateDecode /FlateDecode]"))


def long_content() -> bytes:
    """A content stream of 400 MB of spaces."""
    return _page(_stream(b"\x78\xda" + _repeated(b" " * MIB, 400), b"/Filter /FlateDecode"))


def endless_text() -> bytes:
    """Millions of characters on one page."""
    packer = zlib.compressobj(9)
    line = b"BT /F1 9 Tf 1 0 0 1 50 700 Tm <" + "文".encode("cp932").hex().encode() * 500 + b"> Tj ET\n"
    data = b"".join([*(packer.compress(line * 100) for _ in range(40)), packer.flush()])
    return _page(_stream(data, b"/Filter /FlateDecode"))


def deep_arrays() -> bytes:
    return _page(b"[" * 200_000 + b"]" * 200_000)


def forms_in_forms() -> bytes:
    """Each form draws the next one ten times: ten to the power of twelve."""
    forms = [
        _stream(
            b"/X Do " * 10,
            b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X %d 0 R >> >>"
            % (at + 1),
        )
        for at in range(6, 18)
    ]
    last = _stream(b"BT /F1 9 Tf <82a0> Tj ET", b"/Type /XObject /Subtype /Form /BBox [0 0 9 9]")
    return _page(_stream(b"/X Do"), more=(*forms, last), resources=b"/XObject << /X 6 0 R >>")


def page_count() -> bytes:
    """Two thousand million pages that are not there."""
    return assembled(
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 2000000000 /Kids [2 0 R 2 0 R] >>"]
    )


def far_cell() -> bytes:
    """A workbook with a cell in each of two corners."""
    return workbook(
        {
            "far": '<sheetData><row r="1"><c r="A1"><v>1</v></c></row>'
            '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>'
        }
    )


def far_cell_otherwise() -> bytes:
    """The same, written so that a pattern for cells may miss it."""
    return workbook(
        {
            "far": "<sheetData><row r='1'><c r='A1'><v>1</v></c></row>"
            "<row r='1048576'><c t='n' r = 'XFD1048576' ><v>2</v></c></row></sheetData>"
        }
    )


def endless_rows() -> bytes:
    """A million rows of one figure, in a few kilobytes."""
    return workbook({"long": "<sheetData>" + "<row><c><v>1</v></c></row>" * 1_000_000 + "</sheetData>"})


def repeated_ods() -> bytes:
    """A row and a cell of a spreadsheet of LibreOffice, each repeated without end."""
    office = "urn:oasis:names:tc:opendocument:xmlns:"
    cell = (
        '<table:table-cell office:value-type="float" office:value="1" table:number-columns-repeated="16384"/>'
    )
    return archive(
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": f'<office:document-content xmlns:office="{office}office:1.0"'
            f' xmlns:table="{office}table:1.0">'
            f'<office:body><office:spreadsheet><table:table table:name="x"><table:table-row'
            f' table:number-rows-repeated="1048576">{cell}</table:table-row></table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
            "META-INF/manifest.xml": "<x/>",
        }
    )


def _with_part(packed: bytes, size: int, crc: int) -> bytes:
    """A workbook with one more sheet, whose packed bytes, size and checksum are given."""
    content = io.BytesIO(workbook({"x": rows([["a"]])}))
    with ZipFile(content, "a") as zipped:
        part = ZipInfo("xl/worksheets/sheet9.xml")
        zipped.writestr(part, packed)
        part.compress_type, part.file_size, part.CRC = ZIP_DEFLATED, size, crc
    data = bytearray(content.getvalue())
    head = struct.pack("<IHHHHHIII", 0x04034B50, 20, 0, 8, 0, 0x21, crc, len(packed), size)
    data[part.header_offset : part.header_offset + 26] = head[:26]
    return bytes(data)


def zip_ratio() -> bytes:
    """A sheet of a gigabyte of spaces."""
    return _with_part(_repeated(b" " * MIB, 1000), 1000 * MIB, 0)


def zip_that_lies() -> bytes:
    """The same, with a directory that says that it is small, and the checksum of so much of it."""
    return _with_part(_repeated(b" " * MIB, 1000), 1000, zlib.crc32(b" " * 1000))


def many_files() -> bytes:
    return archive({"word/document.xml": "<x/>", **{f"word/{at}.xml": "" for at in range(6000)}})


def entities() -> bytes:
    """A billion laughs in a Word file."""
    declared = "".join(
        f'<!ENTITY l{at} "{f"&l{at - 1};" * 10}">' if at else '<!ENTITY l0 "lol">' for at in range(10)
    )
    return docx(paragraph("&l9;"), head=f'<?xml version="1.0"?><!DOCTYPE x [{declared}]>')


def deep_word() -> bytes:
    """Tables in tables, fifty thousand deep."""
    depth = 50_000
    inner = "<w:tbl><w:tr><w:tc>" * depth + paragraph("x") + "</w:tc></w:tr></w:tbl>" * depth
    return docx(inner)


BOMBS: tuple[Callable[[], bytes], ...] = (
    nested_deflate,
    long_content,
    endless_text,
    deep_arrays,
    forms_in_forms,
    page_count,
    far_cell,
    far_cell_otherwise,
    endless_rows,
    repeated_ods,
    zip_ratio,
    zip_that_lies,
    many_files,
    entities,
    deep_word,
)
