"""The routes of the page: which requests they refuse, what they show, which actions they offer."""

import json

import pytest

from fetcher.sample import PAGES
from slackapp.playground.page.page import DOWNLOAD_TYPES, Page
from slackapp.stores.contract import Entity, StoreUnavailable
from tests.slackapp.playground.apps import SECRET, TOKEN
from tests.slackapp.playground.pages import next_event, running_page

TANAKA = {"user": "U0TANAKA", "channel": "C0GENERAL"}

FAULTS_SAID = "status: 429 or 500; error: one that the page offers; method: of the Web API, or *"


@pytest.fixture
def page(tmp_path):
    with running_page(tmp_path) as running:
        yield running


def _file(page, name, content):
    ts = page.slack.say("U0SATO", "general", "x", files=[(name, content)], deliver=False)
    return page.slack.thread("general", ts)[0]["files"][0]["id"]


@pytest.mark.parametrize(
    "path", ["/", "/page/app.js", "/playground/state", "/playground/events", "/api/auth.test"]
)
@pytest.mark.parametrize("host", ["evil.example", "evil.example:3000", "127.0.0.1.evil.example"])
def test_a_name_that_is_not_ours_is_refused(page, path, host):
    """DNS rebinding brings the browser here under another name."""
    assert page.ask(path, Host=host)[0] == 403


def test_another_port_in_the_name_is_refused(page):
    """It is another origin."""
    assert page.ask("/playground/state", Host="127.0.0.1:1")[0] == 403


@pytest.mark.parametrize("name", ["say", "command"])
def test_half_of_a_surrogate_pair_breaks_nothing(page, name):
    """A browser sends what is pasted into it; the page opens all the same, and the app hears of it."""
    asked = {**TANAKA, "text": "\ud83d <@U0READER> http://shop.sample/price", "command": "/fetch"}
    assert page.act(name, **asked)[0] == 200
    assert page.ask("/playground/state")[0] == 200


