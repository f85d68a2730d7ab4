"""The page's server: whom it lets in, what it shows, what can be done through it."""

import json

import pytest

from fetcher.sample import PAGES
from slackapp.playground.page.page import HARMLESS, Page
from slackapp.stores.contract import Entity, StoreUnavailable
from tests.slackapp.playground.apps import SECRET, TOKEN
from tests.slackapp.playground.pages import next_event, opened

TANAKA = {"user": "U0TANAKA", "channel": "C0GENERAL"}


@pytest.fixture
def bench(tmp_path):
    with opened(tmp_path) as running:
        yield running


def _file(bench, name, content):
    ts = bench.slack.say("U0SATO", "general", "x", files=[(name, content)], deliver=False)
    return bench.slack.thread("general", ts)[0]["files"][0]["id"]


@pytest.mark.parametrize(
    "path", ["/", "/page/app.js", "/playground/state", "/playground/events", "/api/auth.test"]
)
@pytest.mark.parametrize("host", ["evil.example", "evil.example:3000", "127.0.0.1.evil.example"])
def test_a_name_that_is_not_ours_is_refused(bench, path, host):
    """DNS rebinding brings the browser here under another name."""
    assert bench.ask(path, Host=host)[0] == 403


def test_another_port_in_the_name_is_refused(bench):
    """It is somebody else's origin."""
    assert bench.ask("/playground/state", Host="127.0.0.1:1")[0] == 403


@pytest.mark.parametrize("name", ["say", "command"])
def test_half_of_a_surrogate_pair_breaks_nothing(bench, name):
    """A browser sends what is pasted into it; the page opens all the same, and the app hears of it."""
    asked = {**TANAKA, "text": "\ud83d <@U0READER> http://shop.sample/price", "command": "/fetch"}
    assert bench.act(name, **asked)[0] == 200
    assert bench.ask("/playground/state")[0] == 200


def test_localhost_is_ours(bench):
    assert bench.ask("/", Host=bench.host.replace("127.0.0.1", "localhost"))[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_an_origin_that_is_not_ours_is_refused(bench, origin, verb):
    """Another site's page may be open in the same browser."""
    path = "/playground/act/say" if verb == "POST" else "/playground/state"
    assert bench.ask(path, verb, b"{}", Origin=origin, Content_Type="application/json")[0] == 403


def test_another_sites_page_cannot_load_what_is_here(bench):
    """Browsers say where a request without an origin comes from; the page itself may be linked to."""
    assert bench.ask("/playground/state", Sec_Fetch_Site="cross-site")[0] == 403
    assert bench.ask("/page/app.js", Sec_Fetch_Site="same-site")[0] == 403
    assert bench.ask("/", Sec_Fetch_Site="cross-site")[0] == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content_Type": "application/json"}, 403),
        ({"Content_Type": "text/plain", "X_Playground": "1"}, 415),
        ({"X_Playground": "1"}, 415),
        ({"Content_Type": "application/json", "X_Playground": "1"}, 200),
        ({"Content_Type": "application/json; charset=utf-8", "X_Playground": "1"}, 200),
    ],
)
def test_what_no_form_can_send_is_needed_to_act(bench, headers, status):
    """JSON, and our header where there is no origin."""
    body = json.dumps(TANAKA | {"text": "x"}).encode()
    assert bench.ask("/playground/act/say", "POST", body, **headers)[0] == status


def test_everything_carries_the_policy(bench):
    """No script but ours, no frame, no guessing of types."""
    for path in ("/", "/page/app.js", "/playground/state", "/nowhere"):
        headers = bench.ask(path)[1]
        assert "default-src 'none'; script-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/page/app.js", "text/javascript; charset=utf-8"),
        ("/page/style.css", "text/css; charset=utf-8"),
        ("/page/icon.svg", "image/svg+xml"),
    ],
)
def test_the_page_is_a_few_plain_files(bench, path, kind):
    status, headers, body = bench.ask(path)
    assert (status, headers["Content-Type"]) == (200, kind)
    assert body


