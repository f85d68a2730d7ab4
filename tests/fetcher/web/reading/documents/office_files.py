"""Small files of Office, written by hand."""

import io
from collections.abc import Mapping, Sequence
from zipfile import ZIP_DEFLATED, ZipFile

_TYPES = "application/vnd.openxmlformats-officedocument."
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def archive(parts: Mapping[str, str | bytes]) -> bytes:
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as zipped:
        for name, part in parts.items():
            zipped.writestr(name, part)
    return content.getvalue()


def relations(*rows: tuple[str, str, str, str]) -> str:
    """Rows of id, kind, target and further attributes."""
    told = "".join(
        f'<Relationship Id="{name}" Type="{_RELATION}/{kind}" Target="{target}" {more}/>'
        for name, kind, target, more in rows
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{told}</Relationships>'


def types(**parts: str) -> str:
    told = "".join(
        f'<Override PartName="{name}" ContentType="{_TYPES}{kind}"/>' for name, kind in parts.items()
    )
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f"{told}</Types>"
    )


def workbook(sheets: Mapping[str, str]) -> bytes:
    """A workbook of sheets, each the XML of its `sheetData` and what follows it."""
    names = "".join(
        f'<sheet name="{name}" sheetId="{at}" r:id="r{at}"/>' for at, name in enumerate(sheets, start=1)
    )
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": types(
            **{"/xl/workbook.xml": "spreadsheetml.sheet.main+xml"},
            **{
                f"/xl/worksheets/sheet{at}.xml": "spreadsheetml.worksheet+xml"
                for at in range(1, len(sheets) + 1)
            },
        ),
        "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml", "")),
        "xl/workbook.xml": (
            f'{_HEAD}<workbook xmlns="{_SHEET}" xmlns:r="{_RELATION}"><sheets>{names}</sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": relations(
            *((f"r{at}", "worksheet", f"worksheets/sheet{at}.xml", "") for at in range(1, len(sheets) + 1))
        ),
    }
    for at, data in enumerate(sheets.values(), start=1):
        parts[f"xl/worksheets/sheet{at}.xml"] = f'{_HEAD}<worksheet xmlns="{_SHEET}">{data}</worksheet>'
    return archive(parts)


def rows(cells: Sequence[Sequence[object]]) -> str:
    """The `sheetData` of rows of texts and numbers."""
    told = []
    for row, line in enumerate(cells, start=1):
        told.append(f'<row r="{row}">')
        for column, value in enumerate(line):
            place = f"{chr(65 + column)}{row}"
            if isinstance(value, str) and value:
                told.append(f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>')
            elif value != "":
                told.append(f'<c r="{place}"><v>{value}</v></c>')
        told.append("</row>")
    return f"<sheetData>{''.join(told)}</sheetData>"


def docx(body: str, *, head: str = _HEAD, styles: str = "") -> bytes:
    """A Word file with the XML of its body, and of more styles; `r9` is a link."""
    names = f'xmlns:w="{_WORD}" xmlns:r="{_RELATION}"'
    style = '<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>'
    link = ("r9", "hyperlink", "https://docs.example/more", 'TargetMode="External"')
    return archive(
        {
            "[Content_Types].xml": types(**{"/word/document.xml": "wordprocessingml.document.main+xml"}),
            "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml", "")),
            "word/_rels/document.xml.rels": relations(link),
            "word/styles.xml": f"{_HEAD}<w:styles {names}>{styles}{style}</w:styles>",
            "word/document.xml": f"{head}<w:document {names}><w:body>{body}</w:body></w:document>",
        }
    )


def paragraph(text: str, style: str = "") -> str:
    shape = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{shape}<w:r><w:t>{text}</w:t></w:r></w:p>"


def word_table(cells: Sequence[Sequence[str]]) -> str:
    lines = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in cells)
    return f"<w:tbl>{''.join(f'<w:tr>{line}</w:tr>' for line in lines)}</w:tbl>"