def test_localhost_is_ours(page):
    assert page.ask("/", Host=page.host.replace("127.0.0.1", "localhost"))[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
@pytest.mark.parametrize("verb", ["GET", "POST"])
def test_an_origin_that_is_not_ours_is_refused(page, origin, verb):
    """Another site's page may be open in the same browser."""
    path = "/playground/act/say" if verb == "POST" else "/playground/state"
    assert page.ask(path, verb, b"{}", Origin=origin, Content_Type="application/json")[0] == 403


def test_another_sites_page_cannot_load_what_is_here(page):
    """Browsers say where a request without an origin comes from; the page itself may be linked to."""
    assert page.ask("/playground/state", Sec_Fetch_Site="cross-site")[0] == 403
    assert page.ask("/page/app.js", Sec_Fetch_Site="same-site")[0] == 403
    assert page.ask("/", Sec_Fetch_Site="cross-site")[0] == 200


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
def test_what_no_form_can_send_is_needed_to_act(page, headers, status):
    """JSON, and without an origin the page's own header."""
    body = json.dumps(TANAKA | {"text": "x"}).encode()
    assert page.ask("/playground/act/say", "POST", body, **headers)[0] == status


def test_everything_carries_the_policy(page):
    """No script but ours, no frame, no guessing of types."""
    for path in ("/", "/page/app.js", "/playground/state", "/nowhere"):
        headers = page.ask(path)[1]
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
def test_the_page_is_a_few_plain_files(page, path, kind):
    status, headers, body = page.ask(path)
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
def test_what_is_not_there_is_404(page, path):
    assert page.ask(path)[0] == 404


def test_the_page_answers_503_before_it_is_bound():
    """A browser that is faster than the start tries again."""
    request: object = None
    assert Page().answer(request).status == 503  # type: ignore[arg-type]  # it is not read


def test_the_state_is_everything_that_the_page_shows(page):
    root = page.slack.say("U0SATO", "general", "質問", deliver=False)
    page.slack.say("U0TANAKA", "general", "返信", root, deliver=False)
    state = page.read("/playground/state")
    assert [message["text"] for message in state["messages"]["C0GENERAL"]] == ["質問", "返信"]
    assert {user["real_name"] for user in state["users"]} == {
        "田中 花子",
        "佐藤 健",
        "鈴木 陽子",
        "Emma Smith",
        "Webリーダー",
    }
    assert state["answerer"] == {"kind": "offline", "model": ""}
    assert set(state["whitelist"]) == {"U0TANAKA", "U0SATO", "U0SMITH", "U0SUZUKI", "U0READER"}
    assert {prompt["url"] for prompt in state["prompts"]} <= {sample.url for sample in PAGES} | {""}
    assert all(prompt[language]["proves"] for prompt in state["prompts"] for language in ("ja", "en"))
    assert all(prompt[language]["title"] for prompt in state["prompts"] for language in ("ja", "en"))


def test_what_is_typed_is_said(page):
    """The app gets it as a mention."""
    status, answer = page.act("say", **TANAKA, text="@Webリーダー http://shop.sample/price は？")
    assert (status, answer["ok"]) == (200, True)
    (message,) = page.slack.thread("general", answer["ts"])
    assert message["text"] == "<@U0READER> <http://shop.sample/price> は？"
    assert page.slack.wait_until(
        lambda: {"app_mention"} & {body["event"]["type"] for body in page.app.bodies}
    )


def test_a_reply_goes_to_its_thread(page):
    root = page.slack.say("U0SATO", "general", "質問", deliver=False)
    page.act("say", **TANAKA, text="返信", thread_ts=root)
    assert [message["text"] for message in page.slack.thread("general", root)] == ["質問", "返信"]


def test_a_command_and_a_shortcut_reach_the_app(page):
    ts = page.slack.say("U0SATO", "general", "<http://shop.sample/price>", deliver=False)
    assert page.act("command", **TANAKA, command="/fetch", text=" http://shop.sample/price 料金 ")[0] == 200
    assert page.act("shortcut", **TANAKA, ts=ts)[0] == 200
    command, shortcut = page.app.forms
    assert (command["command"], command["text"]) == ("/fetch", "http://shop.sample/price 料金")
    assert json.loads(shortcut["payload"])["callback_id"] == "read_link"


def test_reactions_come_and_go(page):
    ts = page.slack.say("U0SATO", "general", "x", deliver=False)
    page.act("react", **TANAKA, ts=ts, name="x", on=True)
    assert page.slack.thread("general", ts)[0]["reactions"] == [
        {"name": "x", "users": ["U0TANAKA"], "count": 1}
    ]
    page.act("react", **TANAKA, ts=ts, name="x", on=False)
    assert "reactions" not in page.slack.thread("general", ts)[0]


def test_the_stop_button_and_the_home_reach_the_app(page):
    root = page.slack.say("U0SATO", "general", "x", deliver=False)
    page.act("stop", **TANAKA, thread_ts=root)
    page.act("home", user="U0TANAKA")
    expected = {"agent_session_stopped", "app_home_opened"}
    assert page.slack.wait_until(lambda: expected <= {body["event"]["type"] for body in page.app.bodies})


def test_people_delete_their_own_messages_only(page):
    ts = page.slack.say("U0SATO", "general", "x", deliver=False)
    assert page.act("delete", **TANAKA, ts=ts) == (409, {"ok": False, "error": "cant_delete_message"})
    assert page.act("delete", **TANAKA | {"user": "U0SATO"}, ts=ts)[0] == 200
    assert page.slack.timeline("general") == []


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
        ("fail", {"status": 418}, 400, FAULTS_SAID),
        ("fail", {"status": 429, "method": "x"}, 400, FAULTS_SAID),
        ("list", {"user": "U0NONE", "on": True}, 409, "user_not_found"),
        ("exhaust", {"user": "U0NONE"}, 409, "user_not_found"),
    ],
)
def test_a_refused_action_says_why(page, name, fields, status, error):
    assert page.act(name, **fields) == (status, {"ok": False, "error": error})


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff"])
def test_a_body_that_is_not_an_object_is_refused(page, body):
    headers = {"Content_Type": "application/json", "X_Playground": "1"}
    assert page.ask("/playground/act/say", "POST", body, **headers)[0] == 400


def test_an_unknown_action_is_404(page):
    headers = {"Content_Type": "application/json", "X_Playground": "1"}
    assert page.ask("/playground/act/none", "POST", b"{}", **headers)[0] == 404


def test_a_button_that_is_not_there_cannot_be_clicked(page):
    ts = page.slack.say("U0SATO", "general", "x", deliver=False)
    clicked = page.act("click", **TANAKA, ts=ts, action_id="feedback", value="good")
    assert clicked == (409, {"ok": False, "error": "no_such_element"})


def test_an_app_that_does_not_answer_is_named(page):
    """As Slack tells the person who gave a command."""
    page.app.__exit__()
    assert page.act("command", **TANAKA, command="/fetch") == (
        409,
        {"ok": False, "error": "dispatch_failed"},
    )
    page.app.__enter__()


