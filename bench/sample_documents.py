"""Makes the documents of the sample web: `python -m bench.sample_documents`, with Chromium and playwright.

They are made once and kept with the pages (`fetcher/sample/pages/`). All names and figures are made up.
"""

import io
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from fetcher.agent.files.workbooks import workbook
from fetcher.web.browser import command_line
from fetcher.web.values import Table

PAGES = Path(__file__).parent.parent / "fetcher" / "sample" / "pages"

REPORT = """<!doctype html><html lang="ja"><title>令和8年3月期 決算短信（あおば珈琲株式会社）</title>
<style>body{font:11pt "Noto Serif CJK JP",serif} table{border-collapse:collapse}
td,th{border:1px solid;padding:4px 10px} section{break-after:page} td+td{text-align:right}</style>
<section><h1>令和8年3月期 決算短信</h1><p>あおば珈琲株式会社（架空の会社です）</p>
<p>当期は、定期便の会員数が1万2千人を超え、売上高は前期比20.0％増の12億円となりました。</p>
<p>期末配当は1株あたり35円を予定しています。</p>
</section><section><h2>連結経営成績</h2><table><tr><th>項目<th>前期（百万円）<th>当期（百万円）</tr>
<tr><td>売上高<td>1,000<td>1,200</tr><tr><td>営業利益<td>△40<td>96</tr><tr><td>経常利益<td>△35<td>101</tr>
<tr><td>当期純利益<td>△52<td>63</tr></table><p>営業利益は、焙煎工場の稼働率が上がったことにより黒字に転じました。</p>
</section><section style="break-after:auto"><h2>次期の見通し</h2>
<p>次期の売上高は14億円、営業利益は1億3千万円を見込んでいます。想定為替レートは1ドル150円です。</p></section></html>"""

SHEETS = {
    "売上": Table(
        caption="売上",
        header=("月", "店舗", "オンライン"),
        rows=(("2026-01", "4200", "3100"), ("2026-02", "3900", "3300"), ("2026-03", "4700", "3800")),
    ),
    "店舗": Table(
        caption="店舗",
        header=("店名", "開店日", "席数"),
        rows=(("青葉通り店", "2019-04-01", "32"), ("駅前店", "2022-11-15", "18")),
    ),
    "商品": Table(
        caption="商品",
        header=("商品", "価格"),
        rows=(("深煎り 200g", "1480"), ("浅煎り 200g", "1520"), ("ドリップバッグ 10袋", "1200")),
    ),
}

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
MANUAL = (
    ("Heading1", "焙煎機の点検手順"),
    ("Normal", "焙煎機は、毎週月曜日の開店前に点検します。担当は店長です。"),
    ("Heading2", "点検の項目"),
    ("Normal", "ガス圧は2.0キロパスカルから2.8キロパスカルの間であることを確かめます。"),
    ("Normal", "排気ダクトは3か月に1回、業者に清掃を依頼します。"),
)


def main() -> None:
    (PAGES / "kessan.pdf").write_bytes(_printed(REPORT))
    (PAGES / "uriage.xlsx").write_bytes(workbook(SHEETS))
    (PAGES / "tenken.docx").write_bytes(_word_file())


def _printed(html: str) -> bytes:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=command_line.find(""), args=["--no-sandbox"])
        page = browser.new_page()
        page.set_content(html)
        content = page.pdf(format="A4", print_background=True)
        browser.close()
    return content


def _word_file() -> bytes:
    told = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in MANUAL
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>'
        for n in (1, 2)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    parts = {
        "[Content_Types].xml": f'{head}<Types xmlns="{_TYPES}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_MAIN}"/></Types>',
        "_rels/.rels": f'{head}<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'{head}<Relationships xmlns="{_RELATIONS}"><Relationship Id="r1" '
        f'Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "word/styles.xml": f'{head}<w:styles xmlns:w="{_WORD}">{styles}</w:styles>',
        "word/document.xml": f'{head}<w:document xmlns:w="{_WORD}"><w:body>{told}</w:body></w:document>',
    }
    content = io.BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return content.getvalue()


if __name__ == "__main__":
    main()
