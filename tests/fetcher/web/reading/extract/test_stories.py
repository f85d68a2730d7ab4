"""The reading mode `article` on stories: their body is found, and what surrounds it is left out."""

import pytest

from fetcher.web.reading.readers import article_markdown, srd_markdown

PROSE = [
    f"Sentence number {number} of a story that somebody wrote about the river, the mill and the long summer."
    for number in range(20)
]
STORY = "".join(f"<p>{text}</p>" for text in PROSE)
SHORT = "".join(f"<p>{text}</p>" for text in PROSE[:4])
CARDS = "".join(
    f'<div class=card><a href="/s{n}"><img src=i></a><b>Another tale {n} of the valley</b></div>'
    for n in range(4)
)


def _read(body: str, head: str = "", url: str = "https://example.com/a") -> str:
    return article_markdown(f"<title>t</title>{head}<body>{body}</body>".encode(), url)


@pytest.mark.parametrize(
    "after",
    [
        '<div class=x><h4>Elsewhere</h4><ul><li><a href="/b">Elsewhere in the valley</a></ul>Elsewhere</div>',
        f"<div>{CARDS.replace('tale', 'Elsewhere')}</div>",
        "<div id=comments><p>Elsewhere, said a reader who had been at the mill before.</p></div>",
        "<section class=box><form>Elsewhere <input></form></section>",
        "<h3>Ähnliche Elsewhere Beiträge</h3>",
        "<div class=x>" + f'<p>Told Elsewhere: {PROSE[0]} <a href="/b">The valley now</a></p>' * 6 + "</div>",
    ],
)
def test_what_follows_the_body_of_an_undeclared_story_is_left_out(after):
    """A page with one long text is a story, also if it does not say so."""
    text = _read(f"<div id=w><div id=text><h1>Title</h1>{STORY}</div>{after}</div>")
    assert "Elsewhere" not in text
    assert [part for part in PROSE if part not in text] == []


@pytest.mark.parametrize(
    "after",
    [
        "<div class=more><table><tr><th>Year<th>Rain<tr><td>2024<td>FACT mm</table></div>",
        "<div class=hours>Open daily 10:00 to 18:00, FACT</div>",
        "<div class=prices><dl><dt>Adults<dd>500円 FACT</dl></div>",
        "<p>FACT</p>",
    ],
)
def test_data_and_facts_after_the_body_are_kept(after):
    """Where a longer section follows too, which belongs to the story."""
    section = f"<div class=more><p>{PROSE[0]} Once more.</p><p>{PROSE[1]} Once more.</p></div>"
    text = _read(f"<div id=w><div class=part><h1>Title</h1>{SHORT * 2}</div>{section}{after}</div>")
    assert "FACT" in text


@pytest.mark.parametrize(
    "day", ["2019年04月28日 08時00分", "2026-05-03", "May 3, 2026", "3. Mai 2026", "3.5.2026"]
)
def test_a_short_text_below_a_title_with_a_date_is_a_story(day):
    """Links to other stories are left out."""
    links = "".join(f'<li><a href="/l{n}">Elsewhere in the valley {n}</a>' for n in range(30))
    page = f"<div><h1>Title</h1><p>{{}}</p><div>{SHORT}</div><div class=s><ul>{links}</ul></div></div>"
    assert "Elsewhere" not in _read(page.format(day))
    assert "Elsewhere" in _read(page.format("In the valley"))


def test_links_in_a_sentence_beside_the_body_of_a_story_stay():
    """Only where they are all that a block says are they cards."""
    links = [f'<a href="/{name}">the {name}</a>' for name in ("river", "mill", "road")]
    note = f"<p>A note about {links[0]}, {links[1]} and {links[2]} of this quiet valley.</p>"
    text = _read(f"<article><div class=x>{STORY}</div><div class=x>{SHORT}{note}</div></article>")
    assert "A note about [the river](https://example.com/river), [the mill]" in text


def test_a_paragraph_that_begins_with_the_credit_of_its_picture_stays():
    credited = (
        "<p><span><img src=/p.png>© Provided by Press</span>The mayor has told us more about it, and what he "
    )
    credited += "told us was new to all of the people who live along the river.</p>"
    text = _read(f"<article>{STORY}{credited}<p>© 2026 Press. {PROSE[2]}</p></article>")
    assert "The mayor has told us" in text
    assert "2026 Press" not in text


def test_a_list_of_a_story_keeps_its_linked_entries():
    """Unless most of the list is links: then it leads elsewhere."""
    linked = '<li><a href="/5">Bug 5, about the logins menu</a> by Ann</li>'
    told = "<li>The mill turns faster now than it did in the spring, said Ben</li>" * 2
    assert "logins menu" in _read(f"<article>{STORY}<ul>{told}{linked}</ul></article>")
    assert "logins menu" not in _read(f"<article>{STORY}<ul>{linked * 4}</ul></article>")


@pytest.mark.parametrize(
    "story",
    [
        f"<article><h1>Title</h1>{SHORT}</article>",
        f'<div><div itemprop="articleBody">{SHORT}</div></div>',
        f'<div itemscope itemtype="https://schema.org/NewsArticle"><h1>Title</h1>{SHORT}</div>',
    ],
)
def test_text_with_links_behind_the_one_story_of_a_page_does_not_belong_to_it(story):
    """Not even if it is longer: live news, for example."""
    live = "".join(
        f'<li><div><a href="/{n}">Live from the valley</a><p>Elsewhere: {PROSE[n]}</p></div></li>'
        for n in range(12)
    )
    after = f"<div class=live><ul>{live}</ul></div><div class=x>Open daily, TEL 03-5555-0142</div>"
    text = _read(f"<main><div>{story}</div>{after}</main>", '<meta property="og:type" content="article">')
    assert PROSE[3] in text
    assert "Elsewhere" not in text
    assert "03-5555-0142" in text