@pytest.mark.parametrize(
    "path",
    [
        "/page/../page.py",
        "/page/..%2fpage.py",
        "/page/%2e%2e/page.py",
        "/page/",
        "/page/none.js",
        "/page/app.py",
        "/page/..%5cweb.js",
        "/nowhere",
        "/playground/entries/x",
        "/playground/entries/99999",
        f"/playground/entries/{'9' * 5_000}",
        "/playground/files/F0NONE",
        "/playground/previews/F0NONE",
        "/sample/evil.example/",
    ],
)
def test_what_is_not_there_is_404(bench, path):
    assert bench.ask(path)[0] == 404


def test_the_page_waits_for_what_stands_behind_it():
    """A browser that is faster than the start is told to come again."""
    request: object = None
    assert Page().answer(request).status == 503  # type: ignore[arg-type]  # nobody looks at it


def test_the_state_is_everything_that_the_page_shows(bench):
    root = bench.slack.say("U0SATO", "general", "質問", deliver=False)
    bench.slack.say("U0TANAKA", "general", "返信", root, deliver=False)
    state = bench.read("/playground/state")
    assert [message["text"] for message in state["messages"]["C0GENERAL"]] == ["質問", "返信"]
    assert {user["real_name"] for user in state["users"]} == {
        "田中 花子",
        "佐藤 健",
        "鈴木 陽子",
        "ウェブリーダー",
    }
    assert state["answerer"] == {"kind": "offline", "model": ""}
    assert set(state["whitelist"]) == {"U0TANAKA", "U0SATO", "U0SUZUKI", "U0READER"}
    assert {prompt["url"] for prompt in state["prompts"]} <= {page.url for page in PAGES}
    assert all(prompt[language]["title"] for prompt in state["prompts"] for language in ("ja", "en"))


def test_what_is_typed_is_said(bench):
    """And told to the app, as a mention."""
    status, answer = bench.act("say", **TANAKA, text="@ウェブリーダー http://shop.sample/price は？")
    assert (status, answer["ok"]) == (200, True)
    (message,) = bench.slack.thread("general", answer["ts"])
    assert message["text"] == "<@U0READER> <http://shop.sample/price> は？"
    assert bench.slack.wait_until(
        lambda: {"app_mention"} & {body["event"]["type"] for body in bench.app.bodies}
    )


def test_a_reply_goes_to_its_thread(bench):
    root = bench.slack.say("U0SATO", "general", "質問", deliver=False)
    bench.act("say", **TANAKA, text="返信", thread_ts=root)
    assert [message["text"] for message in bench.slack.thread("general", root)] == ["質問", "返信"]


def test_a_command_and_a_shortcut_reach_the_app(bench):
    ts = bench.slack.say("U0SATO", "general", "<http://shop.sample/price>", deliver=False)
    assert bench.act("command", **TANAKA, command="/fetch", text=" http://shop.sample/price 料金 ")[0] == 200
    assert bench.act("shortcut", **TANAKA, ts=ts)[0] == 200
    command, shortcut = bench.app.forms
    assert (command["command"], command["text"]) == ("/fetch", "http://shop.sample/price 料金")
    assert json.loads(shortcut["payload"])["callback_id"] == "read_link"


def test_reactions_come_and_go(bench):
    ts = bench.slack.say("U0SATO", "general", "x", deliver=False)
    bench.act("react", **TANAKA, ts=ts, name="x", on=True)
    assert bench.slack.thread("general", ts)[0]["reactions"] == [
        {"name": "x", "users": ["U0TANAKA"], "count": 1}
    ]
    bench.act("react", **TANAKA, ts=ts, name="x", on=False)
    assert "reactions" not in bench.slack.thread("general", ts)[0]


def test_the_stop_button_and_the_home_are_told_to_the_app(bench):
    root = bench.slack.say("U0SATO", "general", "x", deliver=False)
    bench.act("stop", **TANAKA, thread_ts=root)
    bench.act("home", user="U0TANAKA")
    wanted = {"agent_session_stopped", "app_home_opened"}
    assert bench.slack.wait_until(lambda: wanted <= {body["event"]["type"] for body in bench.app.bodies})


