"""A site's own links lead the model from page to page, and from question to question."""

import asyncio

from fetcher.agent import AskRequest, Turn, open_agent
from fetcher.agent.model.thread_messages import links_to_read
from fetcher.settings import AgentSettings, Settings
from slackapp.thread.slack_text import unwrapped
from tests.engine import engine
from tests.fakes.turns import call, cite, say

HOME, PRICE = "http://shop.example/", "http://shop.example/price"
ARTICLE = "http://shop.example/%E6%96%B0%E4%BD%9C%E3%81%AE%E3%83%91%E3%83%B3"
WORDS = "".join(
    f"<p>毎朝お店の窯でパンを焼いています。ぜひお立ち寄りください。{n}回目。</p>" for n in range(6)
)
PAGE = (
    '<title>パンの店</title><header><nav><a href="/price">料金</a></nav></header>'
    f"<main><h1>パンの店</h1>{WORDS}"
    '<p>お知らせ：<a href="/新作のパン">春の新作のパンを並べました</a></p></main>'
    "<footer><p>ご予約は 06-0000-1234 までお電話ください</p></footer>"
)


def _ask(internet, claude, question, history=(), known=()):
    settings = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url, "model_max_retries": 0}
    agent = open_agent(AgentSettings.model_validate(settings), Settings(), pipeline=engine(internet))
    request = AskRequest(question=question, history=tuple(history), known_urls=tuple(known))
    return asyncio.run(agent.ask(request))


def _site(internet):
    internet.page(HOME, PAGE)
    internet.page(PRICE, f"<title>料金</title><main><h1>料金</h1>{WORDS}<p>食パンは380円です。</p></main>")
    internet.page(ARTICLE, f"<title>新作</title><main><h1>新作</h1>{WORDS}<p>桜あんぱんです。</p></main>")


def test_a_link_of_the_navigation_is_shown_and_may_be_followed(internet, claude):
    _site(internet)
    claude.script(
        call("fetch_url", {"url": HOME}),
        call("fetch_url", {"url": PRICE}),
        say("食パンは380円です。", citations=[cite(PRICE, 0, 1)]),
    )
    answer = _ask(internet, claude, f"{HOME} 料金は？")
    assert f"料金: {PRICE}" in claude.requests[-1].text
    assert internet.web.count(PRICE) == 1
    assert [source.url for source in answer.sources] == [PRICE]


def test_the_footer_is_found_and_links_are_found_by_their_labels(internet, claude):
    _site(internet)
    claude.script(
        call("fetch_url", {"url": HOME}),
        call("find_in_page", {"url": HOME, "query": "予約の電話番号"})
        + call("find_in_page", {"url": HOME, "query": "価格"}),
        say("はい。"),
    )
    _ask(internet, claude, f"{HOME} 電話番号は？")
    telephone, price = claude.requests[-1].tool_results[-2:]
    assert "06-0000-1234" in telephone["content"][0]["content"][0]["text"]
    assert any(f"料金: {PRICE}" in block.get("text", "") for block in price["content"])


def test_a_link_that_an_answer_named_by_its_label_may_be_read_in_the_next_question(internet, claude):
    """Also one with a Japanese slug, and with the title in our own answer."""
    _site(internet)
    claude.script(
        call("fetch_url", {"url": HOME}), say("「春の新作のパンを並べました」という記事があります。")
    )
    first = _ask(internet, claude, f"{HOME} 新しい記事は？")
    assert ARTICLE in first.known_urls

    claude.script(call("fetch_url", {"url": "http://shop.example/新作のパン"}), say("桜あんぱんです。"))
    history = (Turn(author="a", text=f"{HOME} 新しい記事は？"), Turn(author="", text=first.text, ours=True))
    _ask(internet, claude, "その記事を要約して", history, first.known_urls)
    assert internet.web.count(ARTICLE) == 1
    assert "url_not_in_context" not in claude.requests[-1].text


def test_a_url_that_slack_glued_to_japanese_is_read_without_it():
    text = unwrapped("<http://shop.example/priceの料金表を教えて>", {})
    assert links_to_read(AskRequest(question=text)) == {PRICE: [PRICE]}


def test_a_host_without_a_scheme_is_read_on_every_surface(internet):
    """The command line, A2A and Lambda pass the words on as they are; here without a model."""
    internet.page("https://shop.example/price", "<title>料金</title><main><p>食パンは380円です。</p></main>")
    agent = open_agent(AgentSettings(), Settings(), pipeline=engine(internet))
    answer = asyncio.run(agent.ask(AskRequest(question="shop.example/price の食パンはいくら？")))
    assert "380円" in answer.text