def test_unlinked_text_and_facts_behind_the_one_story_of_a_page_are_read():
    """A correction, how to apply, whom to ask: also in blocks that are longer than the story."""
    story = f"<article><h1>Title</h1>{SHORT}</article>"
    more = "".join(
        f"<div><div><div><h2>Part {n}</h2><p>{PROSE[n]}</p></div></div></div>" for n in range(8, 14)
    )
    fees = "<p>大人500円、小学生以下は無料</p>"
    fees = f'<div><h2>概要</h2>{fees}<p>くわしくは<a href="/q">窓口</a>へ</p></div>'
    text = _read(f"<main>{story}{more}{fees}</main>", '<meta property="og:type" content="article">')
    assert [prose for prose in PROSE[8:14] if prose not in text] == []
    assert "大人500円" in text


@pytest.mark.parametrize("name", ["cta", "banner", "form-factor", "application-form", "feedback", "excerpt"])
def test_facts_in_a_story_are_read_whatever_their_block_is_called(name):
    fees = "<p>一般 5,000円、学生 2,000円。申込締切は2024年6月30日です。電話でお申し込みください。</p>"
    text = _read(f'<article><h1>Title</h1>{STORY}<div class="{name}"><div>{fees}</div></div></article>')
    assert "5,000円" in text


@pytest.mark.parametrize("name", ["content has-sidebar", "row no-sidebar", "layout-sidebar", "nav"])
def test_a_list_of_links_is_read_if_its_name_is_about_what_stands_beside_it(name):
    """Or if it has telephone numbers."""
    links = "".join(f'<li><a href="/{n}">第{n}営業所 03-5555-01{n}</a></li>' for n in range(10, 25))
    text = _read(f'<h1>Title</h1><p>{PROSE[0]}</p><div class="{name}"><ul>{links}</ul></div>')
    assert "第12営業所" in text


def test_terms_in_a_form_are_read():
    terms = "当日のキャンセルは全額を申し受けます。前日の正午までにご連絡いただければ、費用はかかりません。"
    form = f"<form><p>{terms}</p><label>お名前<input name=n></label></form>"
    assert terms in _read(f"<article><h1>Title</h1>{STORY}{form}</article>")


def test_of_several_articles_each_is_read():
    parts = "".join(f"<article class=part><p>{text}</p><p>{text[::-1]}</p></article>" for text in PROSE[:6])
    text = _read(f"<main>{parts}</main>", '<meta property="og:type" content="article">')
    assert [prose for prose in PROSE[:6] if prose not in text] == []


def test_a_text_beside_prices_and_other_texts_is_not_a_story():
    """The facts of wares stand around it."""
    others = "".join(f"<div><div><div><p>{text} {text}</p></div></div></div>" for text in PROSE[8:14])
    facts = '<ul><li>By <a href="/p">Mill Press</a></li><li>In <a href="/s">Tales of the valley</a></li></ul>'
    page = f"<main><h1>Title</h1><div>{{}}</div>{facts}<div>{SHORT}{SHORT}</div>{others}</main>"
    assert "Mill Press" in _read(page.format("<p>$13.20</p>"))
    assert "Mill Press" not in _read(page.format("<p>A tale</p>"))


def test_a_shop_is_not_a_story():
    """A page with many prices stays a list, whatever text introduces it."""
    goods = "".join(f'<li><a href="/g{n}">Cup {n}, blue</a> ${n}.00</li>' for n in range(40))
    assert "Cup 7" in _read(f"<div><h1>Cups</h1><div>{SHORT * 2}</div><ul>{goods}</ul></div>")


def test_a_lead_in_the_head_of_a_story_is_read():
    """Also where the paragraphs stand in a block of their own; the note about the author is not."""
    lead = "This is what the story is about, in two lines, for those who have no time to read all of it."
    about = "Ann Author writes about valleys, rivers and mills, and has done so for as long as she can think."
    head = f"<h1>Title</h1><p>{lead}</p><div class=author><p>{about}</p></div>"
    text = _read(f"<article><header>{head}</header><div class=t>{STORY}</div></article>")
    assert lead in text
    assert about not in text


@pytest.mark.parametrize(
    "lead",
    [
        "<h2 class=subtitle>The mill opens on Sunday, and the bridge is closed.</h2>",
        '<div class="article-excerpt big">The mill opens on Sunday, <b>says</b> its owner to the town.</div>',
        "<p>The mill opens on Sunday.<br>The bridge is closed until May.<br>The ferry goes all day long.</p>",
    ],
)
def test_a_lead_of_short_sentences_is_read(lead):
    """If it is called a lead, or is a paragraph of several."""
    byline = '<div class=by>By <a href="/mori">Mori</a>, who writes about the valley for us</div>'
    article = '<meta property="og:type" content="article">'
    head = f"<header><h1>Title</h1>{lead}{byline}</header>"
    text = _read(f"<article>{head}<div>{STORY}</div></article>", article)
    assert "The mill opens on Sunday" in text
    assert "Mori" not in text