def test_people_delete_their_own_messages_only(bench):
    ts = bench.slack.say("U0SATO", "general", "x", deliver=False)
    assert bench.act("delete", **TANAKA, ts=ts) == (409, {"ok": False, "error": "cant_delete_message"})
    assert bench.act("delete", **TANAKA | {"user": "U0SATO"}, ts=ts)[0] == 200
    assert bench.slack.timeline("general") == []


@pytest.mark.parametrize(
    ("name", "fields", "status", "error"),
    [
        ("say", TANAKA, 400, "text: a text is needed"),
        ("say", TANAKA | {"text": ""}, 400, "text: a text is needed"),
        ("say", TANAKA | {"text": 1}, 400, "text: a text is needed"),
        ("say", TANAKA | {"text": "x", "user": "U0NONE"}, 409, "user_not_found"),
        ("say", TANAKA | {"text": "x", "channel": "C0NONE"}, 409, "channel_not_found"),
        ("say", TANAKA | {"text": "x", "thread_ts": "1.000001"}, 409, "thread_not_found"),
        ("command", TANAKA | {"command": "/none"}, 409, "unknown_command"),
        ("react", TANAKA | {"ts": "1.000001", "name": "x"}, 400, "on: true or false is needed"),
        ("react", TANAKA | {"ts": "1.000001", "name": "x", "on": True}, 409, "message_not_found"),
        ("retry", {"number": "1"}, 400, "number: a number is needed"),
        ("retry", {"number": True}, 400, "number: a number is needed"),
        ("twice", {"number": 99_999}, 409, "no_such_event"),
        ("fail", {"status": 418}, 400, "status: 429 or 500; method: a Web API method, or *"),
        ("fail", {"status": 429, "method": "x"}, 400, "status: 429 or 500; method: a Web API method, or *"),
        ("list", {"user": "U0NONE", "on": True}, 409, "user_not_found"),
        ("exhaust", {"user": "U0NONE"}, 409, "user_not_found"),
    ],
)
def test_what_cannot_be_done_is_said_why(bench, name, fields, status, error):
    assert bench.act(name, **fields) == (status, {"ok": False, "error": error})


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff"])
def test_a_body_that_is_no_object_is_refused(bench, body):
    headers = {"Content_Type": "application/json", "X_Playground": "1"}
    assert bench.ask("/playground/act/say", "POST", body, **headers)[0] == 400


def test_an_act_that_nobody_knows_is_404(bench):
    headers = {"Content_Type": "application/json", "X_Playground": "1"}
    assert bench.ask("/playground/act/none", "POST", b"{}", **headers)[0] == 404


def test_a_button_that_is_not_there_cannot_be_clicked(bench):
    ts = bench.slack.say("U0SATO", "general", "x", deliver=False)
    clicked = bench.act("click", **TANAKA, ts=ts, action_id="feedback", value="good")
    assert clicked == (409, {"ok": False, "error": "no_such_element"})


def test_an_app_that_does_not_answer_is_named(bench):
    """As Slack tells the person who gave a command."""
    bench.app.__exit__()
    assert bench.act("command", **TANAKA, command="/fetch") == (
        409,
        {"ok": False, "error": "dispatch_failed"},
    )
    bench.app.__enter__()


def _event(bench):
    """The number of a delivered event."""
    bench.act("say", **TANAKA, text="@ウェブリーダー x")
    assert bench.slack.wait_until(lambda: len(bench.slack.deliveries) == 2)
    return next(
        each["number"] for each in bench.read("/playground/state")["entries"] if each["kind"] == "event"
    )


def test_an_event_is_replayed_as_slacks_retry(bench):
    """The same body, with the headers of a retry."""
    assert bench.act("retry", number=_event(bench))[0] == 200
    assert bench.slack.wait_until(lambda: len(bench.app.requests) == 3)
    again = bench.app.requests[-1]
    assert (again.headers["x-slack-retry-num"], again.headers["x-slack-retry-reason"]) == (
        "1",
        "http_timeout",
    )
    assert again.body in {request.body for request in bench.app.requests[:2]}


def test_an_event_is_delivered_twice(bench):
    assert bench.act("twice", number=_event(bench))[0] == 200
    assert bench.slack.wait_until(lambda: len(bench.app.requests) == 4)
    assert "x-slack-retry-num" not in bench.app.requests[-1].headers


