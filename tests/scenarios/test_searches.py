"""Questions without a link, with a search provider on loopback: Slack, A2A and the command line."""

import asyncio
import json
import logging
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from fetcher import wording
from fetcher.agent import AskRequest, Turn
from fetcher.agent.files.answer_files import FilePolicy
from fetcher.agent.remote.wire import answer_of, conversation_of, details_of, request_of, texts_of
from fetcher.agent.values import AttachedFile, Limits
from fetcher.codes import AgentCode
from tests.fakes.search_provider import KEY, tavily_error
from tests.fakes.turns import call, cite, fail, say, search_made
from tests.slackapp.stage import CHANNEL, Stage, sample_agent

SHOP = "http://shop.sample/price"
QUESTION = "コーヒー豆の定期便で一番安いのは？"
MESSAGE = "来期の予算は三億円で、四月から新しい店舗を三つ開きます。担当は佐藤さんです。"


def _settings(provider, claude=None, kind="brave", **settings):
    searching = {"search_provider": kind, "search_api_key": KEY, "search_base_url": provider.url}
    model = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url} if claude else {}
    return {**searching, **model, "model_max_retries": 0, **settings}


def _texts(stage, ts):
    return "\n".join(message["text"] for message in stage.settled().replies(ts))


def test_slack_searches_shows_the_words_and_remembers_what_was_read(store, sample_port, provider, claude):
    """The whole way, on both stores: a search, our own reading, a source, and a follow-up about it."""
    provider.pages.append((SHOP, "ひだまり珈琲", "定期便の料金"))
    claude.script(
        call("search_web", {"query": "コーヒー豆 定期便"}),
        call("fetch_url", {"url": SHOP}),
        say("おためしが980円です。", citations=[cite(SHOP, 0, 1)]),
        call("search_web", {"query": MESSAGE}),
        call("fetch_url", {"url": SHOP}),
        say("はい。", citations=[cite(SHOP, 0, 1)]),
    )
    agent = sample_agent(sample_port, **_settings(provider, claude))
    with Stage(store, agent=agent, search_off_channel_ids=["C0RANDOM"]) as stage:
        ts = stage.mention(QUESTION)
        said = _texts(stage, ts)
        assert "検索：「コーヒー豆 定期便」" in said
        assert "980円" in said
        assert SHOP in said
        # Another person's message does not leave in the next question; what was read is still known.
        stage.slack.say("U0SATO", CHANNEL, MESSAGE, ts, deliver=False)
        stage.mention("続きを教えて", thread_ts=ts)
        assert _texts(stage, ts).count("検索：") == 1
        assert AgentCode.QUERY_QUOTES_OTHERS in claude.requests[4].text
        assert provider.queries == ["コーヒー豆 定期便"]
        # In a channel where searches are switched off the model is not even asked.
        elsewhere = stage.slack.say("U0TANAKA", "C0RANDOM", f"<@{stage.app.bot_user}> {QUESTION}")
        stage.settled()
        replies = "\n".join(message["text"] for message in stage.replies(elsewhere, "C0RANDOM"))
        assert wording.nothing_to_read().split("\n")[0] in replies
        assert len(claude.requests) == 6
        assert len(provider.queries) == 1
        assert stage.settled().unfinished() == []


def _ask(sample_port, settings, question=QUESTION, watch=lambda _: None, **fields):
    agent = sample_agent(sample_port, **settings)
    return asyncio.run(agent.ask(AskRequest(question=question, **fields), watch))


@pytest.mark.parametrize("kind", ["brave", "tavily"])
def test_the_offline_reader_reads_what_a_search_finds(sample_port, provider, kind):
    provider.pages += [
        ("http://10.0.0.1/admin", "社内", ""),
        ("http://closed.sample/diary", "日記", ""),
        (SHOP, "料金", ""),
    ]
    answer = _ask(sample_port, _settings(provider, kind=kind))
    assert "980円" in answer.text
    assert [source.url for source in answer.sources] == [SHOP]
    assert answer.searches == (QUESTION,)
    told = " ".join(answer.undone)
    assert wording.note(AgentCode.FETCH_LIMIT) not in told
    assert "公開されていないアドレス" in told
    assert "robots.txt" in told
    follow_up = _ask(sample_port, _settings(provider, kind=kind), "送料は？", known_urls=answer.known_urls)
    assert [source.url for source in follow_up.sources] == [SHOP]
    assert (follow_up.searches, len(provider.queries)) == ((), 1)


def test_claudes_own_tool_searches_in_a_call_of_its_own(sample_port, provider, claude):
    claude.script(
        call("search_web", {"query": "コーヒー豆"}),
        search_made("コーヒー豆", (SHOP, "料金")) + say("done"),
        call("fetch_url", {"url": SHOP}),
        say("980円です。", citations=[cite(SHOP, 0, 1)]),
    )
    answer = _ask(sample_port, _settings(provider, claude, kind="anthropic"))
    assert [source.url for source in answer.sources] == [SHOP]
    assert (answer.searches, answer.usage.calls) == (("コーヒー豆",), 4)
    assert QUESTION not in claude.requests[1].text


def test_without_a_provider_the_hint_is_all(sample_port, provider, claude):
    without = {**_settings(provider, claude), "search_provider": ""}
    answer = _ask(sample_port, without)
    assert (answer.text, answer.answered) == (wording.nothing_to_read(), False)
    assert "search_web" not in json.dumps([request.json for request in claude.requests])
    switched_off = _ask(sample_port, _settings(provider, claude), search=False)
    assert switched_off == answer
    assert (provider.requests, claude.requests) == ([], [])