def test_links_above_a_story_are_no_lead_and_a_lead_is_read_once():
    """Its first words can stand in the text again."""
    article = '<meta property="og:type" content="article">'
    links = "".join(f'<a href="/{n}">Tales of the valley, part {n}</a>, ' for n in range(6))
    again = f"{PROSE[0]} It is told here once more."
    head = f"<header><h1>Title</h1><p>{links}</p><p>{again}</p></header>"
    text = _read(f"<article>{head}<div>{STORY}</div></article>", article)
    assert "Tales of the valley" not in text
    assert text.count(PROSE[0]) == 1


@pytest.mark.parametrize(("tag", "name"), [("p", "paywall"), ("div", "paywall"), ("p", "promo")])
def test_paragraphs_that_only_subscribers_may_read_are_read(tag, name):
    """Each is small, and all of them are the story; so are paragraphs of any name."""
    paragraphs = "".join(f"<{tag} class={name}>{text}</{tag}>" for text in PROSE)
    article = '<meta property="og:type" content="article">'
    text = _read(f"<article><h1>Title</h1><p>The first of all.</p>{paragraphs}</article>", article)
    assert [part for part in PROSE if part not in text] == []
    box = f"<div class={name}><p>Subscribe now and read on.</p></div>"
    assert "Subscribe" not in _read(f"<article><h1>Title</h1>{STORY}{box}</article>", article)


def test_teasers_behind_a_story_in_parts_are_left_out():
    """Each part holds less than half of its text."""
    parts = "".join(f"<div class=row><div>{STORY.replace('Sentence', word)}</div></div>" for word in "ABC")
    teasers = "".join(
        f'<div><h3><a href="/{n}">A tale of the town, number {n}</a></h3><p>Elsewhere {text}</p></div>'
        for n, text in enumerate(PROSE[:8])
    )
    article = '<meta property="og:type" content="article">'
    text = _read(f"<div><div><h1>Title</h1>{parts}</div><div class=latest>{teasers}</div></div>", article)
    assert [text.count(f"{word} number 3 of") for word in "ABC"] == [1, 1, 1]
    assert "Elsewhere" not in text


@pytest.mark.parametrize("name", ["story__sign-in-group", "story_prev_next", "modalwindow"])
def test_boxes_around_a_story_are_left_out_by_their_names(name):
    """Whichever signs part the words of a name."""
    box = f'<div class="{name}"><p>Elsewhere {PROSE[0]}</p></div>'
    text = _read(f"<article><h1>Title</h1>{STORY}{box}<p>{PROSE[1]} The end.</p></article>")
    assert "Elsewhere" not in text
    assert "The end." in text


def test_a_japanese_box_for_members_is_left_out_with_its_list():
    """Also where the list is one of definitions, which are facts elsewhere."""
    body = "<p>都心では午後二時すぎに三十六度二分を観測し、今年最も高い気温を記録した。</p>" * 6
    offers = "<dl><dt>登録すると</dt><dd>電子版が利用できる</dd><dd>記事が読み放題</dd></dl>"
    box = f"<div class=x><p><span><b>この記事は会員限定です。</b></span></p>{offers}</div>"
    text = _read(f"<main><h1>猛暑</h1>{body}{box}</main>", '<meta property="og:type" content="article">')
    assert "三十六度二分" in text
    assert "電子版" not in text


def test_a_story_about_a_product_is_a_story():
    """What sells the product besides is no part of it."""
    types = [f'{{"@type": "{name}"}}' for name in ("NewsArticle", "Product", "Offer")]
    box = "<div class=comments><p>A reader says that the mill has been closed for a year.</p></div>"
    for declared, is_story in ((types, True), (types[1:], False)):
        head = f'<script type="application/ld+json">[{",".join(declared)}]</script>'
        assert ("A reader" not in _read(f"<h1>Title</h1>{SHORT}{box}", head)) is is_story


def test_a_part_of_a_story_with_a_title_of_its_own_is_read():
    head = '<title>The feast of the mill | Town</title><meta property="og:type" content="article">'
    part = f"<article><h1>アクセスと料金</h1>{STORY.replace('story', 'way')}<p>駐車場500円</p></article>"
    page = f"{head}<main><article><h1>The feast of the mill</h1>{STORY}</article>{part}</main>"
    assert "駐車場500円" in article_markdown(page.encode(), "https://example.com/a")


def test_a_short_article_behind_a_story_is_read():
    """It can tell that what the story announces is cancelled."""
    head = '<title>The mill opens | Town</title><meta property="og:type" content="article">'
    said = (
        "The feast on Sunday, May 3, is cancelled because of the rain, and all who paid get their money back."
    )
    note = f"<article><h1>Cancelled</h1><p>{said}</p></article>"
    page = f"{head}<main><article><h1>The mill opens</h1>{SHORT}</article>{note}</main>"
    assert "because of the rain" in article_markdown(page.encode(), "https://example.com/a")


@pytest.mark.parametrize(("stories", "is_story"), [(1, True), (0, False), (5, False)])
def test_a_story_may_name_the_collections_it_belongs_to(stories, is_story):
    """A collection names several stories, or none."""
    types = ["CollectionPage", *["NewsArticle"] * stories]
    data = ",".join(f'{{"@type": "{name}"}}' for name in types)
    head = f'<script type="application/ld+json">[{data}]</script>'
    box = "<div class=comments><p>A reader says that the mill has been closed for a year.</p></div>"
    assert ("A reader" not in _read(f"<h1>Title</h1>{SHORT}{box}", head)) is is_story


