"""The model's words on their way out to Slack, and back from the thread into the next question."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from fetcher.agent import Answer, Limits
from fetcher.agent.model import thread_messages as agent_side
from fetcher.agent.remote.wire import texts_of
from fetcher.agent.safety.allowed_links import links_of, only_urls
from fetcher.agent.safety.citations import compose
from fetcher.agent.safety.provenance import FetchPolicy, Provenance
from slackapp.listeners.incoming import Incoming, Kind, message_key
from slackapp.reply.answer_messages import EPHEMERAL_LIMITS, LIMITS, messages
from slackapp.reply.progress import ProgressView
from slackapp.reply.progress import _streamed as streamed
from slackapp.slack.message import Mark, Message
from slackapp.thread.agent_request import Thread, ask_request, read_message
from slackapp.thread.message_links import links_of as links_of_blocks
from tests.fuzz.bounds import at_most, is_multiplied
from tests.fuzz.draws import Draws

LONGEST = 20_000
BOT, USER = "U0BOT", "U0SATO"
READ = {"https://read.example/": "読んだページ", "https://read.example/a?x=1&region=jp&section=2": "記事"}
LINKED = {*READ, "https://read.example"}
WRITTEN = "https://people.example/"
URL = re.compile(r"(?:[a-z][a-z0-9+.-]*://|(?<![\w.@/-])www\.(?=[^\s<>|]))[^\s<>|]*", re.IGNORECASE)
PUNCTUATION = ".,:;!?'*_~\"`\\)|"
"""What no reader takes for the end of a URL."""
MARKED = re.compile(r"<(?P<target>[^<>|\n]+)(?:\|(?P<label>[^<>\n]*))?>")
LEADS = re.compile(r"url|link", re.IGNORECASE)


def check(data: bytes) -> None:
    """Whatever a model writes, only what was read is a link, and nothing of it is known afterwards."""
    draws = Draws(data)
    shape = draws.pick((*LIMITS, EPHEMERAL_LIMITS))
    cited = draws.number(1)
    undone = (draws.text(63),) * draws.number(1)
    words = draws.rest() * (LONGEST // len(data) if is_multiplied(data) else 1)
    with at_most(5):
        check_words(words, cited=bool(cited), undone=undone, shape=shape)


def check_words(
    words: str, *, cited: bool = False, undone: tuple[str, ...] = (), shape: Any = LIMITS[0]
) -> None:
    citations = [{"source": url} for url in READ] if cited else []
    text, sources = compose([{"type": "text", "text": words, "citations": citations}], READ)
    answer = Answer(text=text, sources=sources, undone=undone, read_urls=tuple(READ))
    said = messages(answer, shape)
    for message in said:
        assert_only_read(message)
    assert_streamed(words)
    assert all(only_urls(only_urls(out, links_of(answer)), ()) for out in texts_of(answer) if out.strip())
    assert_nothing_learned(said, words)


def assert_only_read(message: Message) -> None:
    """No field of a block leads elsewhere, and no text that Slack looks for URLs in has another."""
    assert set(links_of_blocks(list(message.blocks))) <= LINKED
    assert {url for block in message.blocks for url in _targets(block)} <= LINKED
    for found in MARKED.finditer(message.text):
        assert _plain(found["target"]) in LINKED, found[0]
        assert "://" not in (found["label"] or "")
    around = MARKED.sub(" ", message.text)  # what stands around a link is not joined by it
    assert "://" not in around
    assert not URL.search(around)


def assert_streamed(words: str) -> None:
    """A preview, which Slack reads as Markdown, has no URL but those that were read."""
    preview = ProgressView(text=streamed(words, list(READ))).text
    for url in URL.findall(preview.replace("&lt;", "<")):
        assert any(url.startswith(read) and _is_over(url[len(read) :]) for read in LINKED), url


def assert_nothing_learned(said: tuple[Message, ...], words: str) -> None:
    """The thread with our messages, read back, and one who quotes them."""
    thread = [
        {"ts": "1.1", "user": USER, "text": f"<{WRITTEN}> を読んで"},
        *(_posted(message, number) for number, message in enumerate(said)),
        {"ts": "8.8", "user": USER, "text": "".join(f"&gt; {line}\n" for line in said[0].text.split("\n"))},
    ]
    incoming = Incoming(
        kind=Kind.MENTION,
        key=message_key("T1", "C1", "9.9"),
        team="T1",
        channel="C1",
        user=USER,
        ts="9.9",
        thread_ts="1.1",
        text=f"<@{BOT}> 続けて",
        bot_user=BOT,
    )
    read = tuple(read_message(message, BOT) for message in thread)
    request = ask_request(incoming, Thread(messages=read, names={}, bot_user=BOT), Limits())
    known = Provenance(agent_side.links(request), FetchPolicy(), known=request.known_urls)
    assert known.urls <= {WRITTEN, *READ}
    assert replace(request, history=()).known_urls == ()
    assert known.record(words) == ()


def _posted(message: Message, number: int) -> Mapping[str, Any]:
    mark = Mark(key="k", part=str(number)).metadata(message.kind)
    place = {"ts": f"2.{number}", "user": BOT, "bot_id": "B1"}
    return {**place, "text": message.text, "blocks": list(message.blocks), "metadata": mark}


def _targets(value: Any) -> Iterator[str]:
    """Whatever a block holds under a name that says that it leads somewhere."""
    if isinstance(value, Mapping):
        yield from (text for name, text in value.items() if LEADS.search(name) and isinstance(text, str))
        value = list(value.values())
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _targets(inner)


def _plain(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _is_over(rest: str) -> bool:
    """Whether a URL ends before what follows it, for whoever reads Markdown or bare URLs."""
    behind = rest.removeprefix(")").lstrip(PUNCTUATION)
    return not behind or (rest[0] == ")" and not "!" <= behind[0] <= "~")