def test_a_provider_that_fails_is_told_and_its_query_is_shown(sample_port, provider, claude, caplog):
    caplog.set_level(logging.INFO)
    provider.script(tavily_error(401, "Unauthorized"), tavily_error(429, "excessive requests"))
    claude.script(call("search_web", {"query": "豆"}), say("検索できませんでした。"))
    answer = _ask(sample_port, _settings(provider, claude, kind="tavily"))
    assert answer.undone == (wording.note(AgentCode.SEARCH_REJECTED),)
    assert answer.searches == ("豆",)
    offline = _ask(sample_port, _settings(provider, kind="tavily"))
    assert offline.undone == (wording.note(AgentCode.SEARCH_UNAVAILABLE),)
    assert offline.text == wording.nothing_to_read()
    assert _ask(sample_port, _settings(provider)).text == wording.nothing_found()
    logged = "\n".join([caplog.text, *(str(vars(record)) for record in caplog.records)])
    assert "search_failed" in logged
    for word in ("コーヒー", quote("コーヒー"), KEY):  # Brave has the query in its URL
        assert word not in logged


def test_where_the_model_fails_after_its_search_the_results_are_read(sample_port, provider, claude):
    provider.pages.append((SHOP, "料金", ""))
    claude.script(call("search_web", {"query": "コーヒー豆"}), fail(529))
    answer = _ask(sample_port, _settings(provider, claude))
    assert [source.url for source in answer.sources] == [SHOP]
    assert provider.queries == ["コーヒー豆"]


TEXT = "極秘：Project Kawasemi の単価は一個あたり四千二百円、初回は二万個です。"


@pytest.mark.parametrize(
    "where", ["quoted", "file", "file's name", "answer", "answer about a file", "another person"]
)
def test_other_peoples_words_do_not_leave_wherever_they_stand(sample_port, provider, claude, where):
    claude.script(call("search_web", {"query": TEXT}), say("やめます。"))
    file = AttachedFile(
        name="a.txt",
        url="https://x.slack.com/files/1",
        download=lambda *_: TEXT.encode(),
        media_type="text/plain",
    )
    fields: dict[str, dict[str, Any]] = {
        "quoted": {"quoted": (TEXT,)},
        "file": {"files": (file,)},
        "file's name": {"files": (replace(file, name=TEXT, download=lambda *_: b"x"),)},
        # What the answer quotes may be older than what Slack shows of the thread.
        "answer": {"history": (Turn(author="佐藤", text="はい"), Turn(author="", text=TEXT, ours=True))},
        "answer about a file": {"history": (Turn(author="", text=TEXT, ours=True),), "files": (file,)},
        "another person": {"history": (Turn(author="田中", text=TEXT),), "author": "田中"},
    }
    answer = _ask(sample_port, _settings(provider, claude), question="これを調べて", **fields[where])
    assert (provider.requests, answer.searches) == ([], ())
    assert AgentCode.QUERY_QUOTES_OTHERS in claude.requests[-1].text


def test_the_askers_own_words_may_leave(sample_port, provider, claude):
    claude.script(call("search_web", {"query": TEXT}), say("見つかりません。"))
    history = (Turn(author="田中", text=TEXT, by_asker=True),)
    answer = _ask(sample_port, _settings(provider, claude), author="田中", history=history)
    assert answer.searches == (TEXT,)


def test_over_a2a_the_wish_and_the_words_travel(sample_port, provider):
    """Whether words may leave goes with the question, and which have left comes back with the answer."""
    asked = AskRequest(question=QUESTION, quoted=("x",), search=False, history=(Turn(author="a", text="b"),))
    got = request_of(QUESTION, json.loads(json.dumps(conversation_of(asked))), Limits())
    assert (got.search, got.quoted) == (False, ("x",))
    provider.pages.append((SHOP, "料金", ""))
    answer = _ask(sample_port, _settings(provider))
    assert "検索：「" + QUESTION in texts_of(answer)[1]
    parts = [{"text": answer.text}, {"data": json.loads(json.dumps(details_of(answer)))}]
    back = answer_of([{"name": "execution_response", "parts": parts}], FilePolicy(max_bytes=1, types=()), 0)
    assert back.searches == (QUESTION,)


def test_the_command_line_searches(reach, internet, provider):
    page = f"http://127.0.0.1:{internet.web.port}/price"
    internet.web.page(page, "<title>料金</title><article><p>コーヒー豆の定期便は980円です。</p></article>")
    provider.pages.append((page, "料金", ""))
    environ = {**reach, "SEARCH_PROVIDER": "brave", "SEARCH_API_KEY": KEY, "SEARCH_BASE_URL": provider.url}
    done = subprocess.run(
        [sys.executable, "-m", "fetcher", "ask", QUESTION, "--json"],
        check=False,
        cwd=Path(__file__).parents[2],
        env=environ,
        capture_output=True,
        text=True,
        timeout=60,
    )
    told = json.loads(done.stdout)
    assert (told["searches"], [source["url"] for source in told["sources"]]) == ([QUESTION], [page])
    assert f"検索：「{QUESTION}」" in done.stderr
    assert KEY not in done.stdout + done.stderr