def test_a_lead_above_a_story_without_a_title_is_read():
    """What is called an author above it is not."""
    about = "Ann Author writes about valleys, rivers and mills, and has done so for as long as she can think."
    head = f"<div class=head><p>In short: {PROSE[0]}</p></div><div class=author><p>{about}</p></div>"
    text = _read(f"<div id=w>{head}<div id=text>{STORY}</div></div>")
    assert "In short" in text
    assert about not in text


def test_a_header_with_the_title_and_running_text_is_the_head_of_a_story():
    """A header without a title is the site's."""
    main = f"<main><div>{STORY}</div></main>"
    header = "<header>{}<div><p>In short: " + PROSE[0] + "</p></div></header>"
    assert "In short" in _read(header.format("<h1>Title</h1>") + main)
    assert "In short" not in _read(header.format("<b>Site</b>") + main)


LINES = (
    *(
        "Advertisement",
        "Story continues below",
        "This advertisement has not loaded yet, but your article continues below.",
        "We apologize, but this video has failed to load.",
        "Add Example News as a preferred source",
        "Most Popular",
        "Kommentare (12)",
        "Nur angemeldete Benutzer können kommentieren.",
        "Weiterführende Links:",
        "5 minute read",
        "Last updated 6 hours ago",
        "Empfohlener redaktioneller Inhalt",
        "Read more: the mill",
        "Foto: Ann Author",
        "The old wheel of the mill © The Valley News",
        "The old wheel of the mill Foto: Ann Author/dpa",
        "Tags: mill, river",
        "Table of Contents",
        "Medically reviewed by Ann Author, MD",
        "You may also like…",
        "広告",
        "続きを読む",
        "印刷",
    ),
    *("Am beliebtesten", "Häufig gelesen", "Zum Anhören", "00:00 / 03:15"),
    *("Dieses Thema im Programm: Radio, 3. Mai 2026", "Über dieses Thema berichtete das Radio um 13 Uhr"),
    *("この記事をシェアする", "会員限定", "写真：例新聞社", "関連記事：水車小屋の一年"),
    *("３日、川のほとりの水車小屋を見る人たち＝ＡＰ", "七年ぶりに再開した水車小屋（写真：例新聞社）"),
    *("雨の上がった川辺に立つ古い水車小屋＝５月３日、森健撮影", "この記事は会員限定です。"),
    "川辺に立つ古い水車小屋　写真：森健",
)


@pytest.mark.parametrize("line", LINES)
def test_lines_that_tell_nothing_of_a_story_are_left_out(line):
    """The same words in a sentence stay."""
    said = f"The miller's sign, which everybody in the valley knows by heart, says since he was young: {line}"
    text = _read(f"<article><h1>Title</h1>{STORY}<p>{line}</p><p>{said}</p>{SHORT}</article>")
    assert f"\n{line}\n" not in text
    assert said in text


@pytest.mark.parametrize("line", LINES)
def test_such_lines_are_left_out_of_running_text_of_no_certain_kind(line):
    """Sections side by side are running text too."""
    parts = [f"<section><div><p>{text}</p></div></section>" for text in PROSE[:8]]
    text = _read(f"<main><h1>Title</h1>{parts[0]}<p>{line}</p>{''.join(parts[1:])}</main>")
    assert f"\n{line}\n" not in text
    assert [part for part in PROSE[:8] if part not in text] == []


def test_such_lines_are_read_among_short_entries():
    """Where little is running text, a line may be one of the entries."""
    entries = "".join(f"<p>Entry {number} of the list</p>" for number in range(60))
    text = _read(f"<main><h1>Title</h1><p>{PROSE[0]}</p><p>Tags: mill, river</p>{entries}</main>")
    assert "Tags: mill, river" in text


@pytest.mark.parametrize(("others", "is_story"), [(9, True), (20, False)])
def test_a_text_that_holds_a_third_of_the_prose_is_a_story(others, is_story):
    """Also if the page does not say so, and other texts stand beside it."""
    parts = "".join(f"<section><div><p>{PROSE[n]} Also.</p></div></section>" for n in range(others))
    after = "<div class=x><h4>Elsewhere</h4><span>Elsewhere in the valley</span></div>"
    story = "".join(f"<p>{text}</p>" for text in PROSE[:7])
    text = _read(f"<main><div><div>{story}</div>{after}</div>{parts}</main>")
    assert ("Elsewhere" not in text) == is_story


@pytest.mark.parametrize(("others", "is_story"), [(12, True), (20, False)])
def test_a_page_that_declares_itself_a_story_is_one_from_a_quarter_of_the_prose(others, is_story):
    """With many links it is a list otherwise, where links are content."""
    parts = "".join(f"<section><div><p>{PROSE[n]} Also.</p></div></section>" for n in range(others))
    links = "".join(f'<li><a href="/l{n}">Elsewhere in the valley, tale {n}</a>' for n in range(60))
    story = "".join(f"<p>{text}</p>" for text in PROSE[:5])
    head = '<meta property="og:type" content="article">'
    text = _read(f"<main><div>{story}</div>{parts}<div><ul>{links}</ul></div></main>", head)
    assert ("Elsewhere" not in text) is is_story
    assert [part for part in PROSE[:5] if part not in text] == []


