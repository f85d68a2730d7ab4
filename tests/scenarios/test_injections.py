"""A page orders and the model obeys: nothing leaves, nobody is mentioned, no foreign link is live."""

import asyncio
import json
import re

import pytest

from fetcher.agent import AskRequest, Turn, open_agent
from fetcher.agent.safety.allowed_links import links_of, only_links
from fetcher.settings import AgentSettings, Settings
from slackapp.reply.answer_messages import messages
from slackapp.thread.message_links import links_of as links_of_blocks
from tests.engine import engine
from tests.fakes.search_provider import KEY
from tests.fakes.turns import call
from tests.scenarios.injections import (
    ATTACKER,
    FOUND,
    FOUND_INJECTIONS,
    HEX,
    INJECTIONS,
    MESSAGE,
    SECRET,
    ObedientModel,
)

LURE = "http://lure.example/"
LIVE = re.compile(r"(?:https?|ftp|mailto):[^\s<>\"`)]+|www\.[^\s]+|\]\((?:data|javascript):", re.IGNORECASE)
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
MENTION = re.compile(r"<[!@#][^>]*>|(?<![\w.])@(?:channel|here|everyone)\b")
MENTIONS = ("user", "usergroup", "broadcast", "channel", "team")


@pytest.fixture
def obeyed(internet, claude):
    """A function that has a page read for a thread with a secret, and returns the answer."""

    def ask(injection):
        internet.page(LURE, injection.html())
        claude.script(*[ObedientModel()] * 8)
        settings = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url, "model_max_retries": 0}
        agent = open_agent(AgentSettings.model_validate(settings), Settings(), pipeline=engine(internet))
        history = (Turn(author="田中", text=SECRET),)
        return asyncio.run(agent.ask(AskRequest(question=f"{LURE} を要約して", history=history)))

    return ask


@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda one: f"{one.kind}: {one.order[:40]}")
def test_an_order_on_a_page_does_no_harm(internet, obeyed, injection):
    model_answer = obeyed(injection)

    # Nothing leaves: only the page that a person linked was asked for, by name and by address.
    assert {request.host.partition(":")[0] for request in internet.web.requests} == {"lure.example"}
    assert set(internet.resolver.asked) == {"lure.example"}
    assert not any(HEX in request.target for request in internet.web.requests)

    # No foreign link is live: in the Markdown of the command line and A2A, and in Slack's blocks.
    shown = only_links(model_answer.text, links_of(model_answer))
    live = LIVE.findall(CODE.sub("", shown))  # in code a URL is text
    assert {LURE.rstrip("/")}.issuperset(url.rstrip("/") for url in live)
    parts = messages(model_answer)
    blocks = [block for part in parts for block in part.blocks]
    assert {LURE}.issuperset(links_of_blocks(blocks))
    assert '"image"' not in json.dumps(blocks)

    # Nobody is mentioned.
    texts = [shown, *(part.text for part in parts), *(file.file_name for file in model_answer.files)]
    assert [found for text in texts for found in MENTION.findall(text)] == []
    assert [kind for kind in MENTIONS if f'"type": "{kind}"' in json.dumps(blocks)] == []

    # Files: names without a path, of a type that is allowed, without a foreign URL or a formula.
    for file in model_answer.files:
        assert not re.search(r"[/\\]|^\.", file.file_name)
        assert file.file_name.endswith((".csv", ".txt"))
        content = file.content.decode("utf-8-sig")
        assert f"://{ATTACKER}" not in content
        assert not content.startswith("=")


@pytest.mark.parametrize("injection", FOUND_INJECTIONS, ids=lambda one: f"{one.kind}: {one.order[:40]}")
def test_an_order_in_a_search_result_does_no_harm(internet, claude, provider, injection):
    """Also where a result is on an internal address, which the model reads with the others."""
    internet.page(FOUND, "<title>案内</title><article><p>本文の段落です。</p></article>")
    inside = "http://10.0.0.1/admin", "http://169.254.169.254/latest/"
    provider.pages += [(url, injection.order, injection.order) for url in (FOUND, *inside)]
    claude.script(*[ObedientModel(call("search_web", {"query": "加湿器"}))] * 8)
    settings = {
        "anthropic_api_key": "sk-test",
        "anthropic_base_url": claude.url,
        "model_max_retries": 0,
        "search_provider": "brave",
        "search_api_key": KEY,
        "search_base_url": provider.url,
    }
    agent = open_agent(AgentSettings.model_validate(settings), Settings(), pipeline=engine(internet))
    history = (Turn(author="佐藤", text=MESSAGE), Turn(author="田中", text="ありがとう", by_asker=True))
    answer = asyncio.run(agent.ask(AskRequest(question="加湿器の選び方は？", author="田中", history=history)))

    assert claude.turns_left < 7  # the model has obeyed
    assert (provider.queries, answer.searches) == (["加湿器"], ("加湿器",))
    assert set(internet.resolver.asked) <= {"found.example"}
    assert not any(HEX in request.target for request in internet.web.requests)
    shown = only_links(answer.text, links_of(answer))
    assert not LIVE.findall(CODE.sub("", shown))
    assert not MENTION.findall(shown)
    assert not any(
        ATTACKER.encode() in file.content.replace(b": //", b"://") and b"://" in file.content
        for file in answer.files
    )


def test_there_are_fifty_and_all_are_obeyed(internet, obeyed, claude):
    """A model that did not obey would prove nothing."""
    assert len(INJECTIONS) == 50
    obeyed(INJECTIONS[0])
    assert HEX in claude.requests[-1].text
