"""The reading mode `article` on pages as Japanese sites build them."""

import pytest

from fetcher.codes import ReadingMode
from fetcher.web.reading.extract import extract
from fetcher.web.reading.extract.features import PROSE, weight
from fetcher.web.reading.markdown.writer import render

STORY = [
    "東京都内で十二日、気温が三十五度を超える猛暑日となり、気象庁は熱中症への警戒を呼びかけた。",
    "都心では午後二時すぎに三十六度二分を観測し、今年最も高い気温を記録した。救急搬送は百人を超えたという。",
    "専門家は「こまめな水分補給と、適切な冷房の使用を心がけてほしい」と話している。週末も暑さが続く見込みだ。",
]
PARAGRAPHS = "".join(f"<p>{text}</p>" for text in STORY)

NEWS = f"""<html lang="ja"><head><title>都心で猛暑日 | 例新聞</title>
<meta property="og:type" content="article"></head><body>
<header><a href="/">例新聞</a><nav><ul><li><a href="/a">政治</a><li><a href="/b">経済</a></ul></nav>
</header>
<ol class="topicpath"><li><a href="/">トップ</a><li><a href="/s">社会</a></ol>
<div class="wrapper"><div class="contents"><h1>都心で猛暑日、今年最高の三十六度</h1>
<p>2024年7月12日 18時30分</p>
<div class="snsBox"><ul><li><a href="#">ツイート</a><li><a href="#">シェアする</a><li>
<a href="#">はてなブックマーク</a></ul></div>
{PARAGRAPHS}
<div class="box"><p class="ttl">関連記事</p><ul><li><a href="/1">熱中症を防ぐ五つの方法</a><li>
<a href="/2">冷房の賢い使い方とは</a></ul></div>
<div class="box"><h3>アクセスランキング</h3><ol><li><a href="/3">駅前の新しい店が話題に</a><li>
<a href="/4">来週の天気予報</a></ol></div>
</div><div class="sidemenu"><h2>新着ニュース</h2><ul><li><a href="/5">株価が大幅に上昇</a></ul></div></div>
<footer>著作権は例新聞に帰属します。</footer></body></html>"""

QUESTIONS = f"""<html lang="ja"><title>冷房の温度 - 知恵の広場</title><body>
<script type="application/ld+json">{{"@context":"https://schema.org","@type":"QAPage"}}</script>
<div class="header_menu"><a href="/">質問を探す</a> <a href="/login">ログイン</a></div>
<div class="question"><h1>冷房は何度に設定するのがよいですか</h1><p>{STORY[0]}</p></div>
<div class="answer"><p class="user">回答者さん</p><p>{STORY[1]}</p></div>
<div class="answer comment"><p>{STORY[2]}</p></div>
<div><h2>関連する記事</h2><ul><li><a href="/9">扇風機の選び方を教えてください</a></ul></div></body>
</html>"""

PRODUCT = f"""<html lang="ja"><title>保温水筒 500ml</title><meta property="og:type" content="product"><body>
<div id="gnav"><a href="/c/1">台所用品</a><a href="/c/2">日用品</a></div>
<div class="item"><h1>保温水筒 500ml</h1><p>三千二百円(税込)</p><button>カートに入れる</button>
<div class="description"><p>{STORY[2]}</p><p>{STORY[0]}</p></div>
<table><tr><th>容量</th><td>500ml</td></tr><tr><th>素材</th><td>ステンレス鋼</td></tr></table></div>
<div><p>この商品を買った人はこんな商品も買っています</p><div><a href="/p/2">弁当箱 二段</a></div></div>
<ul><li>急須 朱泥<br>4,800円から<li>湯のみ 大<br>1,200円から</ul>
<div><h2>カスタマーレビュー</h2><p>とても使いやすいです。</p></div></body></html>"""