def test_a_japanese_headline_is_not_prose():
    """Forty characters without a full stop are a title: a list of them is a list of other stories."""
    title = "純アイスランド産ウイスキーのプロジェクトが終了間近、羊を使った燻製の全工程を公開へ向け"
    cards = "".join(f'<article class=c><a href="/{n}"></a><p>{title}{n}</p></article>' for n in range(6))
    body = (
        "<p>都心では午後二時すぎに三十六度二分を観測し、今年最も高い気温を記録した。救急搬送は百人を超えたという。</p>"
        * 6
    )
    text = _read(f"<div><h1>猛暑日</h1><div>{body}</div><div class=n>{cards}</div></div>")
    assert "ウイスキー" not in text
    assert "三十六度二分" in text


def test_small_print_longer_than_the_page_hides_no_main():
    """A footer with a shop's whole terms is left out, where there is a `main`."""
    terms = "".join(
        f"<p>Term {n} of this shop, which the law wants to be written at such a length.</p>"
        for n in range(300)
    )
    text = _read(f"<main><h1>Cup</h1>{SHORT}</main><div><footer>{terms}</footer></div>")
    assert "Term 7" not in text
    assert PROSE[2] in text


@pytest.mark.parametrize("title", ["h1", "h2", "p"])
def test_a_title_and_an_address_beside_the_text_are_read_where_little_leads_elsewhere(title):
    """The answers of a page hold its prose; its title and its telephone stand beside them."""
    answers = "".join(f"<div><h3>Question {n}</h3><p>{PROSE[n]}</p></div>" for n in range(4))
    page = f"<main><{title}>Questions</{title}><div class=list>{{}}</div><section><h2>Help</h2><p>{{}}</p>"
    text = _read(page.format(answers, "Call 0120-000-220"), url="https://example.com/service")
    assert [part for part in ("Questions", PROSE[2], "Help", "0120-000-220") if part not in text] == []
    links = "".join(f"<a href='/{n}'>Elsewhere {n}</a> " for n in range(9))
    text = _read(page.format(answers, links), url="https://example.com/service")
    assert "Elsewhere" not in text


def test_posts_in_forms_are_posts():
    """Some forums put each post into a form."""
    posts = "".join(
        f"<div class=thing><form class=usertext id=form-{n}><p>Post {n}</p></form></div>" for n in range(6)
    )
    text = _read(f"<h1>Thread</h1><p>{PROSE[0]}</p>{posts}", url="https://forum.example.com/threads/1")
    assert "Post 3" in text


def test_what_stands_in_every_post_is_left_out():
    """Ranks, days of joining and controls are told with each post; a day that stands alone is a fact."""
    posts = "".join(
        f"<article class=message><div class=userinfo>Joined: Jun {n}, 2016</div><h3>Re: The mill</h3>"
        f"<dl><dd>Posts: {n}</dd><dd>Oak is better, number {n}.</dd></dl><p>{text}</p>"
        f"<p>投稿 {n} の本文です。</p><p>返信する</p><a href='#q'>Reply with quote</a></article>"
        for n, text in enumerate(PROSE[:6], 1)
    )
    alone = "<div class='userinfo thread'>Closed on Jun 30, 2026</div>"
    text = _read(f"<h1>The mill</h1>{alone}{posts}", url="https://forum.example.com/threads/1")
    kept = (*PROSE[:6], "Oak is better, number 4.", "投稿 4 の本文です。", "Closed on Jun 30, 2026")
    assert [part for part in kept if part not in text] == []
    assert [part for part in ("Joined", "Re: ", "Posts", "返信", "Reply") if part in text] == []


@pytest.mark.parametrize(
    "line",
    [
        *("Last edited: Mar 3, 2024", "Edited 3 May by Ann", "Status Not open for further replies."),
        *("View attachment 12345", "You may not post new threads", "BB code is On", "Forum Jump"),
        *("7 posts • Page 1 of 3", "Results 1 to 18 of 18"),
    ],
)
def test_lines_of_forum_software_are_left_out_and_said_in_a_post_they_stay(line):
    """They tell what happened to a post, or what visitors may do."""
    said = f"The miller has a sign: {line}"
    posts = "".join(f"<div class=post><p>{text}</p></div>" for text in PROSE[:6])
    text = _read(
        f"<h1>The mill</h1>{posts}<div>{line}</div><div class=post><p>{said}</p></div>",
        url="https://forum.example.com/threads/1",
    )
    assert f"\n{line}\n" not in text
    assert said in text


@pytest.mark.parametrize("name", ["usertitle", "userTitle message-userTitle", "PostProfile"])
def test_a_telling_word_that_is_written_as_two_is_found_in_camel_case(name):
    """What an author is called stands beside each post."""
    posts = "".join(
        f"<div class=post><h5 class='{name}'>Friend of all mills</h5><p>{text}</p></div>"
        for text in PROSE[:6]
    )
    text = _read(f"<h1>The mill</h1>{posts}", url="https://forum.example.com/threads/1")
    assert "Friend" not in text
    assert [part for part in PROSE[:6] if part not in text] == []


