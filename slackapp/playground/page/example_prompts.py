"""Example questions about the pages of the sample site; one has no link, and is answered by a search."""

from fetcher.sample import PAGES

URLS = {page.host: page.url for page in reversed(PAGES)}

PROMPTS = (
    {
        "id": "price",
        "url": URLS["shop.sample"],
        "ja": {"title": "料金表をCSVにする", "text": "の料金表をCSVにして"},
        "en": {"title": "Turn a price table into CSV", "text": "Export the price table as CSV"},
    },
    {
        "id": "search",
        "url": "",
        "ja": {
            "title": "リンクなしで聞く（サンプルのWeb検索）",
            "text": "コーヒー豆の定期便で一番安いのは？",
        },
        "en": {
            "title": "Ask without a link (a search over the sample pages)",
            "text": "コーヒー豆の定期便 (Which coffee subscription is the cheapest?)",
        },
    },
    {
        "id": "news",
        "url": URLS["news.sample"],
        "ja": {"title": "ニュース記事を要約する", "text": "の要点をまとめて"},
        "en": {"title": "Summarise a news article", "text": "Summarise this article"},
    },
    {
        "id": "hours",
        "url": URLS["old.sample"],
        "ja": {"title": "Shift_JISのページから開館時間を調べる", "text": "土曜日の開館時間は？"},
        "en": {
            "title": "Find opening hours on a Shift_JIS page",
            "text": "開館時間 (What are the opening hours?)",
        },
    },
    {
        "id": "forum",
        "url": URLS["forum.sample"],
        "ja": {"title": "掲示板の回答を探す", "text": "トマトを赤くする方法は？"},
        "en": {
            "title": "Find the answer in a forum",
            "text": "トマトを赤くする方法 (How do tomatoes turn red?)",
        },
    },
    {
        "id": "script",
        "url": URLS["app.sample"],
        "ja": {"title": "JavaScriptで表示されるページを読む", "text": "今週のランチをCSVにして"},
        "en": {"title": "Read a page that only scripts fill", "text": "Export this week's lunch as CSV"},
    },
    {
        "id": "report",
        "url": URLS["ir.sample"],
        "ja": {"title": "決算短信（PDF）の表をExcelにする", "text": "2ページ目の表をExcelで"},
        "en": {
            "title": "Turn a table of a PDF into Excel",
            "text": "2ページ目の表をExcelで (the table on page 2)",
        },
    },
    {
        "id": "injection",
        "url": URLS["trap.sample"],
        "ja": {"title": "AIへの指示が隠されたページを読む", "text": "加湿器の選び方を教えて"},
        "en": {
            "title": "Read a page that tries to instruct the AI",
            "text": "加湿器の選び方 (How do I choose a humidifier?)",
        },
    },
    {
        "id": "metadata",
        "url": URLS["moved.sample"],
        "ja": {"title": "社内アドレスへ転送するページを開く", "text": "このページを読んで"},
        "en": {"title": "Open a page that redirects to an internal address", "text": "Read this page"},
    },
)
"""English questions also hold Japanese words of the page: the offline reader searches for words."""