def _event(page):
    """The number of a delivered event."""
    page.act("say", **TANAKA, text="@Webリーダー x")
    assert page.slack.wait_until(lambda: len(page.slack.deliveries) == 2)
    return next(
        each["number"] for each in page.read("/playground/state")["entries"] if each["kind"] == "event"
    )


def test_an_event_is_replayed_as_slacks_retry(page):
    """The same body, with the headers of a retry."""
    assert page.act("retry", number=_event(page))[0] == 200
    assert page.slack.wait_until(lambda: len(page.app.requests) == 3)
    again = page.app.requests[-1]
    assert (again.headers["x-slack-retry-num"], again.headers["x-slack-retry-reason"]) == (
        "1",
        "http_timeout",
    )
    assert again.body in {request.body for request in page.app.requests[:2]}


def test_an_event_is_delivered_twice(page):
    assert page.act("twice", number=_event(page))[0] == 200
    assert page.slack.wait_until(lambda: len(page.app.requests) == 4)
    assert "x-slack-retry-num" not in page.app.requests[-1].headers


@pytest.mark.parametrize("status", [429, 500])
def test_the_next_call_fails_once(page, status):
    """And the one after it does not."""
    assert page.act("fail", status=status, method="auth.test")[0] == 200
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert [page.ask("/api/auth.test", "POST", **headers)[0] for _ in range(2)] == [status, 200]


def test_planned_faults_can_be_taken_back(page):
    page.act("fail", status=500)
    page.act("clear_faults")
    assert page.ask("/api/auth.test", "POST", Authorization=f"Bearer {TOKEN}")[0] == 200


def test_the_rate_limit_is_used_up(page):
    """The answer says how long to wait."""
    _, answer = page.act("exhaust", user="U0TANAKA")
    assert 1 <= answer["seconds"] <= 6


def test_a_user_goes_off_the_whitelist_and_back(page):
    """The rows change, and every open page gets the change."""
    with page.events(page.read("/playground/state")["position"]) as events:
        page.act("list", user="U0TANAKA", on=False)
        ids = [listing.id for listing in page.store.whitelist_entries() if listing.entity is Entity.USER]
        assert ids == ["U0READER", "U0SATO", "U0SMITH", "U0SUZUKI"]
        page.act("list", user="U0TANAKA", on=True)
        changes = [_next(events) for _ in range(2)]
    assert [sorted(each["users"]) for each in changes] == [ids, sorted([*ids, "U0TANAKA"])]


def _next(events):
    event = next_event(events)
    assert event is not None
    return event[2]


def test_a_store_that_is_down_is_reported(page, monkeypatch):
    def down(*_):
        raise StoreUnavailable("no")

    monkeypatch.setattr(page.store, "remove_from_whitelist", down)
    refused = page.act("list", user="U0TANAKA", on=False)
    assert refused == (503, {"ok": False, "error": "store_unavailable"})


def test_an_entrys_payload_has_no_secrets(page):
    """Neither tokens nor the address at which a command may be answered."""
    page.act("command", **TANAKA, command="/fetch", text=f"{TOKEN} {SECRET} sk-ant-api03-abc")
    (entry,) = page.read("/playground/state")["entries"]
    shown = json.dumps(page.read(f"/playground/entries/{entry['number']}"), ensure_ascii=False)
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
def test_files_are_downloaded(page, name, kind):
    """The browser never shows or runs a file, under any name."""
    status, headers, body = page.ask(f"/playground/files/{_file(page, name, b'<script>')}")
    assert (status, headers["Content-Type"], body) == (200, kind, b"<script>")
    assert headers["Content-Disposition"].startswith("attachment; filename*=UTF-8''")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "X" not in headers
    assert kind in DOWNLOAD_TYPES or kind == "application/octet-stream"


def test_a_file_has_a_preview(page):
    table = page.read(f"/playground/previews/{_file(page, 'a.csv', b'a,b')}")
    assert table == {"kind": "table", "rows": [["a", "b"]], "cut": False}


@pytest.mark.parametrize("sample", [page for page in PAGES if not page.location], ids=lambda page: page.url)
def test_a_sample_page_is_shown_as_it_is_and_can_do_nothing(page, sample):
    status, headers, body = page.ask(f"/sample/{sample.url.removeprefix('http://')}")
    assert (status, body, headers["Content-Type"]) == (200, sample.body(), sample.content_type)
    assert "sandbox" in headers["Content-Security-Policy"]
    assert "allow-scripts" not in headers["Content-Security-Policy"]


def test_a_sample_page_that_moves_is_not_followed(page):
    status, headers, body = page.ask("/sample/moved.sample/")
    assert (status, "Location" in headers) == (200, False)
    assert b"169.254.169.254" in body