def test_paragraphs_that_invite_are_left_out_and_those_that_tell_of_it_stay():
    """Invitations to subscribe, to follow or to pay stand between the paragraphs of a story."""
    invitations = (
        "Follow The Mill News on Twitter and Instagram @mill. Send us a message on WhatsApp. Elsewhere",
        "If you are already a subscriber, you can log in for immediate access. Elsewhere",
        "*This post contains affiliate links, so we may earn a small commission. Elsewhere",
        "Bei den Verlinkungen handelt es sich um Affiliate Links. Elsewhere",
        "Der Mühlen-Newsletter informiert Sie jeden Sonntag über die Mühle. Elsewhere",
        "ⓘ Mit der Anmeldung willigen Sie der Verarbeitung Ihrer Daten ein. Elsewhere",
        "Ihre Meinung ist uns wichtig. Senden Sie uns Ihr Feedback. Elsewhere",
        "Dieser Artikel wurde im Original auf Englisch veröffentlicht. Elsewhere",
        "¡Suscríbete a nuestro boletín! Elsewhere".lstrip("¡"),
        "Todo esto y más en nuestro Canal de Telegram. Elsewhere",
        "この記事が気に入ったら、フォローをお願いします。Elsewhere",
        "※本記事にはアフィリエイト広告を利用しています。Elsewhere",
    )
    told = (
        "Don't miss a visit to the mill on a Sunday in May.",
        "Copyright Complexity in a Fragmented World is a chapter of its own.",
        "Track affiliate links and the sales that they bring.",
        "Der Newsletter des Müllers informiert über die Ernte.",
        "会員は約三万人で、フォロワーは増えている。",
    )
    middle = "".join(f"<p>{text}</p>" for text in (*invitations, *told))
    text = _read(f"<article><h1>Title</h1>{SHORT}{middle}{STORY}</article>")
    assert "Elsewhere" not in text
    assert [part for part in told if part not in text] == []


@pytest.mark.parametrize("label", ["Shift_JIS", "EUC-JP", "iso-8859-1"])
def test_japanese_in_utf_8_is_read_under_another_label(label):
    """Archives convert pages and keep what the pages say. The fixed rules believe the page."""
    page = f"<meta charset={label}><title>題</title><p>東京都内で十二日、気温が三十五度を超えた。</p>"
    assert "気温が三十五度を超えた" in article_markdown(page.encode(), "https://example.jp/a")
    assert "気温が三十五度を超えた" not in srd_markdown(page.encode(), "https://example.jp/a")
    real = page.replace("iso-8859-1", "utf-8").encode(
        {"EUC-JP": "euc_jp", "Shift_JIS": "cp932"}.get(label, "utf-8")
    )
    assert "気温が三十五度を超えた" in article_markdown(real, "https://example.jp/a")


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("gb2312", "计算机可以回答人类提出的问题。"),
        ("iso-8859-1", "Über die Brücke führt für Jäger schöne Wege größer."),
    ],
)
def test_other_languages_in_utf_8_are_too(label, text):
    """What is in the charset that it declares is not taken for UTF-8."""
    page = f"<meta charset={label}><title>t</title><p>{text}</p>"
    assert text in article_markdown(page.encode(), "https://example.com/a")
    assert text in article_markdown(page.encode(label), "https://example.com/a")


def test_comments_are_left_out_however_long_they_are():
    """Readers can write more than the author."""
    said = "".join(f"<p>A reader says at length: {text}</p>" for text in PROSE * 2)
    text = _read(f"<main><div><h1>Title</h1>{STORY}</div><div class=comments>{said}</div></main>")
    assert "A reader says" not in text
    assert PROSE[-1] in text


def test_comments_are_not_the_body_of_a_story():
    """Also where they hold more prose than the story: then what the story lists would be other stories."""
    said = "".join(f"<p>{text} So said a reader.</p>" for text in PROSE[:6])
    names = "".join(f'<div class=n><a href="/n{n}">Miller number {n}</a></div>' for n in range(5))
    story = f"<h1>Title</h1><div class=text>{SHORT}{names}</div>"
    comments = f"<div id=comments><div class=commentlist>{said}</div></div>"
    text = _read(f"<div id=c>{story}{comments}</div>", '<meta property="og:type" content="article">')
    assert PROSE[0] in text
    assert "Miller number 3" in text


@pytest.mark.parametrize("title", ["Related posts", "Verwandte Beiträge", "Dans la même rubrique"])
def test_related_pages_are_left_out_of_texts_of_no_certain_kind(title):
    """An English heading over text stays: on such a page it may be what the page is about."""
    links = "".join(f'<li><a href="/l{n}">Elsewhere in the valley {n}</a></li>' for n in range(4))
    parts = "".join(f"<section><div><p>{text * 2}</p></div></section>" for text in PROSE[:6])
    page = f"<div><h1>Title</h1>{parts}<div><h2>{title}</h2>{{}}</div></div>"
    assert "Elsewhere" not in _read(page.format(f"<ul>{links}</ul>"))
    told = _read(page.format("<p>The mill of the next village</p>"))
    assert ("The mill of the next village" in told) is (title == "Related posts")


def test_a_box_that_leads_elsewhere_is_left_out_and_a_lead_of_the_same_name_is_read():
    box = '<div class=teaser><h4><a href="/b">Elsewhere in the valley</a></h4><p>By the river.</p></div>'
    lead = f"<p class=teaser>In short: {PROSE[0]}</p>"
    text = _read(f"<article><h1>Title</h1>{lead}<div>{STORY}{box}{SHORT}</div></article>")
    assert "Elsewhere" not in text
    assert "In short" in text


@pytest.mark.parametrize(
    "name",
    ["teaser", "post-cta", "ad_banner", "newsForm", "feedback", "excerpt", "cta-global", "teaser-breaker"],
)
def test_what_is_inserted_into_a_story_is_left_out(name):
    """Above the first paragraph a block of such a name can be the lead; data and lines of facts are read."""
    said = f"In short: {PROSE[0]}"
    page = "<article><h1>Title</h1><div>{}</div></article>"
    block = f"<div class={name}><h4>More to see</h4><p>{said}</p></div>"
    assert said not in _read(page.format(STORY + block + SHORT))
    assert said in _read(page.format(block + STORY))
    data = "<table><tr><th>Year<th>Rain<tr><td>2024<td>120 mm</table>"
    assert "120 mm" in _read(page.format(f"{STORY}<div class={name}>{data}</div>{SHORT}"))
    assert "10:00" in _read(page.format(f"{STORY}<div class={name}>Open from 10:00 to 18:00</div>{SHORT}"))


