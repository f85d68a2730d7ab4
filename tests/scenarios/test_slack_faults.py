"""When Slack or the store fails: one reply all the same, or one refusal, or a log line that says why."""

import sqlite3
import threading
from collections import deque
from dataclasses import replace

import pytest

from fetcher.agent import Answer, GeneratedFile
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.playground.webapi.faults import Fault
from slackapp.stores.dynamodb import connect
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import ANSWER, CHANNEL, USER, Stage, part_of
from tests.slackapp.stores.wire import Wire

ANSWERED = "コーヒー豆は1,200円です。"
ALWAYS = 1000


@pytest.fixture
def clock():
    return FakeClock(LATER)


@pytest.fixture
def stage(sqlite_settings, naps, clock):
    """Slack fails here; the store does not, whatever its kind."""
    with Stage(sqlite_settings, clock=clock) as running:
        yield running
        assert running.settled().unfinished() == []


def texts(messages):
    return [message["text"] for message in messages]


def logged(caplog, event):
    """The fields of the lines that say this."""
    return [record.fields for record in caplog.records if record.getMessage().partition(":")[0] == event]


HICCUPS = {
    "asked to wait": Fault(status=429, retry_after=2),
    "a server's error": Fault(status=500),
    "an error after the work": Fault(status=503, after=True),
    "no answer": Fault(drop=True),
    "an answer that was lost": Fault(drop=True, after=True),
}


@pytest.mark.parametrize("fault", HICCUPS.values(), ids=HICCUPS)
@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update"])
def test_a_hiccup_of_slacks_ends_in_one_reply(stage, naps, method, fault):
    """A call that was done though its answer was lost is not done again."""
    stage.slack.faults.next(method, fault)
    ts = stage.mention()
    assert texts(stage.settled().replies(ts)) == [ANSWERED]
    assert naps
    assert stage.slack.ephemerals() == []


NOT_SLACKS = {
    "a page": Fault(page="<html>Sign in</html>"),
    "a page in a charset that does not exist": Fault(
        page="<html>", status=502, content_type="text/html; charset=none"
    ),
    "another type of JSON": Fault(page="[1]", content_type="application/json"),
    "a compressed body": Fault(page="x", content_type="application/gzip"),
    "an answer without a timestamp": Fault(page='{"ok": true}', content_type="application/json"),
}


@pytest.mark.parametrize("fault", NOT_SLACKS.values(), ids=NOT_SLACKS)
def test_an_answer_that_is_not_slacks_ends_in_one_reply(stage, clock, fault):
    """The call may have been carried out all the same: nothing stands twice, and nothing is left behind."""
    stage.slack.faults.next("chat.postMessage", replace(fault, after=True), 3)
    stage.slack.faults.next("chat.update", replace(fault, after=True), 2)
    ts = stage.mention()
    stage.settled()
    for _ in range(2):
        clock.advance(300)
        stage.swept()
    assert texts(stage.replies(ts)) == [ANSWERED]


def test_a_wait_longer_than_a_claim_lives_loses_no_question(stage, clock):
    stage.slack.faults.next("chat.update", Fault(status=429, retry_after=100_000))
    ts = stage.mention()
    assert texts(stage.settled().replies(ts)) == [wording.accepted()]
    clock.advance(3601)
    assert texts(stage.swept().replies(ts)) == [ANSWERED]


@pytest.mark.parametrize("fault", [Fault(drop=True, after=True), Fault(status=500)], ids=["lost", "500"])
def test_a_hiccup_in_a_direct_message_ends_in_one_reply(stage, fault):
    stage.slack.faults.next("chat.startStream", fault)
    where = stage.slack.direct(USER)
    ts = stage.slack.say(USER, where, "https://a.example/ は？")
    assert texts(stage.settled().replies(ts, where)) == [ANSWERED]


def test_a_command_whose_first_message_was_posted_but_not_confirmed_opens_one_thread(stage):
    stage.slack.faults.next("chat.postMessage", Fault(drop=True, after=True))
    stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？")
    [root] = stage.settled().slack.timeline(CHANNEL)
    assert texts(stage.replies(root["ts"]))[1:] == [ANSWERED]


@pytest.mark.parametrize("method", ["chat.postMessage", "chat.update"])
def test_what_cannot_be_posted_now_is_posted_by_the_sweeper(stage, clock, caplog, method):
    """Slack is down for longer than we try; the claim is kept, and taken up when its lease has run out."""
    stage.slack.faults.next(method, Fault(status=500), times=ALWAYS)
    ts = stage.mention()
    stage.settled()
    [line] = logged(caplog, "reply_not_posted")
    assert (line["error_code"], line["retryable"]) == ("http_500", True)
    assert len(stage.unfinished()) == 1
    stage.slack.faults.clear()
    clock.advance(61)
    assert texts(stage.swept().replies(ts)) == [ANSWERED]
    assert stage.slack.ephemerals() == []


