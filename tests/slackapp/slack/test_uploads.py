"""Files in three steps, to a local Slack."""

import pytest

from slackapp.playground.server import LocalSlack
from slackapp.playground.webapi.faults import Fault
from slackapp.slack.client import WAITS
from slackapp.slack.errors import NotShared, PostError, SlackDown
from slackapp.slack.message import Place
from slackapp.slack.uploads import ALREADY, PendingUpload, Uploader
from tests.slackapp.answers import CHANNEL, USER
from tests.slackapp.local import client_of, with_app


@pytest.fixture
def slack():
    with LocalSlack() as server:
        yield with_app(server)


@pytest.fixture
def naps():
    """How long the uploader waited, each time."""
    return []


@pytest.fixture
def uploader(slack, naps):
    return Uploader(client_of(slack), sleep=naps.append)


@pytest.fixture
def place(slack):
    asked = slack.say(USER, CHANNEL, "質問")
    return Place(channel=CHANNEL, thread_ts=asked)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("slack_sdk.http_retry.handler.time.sleep", lambda _: None)


def uploaded(uploader, place, name="料金.csv", content=b"a,b\r\n"):
    ticket = uploader.begin_upload(name, len(content))
    uploader.send_content(ticket, content, "text/csv")
    uploader.share(ticket, name, place)
    return ticket


def files_in(slack, place):
    return [
        file["name"]
        for message in slack.thread(CHANNEL, place.thread_ts)
        for file in message.get("files", ())
    ]


def test_a_file_is_shared_in_the_thread(slack, uploader, place):
    """By the three steps, in their order, under its Japanese name."""
    ticket = uploaded(uploader, place)
    assert files_in(slack, place) == ["料金.csv"]
    assert [call.method for call in slack.calls] == [
        "files.getUploadURLExternal",
        "upload",
        "files.completeUploadExternal",
    ]
    state = uploader.file_state(ticket.id)
    assert state is not None
    assert (state.name, state.channels) == ("料金.csv", {CHANNEL})
    assert [call.arguments["content_type"] for call in slack.calls_of("upload")] == ["text/csv"]


@pytest.mark.parametrize("method", ["files.getUploadURLExternal", "upload", "files.completeUploadExternal"])
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Fault(status=500), id="500"),
        pytest.param(Fault(drop=True), id="dropped"),
        pytest.param(Fault(drop=True, after=True), id="answer lost"),
    ],
)
def test_a_step_that_fails_is_tried_again_and_the_file_shared_once(slack, uploader, place, method, fault):
    slack.faults.next(method, fault)
    uploaded(uploader, place)
    assert files_in(slack, place) == ["料金.csv"]


def test_a_file_that_nobody_sees_is_a_failure(slack, uploader, place, naps):
    """Slack may answer ok and share the file nowhere."""
    slack.faults.next("files.completeUploadExternal", Fault(unshared=True))
    with pytest.raises(NotShared):
        uploaded(uploader, place)
    assert len(slack.calls_of("files.info")) == 3
    assert naps == list(WAITS)


def test_what_slack_refuses_is_not_tried_again(slack, uploader, place):
    slack.faults.next("files.completeUploadExternal", Fault(error="not_in_channel"))
    with pytest.raises(PostError) as failed:
        uploaded(uploader, place)
    assert failed.value.code == "not_in_channel"
    assert len(slack.calls_of("files.completeUploadExternal")) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_an_upload_that_keeps_failing_is_an_error(slack, uploader, place, naps, status):
    """Tried again after longer and longer waits."""
    slack.faults.next("upload", Fault(status=status), times=10)
    with pytest.raises(SlackDown):
        uploaded(uploader, place)
    assert len(slack.calls_of("upload")) == 4
    assert naps == list(WAITS)


def test_an_upload_that_is_refused_is_not_tried_again(slack, uploader, place, naps):
    slack.faults.next("upload", Fault(status=400))
    with pytest.raises(PostError) as failed:
        uploaded(uploader, place)
    assert failed.value.code == "http_400"
    assert naps == []


@pytest.mark.parametrize("code", sorted(ALREADY))
def test_a_sharing_that_was_done_before_is_looked_into(slack, uploader, place, code):
    """An earlier worker has done it, or the first answer was lost."""
    ticket = uploaded(uploader, place)
    slack.faults.next("files.completeUploadExternal", Fault(error=code))
    uploader.share(ticket, "料金.csv", place)
    assert files_in(slack, place) == ["料金.csv"]
    assert len(slack.calls_of("files.info")) == 1


def test_an_address_that_is_none_is_not_asked(uploader):
    """Only http(s) is spoken here."""
    with pytest.raises(PostError):
        uploader.send_content(PendingUpload(id="F1", url="file:///etc/passwd"), b"x", "text/csv")


def test_a_deleted_file_is_no_more(uploader, place):
    ticket = uploaded(uploader, place)
    uploader.delete(ticket.id)
    assert uploader.file_state(ticket.id) is None