@pytest.mark.parametrize("around", ["", " role=complementary"])
def test_the_day_of_another_story_does_not_keep_its_teaser(around):
    """A fact counts if it is read, and not where a heading leads to the page that it is about."""
    title = '<a href="/b"><span>11.04.2022</span><h3>Elsewhere in the valley</h3></a>'
    box = f"<div class=teaser><div{around}>{title}</div><p>Elsewhere they wait: {PROSE[0]}</p></div>"
    text = _read(f"<article><h1>Title</h1><div>{STORY}{box}{SHORT}</div></article>")
    assert "Elsewhere" not in text


@pytest.mark.parametrize(
    "name", ["image-description", "detail-img__description", "photoCredit", "gallery__subtitle"]
)
def test_captions_of_pictures_are_no_part_of_a_story(name):
    said = f"Elsewhere: {PROSE[0]}"
    text = _read(f"<article><h1>Title</h1><div>{STORY}<div class={name}>{said}</div>{SHORT}</div></article>")
    assert said not in text


@pytest.mark.parametrize(
    "line",
    [
        "入場料は大人500円、小学生以下は無料（写真：例新聞社）",
        "新しい粉は1袋380円で5月10日に発売（提供：例製粉）",
        "昼食＝無料提供",
        "持ち物と着るもの＝すべて会場で提供",
        "送迎バスは10時に駅前を出発＝例観光提供",
        "5月31日まで開催、水曜休館＝例美術館提供",
        "営業は10時から18時、月曜定休　写真：森健",
        "雨天中止、申込不要（写真／森健）",
        "電話03-0000-0000で受け付ける（撮影：森健）",
        "動作モード=AP",
        "取材・文：山田花子　写真：森健",
        "森健は1970年生まれで、水車の保存会会長。写真＝例社提供",
        "Our standards: ISO 9001",
        "Reading time: all day on Sunday",
        "Poster in A2 for 45 EUR © Ann Author",
        "The wheel is 4 m wide. Photo: Ann Author",
        "Free plan, photos: 10 of each room",
        "13:00 / 18:00",
        "Mit der Anmeldung erklären Sie sich bereit, die Gebühr von 120 € zu zahlen.",
    ],
)
def test_a_line_with_a_credit_that_tells_a_fact_is_read(line):
    article = '<meta property="og:type" content="article">'
    assert line in _read(f"<article><h1>Title</h1><div>{STORY}<p>{line}</p>{SHORT}</div></article>", article)


def test_the_day_in_a_caption_with_a_credit_does_not_keep_it():
    said = "３日、川のほとりの水車小屋を見る人たち＝ＡＰ"
    figure = f"<figure><img src=i><figcaption>{said}</figcaption></figure>"
    text = _read(f"<article><h1>Title</h1><div>{STORY}{figure}{SHORT}</div></article>")
    assert said not in text


def test_entries_of_a_list_are_no_captions():
    """They can name who gives a prize."""
    entry = "1等 温泉旅行（提供：例観光）"
    page = f"<article><h1>Title</h1><div>{STORY}<ul><li>{entry}</li></ul>{SHORT}</div></article>"
    assert entry in _read(page, '<meta property="og:type" content="article">')


def test_captions_side_by_side_are_a_list():
    """The steps of a recipe, of which one tells a number."""
    steps = ("Cut the onions", "Cook for 10 minutes", "Add some salt")
    figures = "".join(f"<figure><img src=i><figcaption>{step}</figcaption></figure>" for step in steps)
    headed = figures.replace("<figure>", "<h3>Next step</h3><figure>")
    for shown in (figures, headed):
        text = _read(f"<article><h1>Title</h1><div>{STORY}{shown}{SHORT}</div></article>")
        assert [step for step in steps if step not in text] == []


def test_texts_of_pictures_that_are_most_of_a_story_are_read():
    parts = "".join(f"<h2>Place</h2><img src=i><div class=photo-desc>{text}</div>" for text in PROSE)
    article = '<meta property="og:type" content="article">'
    text = _read(f"<article><h1>Title</h1>{SHORT}{parts}</article>", article)
    assert [part for part in PROSE if part not in text] == []


def test_a_caption_in_a_story_is_read_for_its_own_fact_only():
    """Captions are no list: each is about its picture."""
    figure = "<figure><img src=i><figcaption>{}</figcaption></figure>"
    said = ("The mill", "The wheel, 4 m wide", "The miller")
    parts = "".join(f"{SHORT}{figure.format(each)}" for each in said)
    text = _read(f"<article><h1>Title</h1><div>{STORY}{parts}</div></article>")
    assert [each for each in said if each in text] == ["The wheel, 4 m wide"]


@pytest.mark.parametrize("name", ["cta", "banner", "form", "product-teaser", "linkbox"])
def test_the_terms_of_what_a_story_invites_to_are_read(name):
    """Its heading leads to the form, or to the shop."""
    terms = "<p>締切：2026年5月31日、参加費 3,000円、定員30名、会場は川町の市民ホール</p>"
    box = f'<div class={name}><h3><a href="/apply">お申し込みはこちら</a></h3>{terms}</div>'
    assert "3,000円" in _read(f"<article><h1>Title</h1><div>{STORY}{box}{SHORT}</div></article>")