def test_refusals_of_slack_are_not_counted_as_attempts(stage, clock):
    """However often Slack fails, the answer is posted when it works again."""
    stage.slack.faults.next("chat.update", Fault(status=500), times=ALWAYS)
    ts = stage.mention()
    stage.settled()
    for _ in range(stage.settings.max_attempts + 1):
        clock.advance(61)
        stage.swept()
    stage.slack.faults.clear()
    clock.advance(61)
    assert texts(stage.swept().replies(ts)) == ["コーヒー豆は1,200円です。"]


@pytest.mark.parametrize(
    "error", ["channel_not_found", "not_in_channel", "is_archived", "invalid_auth", "token_revoked"]
)
def test_where_slack_lets_us_say_nothing_the_log_says_why(stage, caplog, error):
    """Once, and the request is done with: trying again would not help."""
    stage.slack.faults.next("chat.postMessage", Fault(error=error), times=ALWAYS)
    ts = stage.mention()
    assert stage.settled().replies(ts) == []
    [line] = logged(caplog, "reply_not_posted")
    assert (line["error_code"], line["retryable"]) == (error, False)
    assert stage.agent.asked == []


def test_where_slack_refuses_everything_the_log_says_why(stage, caplog):
    """A revoked token: neither an answer nor a refusal can be told."""
    stage.slack.faults.next("*", Fault(error="invalid_auth"), times=ALWAYS)
    ts = stage.mention()
    assert stage.settled().replies(ts) == []
    assert logged(caplog, "existence_unknown")[0]["error_code"] == "invalid_auth"
    [line] = logged(caplog, "refusal_not_told")
    assert line["error_code"] == "invalid_auth"


@pytest.mark.parametrize("error", ["msg_too_long", "msg_blocks_too_long", "invalid_blocks"])
@pytest.mark.parametrize("times", [1, 3])
def test_an_answer_that_slack_finds_too_long_is_reshaped_and_whole(stage, error, times):
    paragraphs = (f"{number}番目の段落です。{'説明です。' * 40}" for number in range(20))
    stage.agent.answer = Answer(text="\n\n".join(paragraphs))
    stage.slack.faults.next("chat.update", Fault(error=error), times=times)
    ts = stage.mention()
    replies = stage.settled().replies(ts)
    assert [part_of(reply) for reply in replies] == [str(place) for place in range(len(replies))]
    said = "".join(repr(reply.get("blocks") or reply["text"]) for reply in replies)
    assert all(said.count(f"{number}番目の段落です。") == 1 for number in (10, 15, 19))


@pytest.mark.parametrize("fault", [Fault(status=500), Fault(error="ratelimited"), Fault(drop=True)])
def test_whoever_cannot_be_looked_up_is_refused(stage, fault):
    """S3: a Slack that does not answer opens no door."""
    stage.slack.faults.next("users.info", fault, times=ALWAYS)
    stage.mention()
    [told] = stage.settled().slack.ephemerals(USER)
    assert told["text"] == wording.refusal(RefusalCode.SLACK_UNAVAILABLE)
    assert stage.agent.asked == []


def test_a_thread_that_cannot_be_read_is_answered_without_it(stage, caplog):
    root = stage.slack.say("U0SATO", CHANNEL, "相談です")
    stage.slack.faults.next("conversations.replies", Fault(error="internal_error"), times=ALWAYS)
    stage.mention(thread_ts=root)
    assert texts(stage.settled().replies(root)) == [ANSWERED]
    assert len(logged(caplog, "history_unavailable")) == 1


@pytest.mark.parametrize("status", [404, 500])
def test_a_refusal_that_cannot_be_told_is_in_the_log(stage, caplog, status):
    """A command's address has run out, or does not answer."""
    stage.slack.faults.next("response_url", Fault(status=status), times=ALWAYS)
    where = stage.slack.workspace.add_channel("partners", is_ext_shared=True).id
    stage.slack.command(USER, where, "/fetch", "https://a.example/ は？")
    assert stage.settled().slack.ephemerals() == []
    assert len(logged(caplog, "refusal_not_told")) == 1