@pytest.mark.parametrize("status", [429, 500])
def test_the_next_call_fails_once(bench, status):
    """And the one after it does not."""
    assert bench.act("fail", status=status, method="auth.test")[0] == 200
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert [bench.ask("/api/auth.test", "POST", **headers)[0] for _ in range(2)] == [status, 200]


def test_planned_faults_can_be_taken_back(bench):
    bench.act("fail", status=500)
    bench.act("clear_faults")
    assert bench.ask("/api/auth.test", "POST", Authorization=f"Bearer {TOKEN}")[0] == 200


def test_the_rate_limit_is_used_up(bench):
    """Whatever was left of it."""
    _, answer = bench.act("exhaust", user="U0TANAKA")
    assert 1 <= answer["seconds"] <= 6


def test_a_user_goes_off_the_whitelist_and_back(bench):
    """The rows change, and every open page hears of it."""
    with bench.events(bench.read("/playground/state")["position"]) as events:
        bench.act("list", user="U0TANAKA", on=False)
        ids = [listing.id for listing in bench.store.whitelist_entries() if listing.entity is Entity.USER]
        assert ids == ["U0READER", "U0SATO", "U0SUZUKI"]
        bench.act("list", user="U0TANAKA", on=True)
        heard = [_next(events) for _ in range(2)]
    assert [sorted(each["users"]) for each in heard] == [ids, sorted([*ids, "U0TANAKA"])]


def _next(events):
    event = next_event(events)
    assert event is not None
    return event[2]


def test_a_store_that_is_down_is_said(bench, monkeypatch):
    def down(*_):
        raise StoreUnavailable("no")

    monkeypatch.setattr(bench.store, "remove_from_whitelist", down)
    refused = bench.act("list", user="U0TANAKA", on=False)
    assert refused == (503, {"ok": False, "error": "store_unavailable"})


def test_an_entrys_payload_has_no_secrets(bench):
    """Neither tokens nor the address at which a command may be answered."""
    bench.act("command", **TANAKA, command="/fetch", text=f"{TOKEN} {SECRET} sk-ant-api03-abc")
    (entry,) = bench.read("/playground/state")["entries"]
    shown = json.dumps(bench.read(f"/playground/entries/{entry['number']}"), ensure_ascii=False)
    assert "U0TANAKA" in shown
    assert [secret for secret in (TOKEN, SECRET, "sk-ant-", "/response/") if secret in shown] == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("表.csv", "text/csv"),
        ("a.json", "application/json"),
        ("a.txt", "text/plain"),
        ("a.html", "application/octet-stream"),
        ("a.svg", "application/octet-stream"),
        ("a.js", "application/octet-stream"),
        ('a"\r\nX: y.html', "application/octet-stream"),
    ],
)
def test_files_are_something_to_keep(bench, name, kind):
    """Never something that the browser shows or runs, whatever they are called."""
    status, headers, body = bench.ask(f"/playground/files/{_file(bench, name, b'<script>')}")
    assert (status, headers["Content-Type"], body) == (200, kind, b"<script>")
    assert headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "X" not in headers
    assert kind in HARMLESS or kind == "application/octet-stream"


def test_a_file_can_be_looked_into(bench):
    table = bench.read(f"/playground/previews/{_file(bench, 'a.csv', b'a,b')}")
    assert table == {"kind": "table", "rows": [["a", "b"]], "cut": False}


@pytest.mark.parametrize("page", [page for page in PAGES if not page.location], ids=lambda page: page.url)
def test_a_sample_page_is_shown_as_it_is_and_can_do_nothing(bench, page):
    status, headers, body = bench.ask(f"/sample/{page.url.removeprefix('http://')}")
    assert (status, body, headers["Content-Type"]) == (200, page.body(), page.content_type)
    assert "sandbox" in headers["Content-Security-Policy"]
    assert "allow-scripts" not in headers["Content-Security-Policy"]


def test_a_sample_page_that_moves_is_not_followed(bench):
    status, headers, body = bench.ask("/sample/moved.sample/")
    assert (status, "Location" in headers) == (200, False)
    assert b"169.254.169.254" in body