@pytest.mark.parametrize(
    "part",
    [
        '<h3><a href="/shop/1">石臼の粉</a></h3><p>1袋 1,200円（税込）</p>',
        '<h3><a href="/places/1">例市民ホール</a></h3><p>川町1-2-3、月曜休館</p>',
        '<h3><a href="#e1">10:15</a></h3><p>水門が開かれ、水車が回り始めた。</p>',
    ],
)
def test_an_article_in_a_story_that_is_a_part_of_it_is_read(part):
    """What is sold or open, and what its heading only gives an address on the page."""
    head = '<meta property="og:type" content="article">'
    page = f"<main><h1>Title</h1><div>{STORY}<article id=e1>{part}</article>{SHORT}</div></main>"
    assert part.rpartition("<p>")[2].partition("<")[0] in _read(page, head)


def test_of_several_main_parts_the_one_with_the_title_is_the_story():
    """Comments in another one can be much longer."""
    head = '<meta property="og:type" content="article">'
    said = "".join(f"<p>Comment {n}: {PROSE[n % 20]}</p>" for n in range(60))
    text = _read(
        f"<div role=main><h1>Title</h1>{STORY}</div><div role=main><h2>Comments</h2>{said}</div>", head
    )
    assert [part for part in PROSE if part not in text] == []
    assert "Comment 7" not in text


def test_columns_of_a_page_are_no_sidebar():
    """Their name says what stands beside the story."""
    part = "<div class=sidebar-grid><div class=sidebar-grid__content>{}</div></div>"
    body = part.format(f"<h1>Title</h1><p>{PROSE[0]}</p>") + part.format(SHORT) + part.format(STORY)
    text = _read(f"<article>{body}</article>", '<meta property="og:type" content="article">')
    assert [part for part in PROSE if part not in text] == []
    assert text.count(PROSE[1]) == 2


def test_teasers_that_are_most_of_the_text_are_the_content():
    """Also on a page that declares itself a story."""
    head = '<meta property="og:type" content="article">'
    parts = "".join(f"<div class=teaser><b>{PROSE[n]}</b> Course {n}</div>" for n in range(12))
    text = _read(f"<main><h1>Title</h1><div>{SHORT}</div><div>{parts}</div></main>", head)
    assert "Course 7" in text


@pytest.mark.parametrize(
    "facts",
    [
        "<table><tr><th>Founded<td>1957<tr><th>Staff<td>214 people in two valleys<tr><th>FACT<td>1</table>",
        "<dl><dt>Founded<dd>1957, in the summer<dt>Staff<dd>214 people in two valleys, FACT</dl>",
    ],
)
def test_data_beside_the_block_with_the_prose_is_read_with_its_heading(facts):
    side = f"<div><section class=company><h2>About the mill</h2>{facts}</section></div>"
    text = _read(f"<main><article><h1>Title</h1><div class=text>{STORY}</div></article>{side}{side}</main>")
    assert "## About the mill" in text
    assert "FACT" in text


@pytest.mark.parametrize("head", ["", '<meta property="og:type" content="article">'])
def test_hours_between_the_title_and_the_block_with_the_prose_are_read(head):
    """A table above the title is the frame of the page as often as data, and stays out."""
    hours = "<table><tr><th>Hours<th>Mon<th>Tue<tr><td>9:00-12:00<td>open<td>{}<tr><td>14:00-18:00<td>-<td>-"
    table = f"<div class=columns><div>{hours}</table></div></div>"
    way = f"<section><h2>How to get here</h2><div>{SHORT * 3}</div></section>"
    page = f"<main>{table.format('FRAME')}<h1>Mill</h1><div>{table.format('FACT')}{way}</div></main>"
    text = _read(page, head)
    assert "| 9:00-12:00 | open | FACT |" in text
    assert PROSE[3] in text
    assert "FRAME" not in text


def test_what_is_hidden_in_data_beside_the_prose_stays_hidden():
    unseen = "<span style='display:none'>Hidden words</span>"
    facts = f"<table><tr><th>Founded<td>1957<tr><th>Staff<td>214 people in two valleys{unseen}</table>"
    text = _read(
        f"<main><article><h1>Title</h1><div class=text>{STORY}</div></article><div>{facts}</div></main>"
    )
    assert "214 people" in text
    assert "Hidden words" not in text


def test_many_tables_beside_the_prose_do_not_hide_it():
    tables = "<table><tr><th>Year<td>1957, in the summer of the long rain<tr><th>a<td>b</table>" * 1000
    assert PROSE[0] in _read(
        f"<main><article><h1>T</h1><div>{STORY}</div></article><div>{tables}</div></main>"
    )


def test_data_in_a_block_that_is_called_furniture_stays_out():
    table = "<table><tr><th>Elsewhere<th>Rain<tr><td>2024<td>1,200 mm in the valley beside ours</table>"
    side = f"<div class=sidebar>{table}</div>"
    text = _read(f"<main><article><h1>Title</h1><div class=text>{STORY}</div></article>{side}</main>")
    assert "Elsewhere" not in text


def test_documents_of_a_story_are_not_other_pages():
    papers = (
        '<ul><li><a href="a.pdf?v=1">Results of the year</a></li><li><a href="b.XLSX">Figures</a></li></ul>'
    )
    text = _read(f"<main><h1>Title</h1>{STORY}<h2>Papers</h2>{papers}</main>")
    assert "Results of the year" in text
    assert "Figures" in text
