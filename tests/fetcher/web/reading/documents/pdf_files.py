"""Small PDFs, written by hand: text in Shift_JIS with a font of the viewer's, rules, links, metadata."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

FONT = (
    b"<< /Type /Font /Subtype /Type0 /BaseFont /Gothic /Encoding /90ms-RKSJ-H /DescendantFonts ["
    b"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Gothic"
    b" /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1)"
    b" /Supplement 2 >> /DW 1000 /W [1 [500] 2 95 500] /FontDescriptor << /Type /FontDescriptor"
    b" /FontName /Gothic /Flags 4 /FontBBox [0 -120 1000 880] /Ascent 880 /Descent -120 /ItalicAngle 0"
    b" /CapHeight 700 /StemV 80 >> >>] >>"
)
WIDTH, HEIGHT = 595, 842


@dataclass
class Page:
    """A page of A4 on which text and rules are drawn, measured from its upper left corner."""

    content: list[bytes] = field(default_factory=list)
    links: list[tuple[tuple[float, float, float, float], str]] = field(default_factory=list)
    extra: bytes = b""

    def text(self, x: float, y: float, words: str, size: float = 10, before: str = "") -> "Page":
        """Words whose feet stand at a height of the page; `before` are operators for their look."""
        data = words.encode("cp932").hex().encode()
        place = f"{before} BT /F1 {size} Tf 1 0 0 1 {x} {HEIGHT - y} Tm <".encode()
        self.content.append(place + data + b"> Tj ET")
        return self

    def lines(self, x: float, y: float, words: Sequence[str], size: float = 10, gap: float = 1.4) -> "Page":
        for number, line in enumerate(words):
            self.text(x, y + number * size * gap, line, size)
        return self

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> "Page":
        self.content.append(f"0.5 w {x0} {HEIGHT - y0} m {x1} {HEIGHT - y1} l S".encode())
        return self

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> "Page":
        self.content.append(f"q {colour} rg {x} {HEIGHT - y - height} {width} {height} re f Q".encode())
        return self

    def grid(self, xs: Sequence[float], ys: Sequence[float], rows: Sequence[Sequence[str]]) -> "Page":
        """A ruled table."""
        for x in xs:
            self.rule(x, ys[0], x, ys[-1])
        for y in ys:
            self.rule(xs[0], y, xs[-1], y)
        for row, top in zip(rows, ys, strict=False):
            for cell, left in zip(row, xs, strict=False):
                if cell:
                    self.text(left + 3, top + 14, cell)
        return self

    def link(self, x: float, y: float, width: float, height: float, url: str) -> "Page":
        self.links.append(((x, HEIGHT - y - height, x + width, HEIGHT - y), url))
        return self


def pdf(*pages: Page, title: str = "", made: str = "", trailer: bytes = b"") -> bytes:
    """A whole PDF of the pages."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", FONT]
    names = []
    for page in pages:
        content = zlib.compress(b"\n".join(page.content))
        objects.append(
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(content), content)
        )
        links = b"".join(
            b"<< /Type /Annot /Subtype /Link /Rect [%s] /A << /S /URI /URI (%s) >> >> "
            % (" ".join(map(str, box)).encode(), url.encode())
            for box, url in page.links
        )
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents %d 0 R /Annots [%s]"
            b" /Resources << /Font << /F1 3 0 R >> >> %s >>"
            % (WIDTH, HEIGHT, len(objects), links, page.extra)
        )
        names.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(names), b" ".join(names))
    dates = f"/CreationDate (D:{made})" if made else ""
    objects.append(f"<< /Title <feff{title.encode('utf-16-be').hex()}> {dates} >>".encode())
    return assembled(objects, b"/Info %d 0 R %s" % (len(objects), trailer))


def assembled(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Objects as a file with its table of places."""
    data, places = bytearray(b"%PDF-1.7\n"), []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    start = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        trailer,
        start,
    )
    return bytes(data)