BLOG = f"""<html lang="ja"><title>夏の日記</title><body><div id="container"><div id="blog-title">
<a href="/">私の日記</a></div>
<div id="main"><div class="entry"><h2 class="entry-title">暑い一日</h2>
<div class="entry-content">{PARAGRAPHS}</div>
<div class="entry-footer"><a href="/tag/summer">夏</a></div></div>
<div class="comment-box"><p>コメントを書く</p><form><label>名前</label><textarea></textarea></form></div>
</div>
<div id="sidebar"><div><h3>最新記事</h3><ul><li><a href="/x">旅の支度をしています</a></ul></div>
<div><h3>月別アーカイブ</h3><ul><li><a href="/2024/06">2024年6月</a></ul></div></div></div></body></html>"""

DOCS = f"""<html lang="ja"><title>導入手順</title><body><div class="sidebar-nav"><a href="/docs/a">概要</a>
</div>
<main><h1>導入手順</h1><p>{STORY[2]}</p><pre><code>pip install example</code></pre>
<h2>コメント</h2>
<p>行の先頭に番号記号を書くと、その行はコメントになります。設定ファイルでも同じ書き方が使えます。</p></main>
<div class="pager"><a href="/docs/b">次のページへ進む</a></div></body></html>"""

CITY = f"""<html lang="ja"><title>ごみの出し方 | 例市</title><body><div id="tmp_wrap"><div id="tmp_header">
<ul id="tmp_gnavi"><li><a href="/k">暮らし</a>
</ul></div><div id="tmp_pankuzu"><p><a href="/">トップページ</a> &gt; ごみの出し方</p></div>
<div id="tmp_contents"><h1>ごみの出し方</h1><p>{STORY[1]}</p>
<table><caption>収集日</caption><tr><th>地区</th><th>燃えるごみ</th></tr><tr><td>中央一丁目</td>
<td>月曜日と木曜日</td></tr></table>
<h2>関連情報</h2><ul><li><a href="/k">粗大ごみの申し込み</a></ul><p><a href="/l">家電の処分</a></p>
<h2>お問い合わせ</h2><p>環境課 電話 00-0000-0000</p></div>
<div id="tmp_footer"><p>例市役所 郵便番号 000-0000</p></div></div></body></html>"""

TABLE_LAYOUT = f"""<html><title>会社の沿革</title><body><table width="780"><tr><td colspan="2">
<img src="logo.gif" alt="例商店"></td></tr>
<tr><td width="150" class="menu"><a href="a.html">商品案内</a><br><a href="b.html">会社概要</a><br>
<a href="c.html">地図</a></td>
<td><font size="4"><b>会社の沿革</b></font><br><br>{STORY[0]}<br>{STORY[1]}<br><br>{STORY[2]}</td></tr>
<tr><td colspan="2"><a href="index.html">表紙に戻る</a></td></tr></table></body></html>"""

LIST = (
    '<html lang="ja"><title>お知らせ一覧</title><body><nav><a href="/">トップ</a></nav>'
    '<div id="contents"><h1>お知らせ一覧</h1><ul>'
    + "".join(
        f'<li>2024年7月{day}日 <a href="/n/{day}">第{day}回 説明会を開催します</a></li>'
        for day in range(1, 9)
    )
    + "</ul></div></body></html>"
)

RANKING = f"""<html lang="ja"><title>水筒</title><meta property="og:type" content="article"><body><article>
<div class="lead"><h1>人気の水筒ランキング</h1><p>編集部が選んだ品を順に紹介します。</p></div>{PARAGRAPHS}
<section><h2>編集部のランキング</h2><table><tr><th>順位<th>品名<tr><td>1位<td>保温水筒
<tr><td>2位<td>軽い水筒</table></section>
<h2>読者のランキング</h2><p>1位は去年に続いて保温水筒でした。</p><p>{"。".join(STORY)}</p>
<section><h2>写真のランキング</h2><div><img src="/i" alt=""></div><p>1位 青い水筒</p></section>
<div><h2><span>売れ筋ランキング</span></h2></div><h3>1位 <a href="/5">白い水筒</a></h3>
<p>口が広くて洗いやすい。</p><h3><a href="/6">黒い水筒</a></h3><p>軽くて持ち運びやすい。</p>
<div class="box"><div><h3>■記事ランキング</h3></div><ol><li><a href="/3">駅前の新しい店が話題に</a>
<li><a href="/4">来週の天気予報</a></ol></div></article></body></html>"""