UPLOADS = {
    "the address is refused": ("files.getUploadURLExternal", Fault(error="file_uploads_disabled")),
    "the address does not come": ("files.getUploadURLExternal", Fault(status=500)),
    "the content is refused": ("upload", Fault(status=400)),
    "the content is not taken": ("upload", Fault(status=500)),
    "the connection ends": ("upload", Fault(drop=True)),
    "the sharing is refused": ("files.completeUploadExternal", Fault(error="invalid_channel")),
    "the sharing fails": ("files.completeUploadExternal", Fault(status=500)),
    "the scope is missing": ("files.getUploadURLExternal", Fault(error="missing_scope")),
}


@pytest.mark.parametrize(("step", "fault"), UPLOADS.values(), ids=UPLOADS)
def test_a_file_that_cannot_be_posted_is_told_and_the_text_stays(stage, step, fault):
    """S8, at each of the three steps."""
    stage.agent.answer = with_file()
    stage.slack.faults.next(step, fault, times=ALWAYS)
    ts = stage.mention()
    text, notice = stage.settled().replies(ts)
    assert text["text"] == ANSWERED
    assert notice["text"].startswith("ファイルの投稿に失敗しました（料金.csv）")
    assert not notice.get("files")


@pytest.mark.parametrize("step", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"])
@pytest.mark.parametrize("fault", [Fault(status=500), Fault(drop=True, after=True)], ids=["500", "lost"])
def test_a_hiccup_while_a_file_is_posted_ends_in_one_file(stage, step, fault):
    stage.agent.answer = with_file()
    stage.slack.faults.next(step, fault)
    ts = stage.mention()
    text, file = stage.settled().replies(ts)
    assert text["text"] == ANSWERED
    assert [each["name"] for each in file["files"]] == ["料金.csv"]


def with_file():
    file = GeneratedFile(file_name="料金.csv", mime_type="text/csv", content=b"a,b\r\n")
    return Answer(text=ANSWER.text, files=(file,))


def test_feedback_that_cannot_be_thanked_is_kept(stage, caplog):
    ts = stage.mention()
    [reply] = stage.settled().replies(ts)
    stage.slack.faults.next("chat.postEphemeral", Fault(error="user_not_in_channel"))
    stage.slack.click(USER, CHANNEL, reply["ts"], "feedback", "good")
    stage.settled()
    assert len(logged(caplog, "feedback_not_thanked")) == 1


def test_a_home_that_cannot_be_shown_is_in_the_log(stage, caplog):
    stage.slack.faults.next("views.publish", Fault(error="not_enabled"))
    stage.slack.open_home(USER)
    stage.settled()
    assert logged(caplog, "home_not_shown") == [{"error_code": "not_enabled"}]


@pytest.fixture
def wire(dynamodb_settings):
    """The way to DynamoDB, where things go wrong as planned."""
    with Wire(dynamodb_settings["dynamodb_endpoint_url"]) as way:
        yield way


@pytest.fixture
def wired(wire, dynamodb_settings, monkeypatch, naps):
    """The app behind that way; a try ends soon, so that a slow store is known to be so."""
    monkeypatch.setitem(connect.__kwdefaults__, "read_seconds", 0.7)
    described = {**dynamodb_settings, "dynamodb_endpoint_url": wire.url}
    with Stage(described, lease_seconds=60, heartbeat_seconds=0.3) as running:
        yield running
        wire.plan.clear()
        assert running.settled().unfinished() == []


@pytest.fixture(params=["sqlite", "dynamodb"])
def closing(request):
    """The app, and what makes its store refuse everything; it is back when the story is over."""
    if request.param == "dynamodb":
        stage, way = request.getfixturevalue("wired"), request.getfixturevalue("wire")
        yield stage, lambda: way.plan.extend(["ResourceNotFoundException"] * ALWAYS)
    else:
        stage = request.getfixturevalue("stage")
        yield stage, lambda: _rename(stage, "dedupe", "elsewhere")
        _rename(stage.settled(), "elsewhere", "dedupe")


def _rename(stage, old, new):
    connection = sqlite3.connect(stage.settings.sqlite_path)
    connection.execute(f"ALTER TABLE {old} RENAME TO {new}")
    connection.close()


@pytest.fixture
def gone(closing):
    """The app without its store."""
    stage, close = closing
    assert stage.store
    close()
    return stage


def test_a_store_that_is_gone_is_told_once(gone, caplog):
    """S3: on the last delivery only, of a mention's two events by one; the others are not acknowledged."""
    bodies = gone.slack.bodies(CHANNEL, gone.mention(deliver=False))
    for number in (0, 1, 2):
        assert [gone.slack.deliver(body, retry_num=number)[0].result().status for body in bodies] == [503] * 2
        assert gone.settled().slack.ephemerals() == []
    assert [gone.slack.deliver(body, retry_num=3)[0].result().status for body in bodies] == [200, 200]
    [told] = gone.settled().slack.ephemerals()
    assert (told["to"], told["text"]) == (USER, wording.refusal(RefusalCode.STORE_UNAVAILABLE))
    assert gone.agent.asked == []
    assert len(logged(caplog, "store_unavailable")) == 8


def test_a_store_that_is_gone_is_told_in_a_direct_message(gone):
    """Also where the message mentions us: Slack sends no second event there."""
    where = gone.slack.direct(USER)
    ts = gone.slack.say(USER, where, f"<@{gone.app.bot_user}> https://a.example/ は？", deliver=False)
    [body] = gone.slack.bodies(where, ts)
    assert gone.slack.deliver(body, retry_num=3)[0].result().status == 200
    assert texts(gone.settled().replies(ts, where)) == [wording.refusal(RefusalCode.STORE_UNAVAILABLE)]


def test_a_store_that_is_gone_is_told_to_whoever_gave_a_command(gone):
    gone.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？")
    [told] = gone.settled().slack.ephemerals(USER)
    assert told["text"] == wording.refusal(RefusalCode.STORE_UNAVAILABLE)


def test_without_the_store_nobody_knows_a_thread_and_nothing_is_said_there(gone, caplog):
    """Most threads are not ours; the log has the reason. Slack repeats the event at once."""
    root = gone.slack.say("U0SATO", CHANNEL, "相談です")
    gone.slack.say(USER, CHANNEL, "そうですね", root)
    assert gone.settled().slack.ephemerals() == []
    assert len(logged(caplog, "store_unavailable")) == 2


def test_a_stop_without_the_store_is_in_the_log_and_repeated(gone, caplog):
    gone.slack.react(USER, CHANNEL, gone.slack.say(USER, CHANNEL, "x"), "x")
    gone.settled()
    assert len(logged(caplog, "not_stopped")) == 2


def test_feedback_without_the_store_is_not_thanked_but_told(closing, caplog):
    stage, close = closing
    ts = stage.mention()
    [reply] = stage.settled().replies(ts)
    close()
    stage.slack.click(USER, CHANNEL, reply["ts"], "feedback", "good")
    [told] = stage.settled().slack.ephemerals(USER)
    assert told["text"] == wording.refusal(RefusalCode.STORE_UNAVAILABLE)
    assert len(logged(caplog, "feedback_lost")) == 1


THROTTLED = ["ProvisionedThroughputExceededException", "ThrottlingException", "InternalServerError"]


@pytest.mark.parametrize("error", THROTTLED)
def test_a_throttled_store_is_asked_again(wired, wire, naps, error):
    """With jitter; the question is answered as if nothing had been."""
    assert wired.store
    wire.plan.extend([error, "", error])
    ts = wired.mention()
    assert texts(wired.settled().replies(ts)) == [ANSWERED]
    assert len(set(naps)) == 2
    assert wired.slack.ephemerals() == []


@pytest.mark.parametrize("trouble", ["hang", "lose"])
def test_a_claim_whose_answer_is_late_or_lost_is_still_ours(wired, wire, trouble):
    """The write is tried again, finds itself where it was done, and the question is answered once."""
    assert wired.store
    wire.plan.append(trouble)
    ts = wired.mention()
    assert texts(wired.settled().replies(ts)) == [ANSWERED]


def test_a_store_that_fails_after_the_claim_refuses_once_and_is_done(wired, wire):
    """S3: whoever cannot be checked is refused; the claim is given back when the store is there again."""
    assert wired.store
    ts = wired.mention(deliver=False)
    wire.plans["BatchGetItem"] = deque(["InternalServerError"] * 3)  # its heartbeat is another operation
    wired.slack.deliver(wired.slack.bodies(CHANNEL, ts)[0])
    [told] = wired.settled().slack.ephemerals()
    assert told["text"] == wording.refusal(RefusalCode.STORE_UNAVAILABLE)
    assert wired.replies(ts) == []


def test_an_answer_that_cannot_be_recorded_at_once_is_recorded_later(wired, wire):
    """The store fails while the answer is posted; nobody answers it again."""
    hold = threading.Event()
    wired.agent._hold = hold
    ts = wired.mention()
    assert wired.agent.begun.acquire(timeout=60)
    wire.plan.extend(["InternalServerError"] * 7)
    hold.set()
    assert texts(wired.settled().replies(ts)) == [ANSWERED]
    assert wired.unfinished() == []