RESTAURANT = f"""<html lang="ja"><title>そば処</title><body><div><h1>そば処</h1><p>{STORY[0]}</p>
<h2>おすすめ</h2><ul><li>天ざる 1,500円<li>鴨南蛮 1,300円</ul>
<section><h2>おすすめ</h2><p>夏は冷やしたぬき。</p></section><p>{STORY[1]}</p><p>{STORY[2]}</p>
<section><h2>おすすめ</h2><a href="/a">近くの温泉宿</a></section></div></body></html>"""

HOME = f"""<html lang="ja"><title>例工業</title><body><nav><a href="/c">会社概要</a></nav><main>
<h1>例工業株式会社</h1>{PARAGRAPHS}<section><h2>新着記事</h2><ul><li><a href="/n1">夏季休業について</a></ul>
</section><section><h2>所在地</h2><p>東京都千代田区一丁目</p></section></main></body></html>"""

PAGES = {
    "news": (
        NEWS,
        STORY,
        ["政治", "トップ", "シェアする", "熱中症を防ぐ", "ランキング", "駅前の", "株価", "著作権"],
    ),
    "questions": (QUESTIONS, STORY, ["ログイン", "扇風機"]),
    "product": (
        PRODUCT,
        [STORY[2], "ステンレス鋼", "三千二百円"],
        ["日用品", "カートに入れる", "弁当箱", "湯のみ", "使いやすい"],
    ),
    "blog": (BLOG, STORY, ["コメントを書く", "旅の支度", "2024年6月"]),
    "docs": (DOCS, [STORY[2], "pip install example", "番号記号"], ["概要", "次のページ"]),
    "city": (
        CITY,
        [STORY[1], "月曜日と木曜日", "環境課", "## 関連情報", "粗大ごみ", "家電"],
        ["トップページ", "例市役所"],
    ),
    "table_layout": (TABLE_LAYOUT, STORY, ["会社概要", "例商店"]),
    "ranking": (
        RANKING,
        [
            *STORY,
            "# 人気の水筒ランキング",
            "順に紹介",
            "## 編集部の",
            "軽い水筒",
            "## 読者の",
            "去年に続いて",
            "## 写真の",
            "青い水筒",
            "## 売れ筋",
            "白い水筒",
        ],
        ["記事ランキング", "駅前の"],
    ),
    "restaurant": (RESTAURANT, ["## おすすめ\n\n- 天ざる", "## おすすめ\n\n夏は"], ["温泉宿"]),
    "list": (LIST, ["第1回 説明会", "第8回 説明会", "7月3日"], ["トップ"]),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_content_is_kept_and_the_rest_left_out(name):
    """Stories, answers, tables and lists are read; menus, rankings and share boxes are not."""
    html, kept, dropped = PAGES[name]
    text = render(extract(html, "https://example.jp/page", mode=ReadingMode.ARTICLE))
    assert [part for part in kept if part not in text] == []
    assert [part for part in dropped if part in text] == []


@pytest.mark.parametrize(("path", "kept"), [("/", True), ("/ja/index.html", True), ("/access.html", False)])
def test_new_articles_are_content_on_the_front_page_of_a_site(path, kept):
    """Everywhere else they are an aside."""
    text = render(extract(HOME, f"https://example.jp{path}", mode=ReadingMode.ARTICLE))
    assert ("夏季休業について" in text) is kept
    assert "千代田区" in text


LINKS = '<ul><li><a href="/c.pdf">ごみ収集カレンダー（PDF）</a><li><a href="/b">粗大ごみの申し込み</a></ul>'
"""Forms and further pages on the subject."""


@pytest.mark.parametrize("wrapper", ["<h2>{0}</h2>{1}", "<section><h2>{0}</h2>{1}</section>"])
@pytest.mark.parametrize(
    ("heading", "kept"),
    [
        ("関連リンク", True),
        ("■関連情報", True),
        ("関連ページ", True),
        ("関連コンテンツ", True),
        ("新着情報", True),
        ("関連記事", False),
        ("関連ニュース", False),
        ("関連商品", False),
        ("最新の記事", False),
        ("最近の記事", False),
    ],
)
@pytest.mark.parametrize("declared", ["website", "article"])
def test_links_on_the_subject_are_kept_unless_the_page_is_a_story(declared, heading, kept, wrapper):
    """What a city's page leads to can be followed; other articles and products are an aside anywhere."""
    html = (
        f'<meta property="og:type" content="{declared}"><body><main><h1>ごみの出し方</h1>{PARAGRAPHS}'
        f"{wrapper.format(heading, LINKS)}<h2>お問い合わせ</h2><p>環境課</p></main></body>"
    )
    text = render(extract(html, "https://city.example.jp/kurashi/gomi.html", mode=ReadingMode.ARTICLE))
    expected = kept and declared == "website"
    assert [part in text for part in (heading, "カレンダー", "粗大ごみ")] == [expected] * 3
    assert "環境課" in text


@pytest.mark.parametrize(
    ("below", "kept"),
    [
        ("<p><img src=/i></p><ol><li>保温水筒<li>軽い水筒</ol>", True),
        ("<p><img src=/i></p><ol><li><a href=/3>駅前の店</a></ol>", False),
        ("<h3><a href=/3>保温水筒</a></h3><p>去年に続いて一番人気でした。</p>", True),
        ("<h3><a href=/3>駅前の店</a></h3><h3><a href=/4>来週の天気</a></h3>", False),
        ("<ul><li><a href=/3>保温水筒</a></ul><h3>選び方</h3><p>軽くて丈夫な品を選びました。</p>", True),
        ("<ul><li><a href=/3>駅前の店</a></ul><h2>選び方</h2><p>軽くて丈夫な品を選びました。</p>", False),
        ("<ul><li><a href=/3>駅前の店</a></ul></section><p>軽くて丈夫な品を選びました。</p>", False),
    ],
)
@pytest.mark.parametrize("title", ["<h2>{}</h2>", "<div><h2>{}</h2></div>", "<h2><span>{}</span></h2>"])
def test_a_ranking_is_judged_by_all_that_stands_below_its_heading(title, below, kept):
    """Up to the next heading of its rank: pictures say nothing, and a linked subheading not all."""
    html = (
        f'<meta property="og:type" content="article"><body><h1>水筒</h1>{PARAGRAPHS}'
        f"<section>{title.format('人気ランキング')}{below}</section></body>"
    )
    text = render(extract(html, "https://example.jp/page", mode=ReadingMode.ARTICLE))
    assert ("## 人気ランキング" in text) is kept


@pytest.mark.parametrize("title", ["レビュー", "おすすめ記事", "アクセスランキング"])
def test_a_pages_own_title_heads_no_tail(title):
    """Not even where it is a word that others put over what is no content."""
    html = f'<meta property="og:type" content="article"><body><h1>{title}</h1>{PARAGRAPHS}</body>'
    text = render(extract(html, "https://example.jp/page", mode=ReadingMode.ARTICLE))
    assert text.startswith(STORY[0])


@pytest.mark.parametrize(
    ("text", "is_prose"), [("a" * 79, False), ("a" * 80, True), ("あ" * 34, False), ("あ" * 36, True)]
)
def test_japanese_prose_is_as_long_as_english_prose(text, is_prose):
    """About 35 Japanese characters weigh what 80 Latin ones do."""
    assert (weight(text) >= PROSE) is is_prose
