"""Uploads in three steps, by the SDK and by hand."""

import urllib.error
import urllib.request

import pytest
from slack_sdk.errors import SlackApiError

from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Capacity
from slackapp.playground.webapi.faults import Fault
from tests.slackapp.playground.apps import TOKEN, error_of, install_app

CSV = "\ufeff品名,価格\r\n".encode()


def _post(url, body, content_type="application/octet-stream"):
    request = urllib.request.Request(url, data=body, headers={"Content-Type": content_type}, method="POST")
    with urllib.request.urlopen(request) as response:
        return response.status, response.read().decode()


def _status(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


@pytest.fixture
def announced(client):
    return client.files_getUploadURLExternal(filename="料金表.csv", length=len(CSV))


def test_the_sdk_uploads_into_a_thread(slack, client, root):
    """files_upload_v2 makes one file message with the comment, and files.info knows where it is."""
    done = client.files_upload_v2(
        channel="C0GENERAL", thread_ts=root, filename="料金表.csv", content=CSV, initial_comment="どうぞ"
    )
    message = slack.thread("general", root)[1]
    assert (message["subtype"], message["text"], message["files"][0]["name"]) == (
        "file_share",
        "どうぞ",
        "料金表.csv",
    )
    info = client.files_info(file=done["files"][0]["id"])["file"]
    assert info["shares"] == {"public": {"C0GENERAL": [{"ts": message["ts"], "thread_ts": root}]}}
    assert slack.workspace.files.get(info["id"]).content == CSV
    assert [call.method for call in slack.calls][:3] == [
        "files.getUploadURLExternal",
        "upload",
        "files.completeUploadExternal",
    ]


def test_a_form_carries_a_file_as_well(slack, client, announced):
    """A multipart body's only part is the content, byte for byte."""
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'
    status, answer = _post(
        announced["upload_url"], head + CSV + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"
    )
    assert (status, answer) == (200, f"OK - {len(CSV)}")
    assert slack.workspace.files.get(announced["file_id"]).content == CSV


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"filename": "a.csv", "length": 0}, "missing_argument"),
        ({"filename": "a.csv"}, "missing_argument"),
        ({"length": 5}, "invalid_arguments"),
        ({"filename": "あ" * 256, "length": 5}, "invalid_arguments"),
    ],
)
def test_an_announcement_that_slack_refuses(client, arguments, error):
    with pytest.raises(SlackApiError) as caught:
        client.api_call("files.getUploadURLExternal", params=arguments)
    assert caught.value.response["error"] == error


def test_a_content_of_another_length_is_refused(client, announced):
    with pytest.raises(urllib.error.HTTPError) as caught:
        _post(announced["upload_url"], b"short")
    with caught.value as error:
        assert error.code == 400


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"files": [{"id": "F0NONE"}]}, "file_not_found"),
        ({"channel_id": "C0NONE"}, "channel_not_found"),
        ({"thread_ts": "1.000001"}, "thread_not_found"),
        ({"files": []}, "invalid_arguments"),
    ],
)
def test_a_completion_that_slack_refuses(client, announced, change, error):
    _post(announced["upload_url"], CSV)
    named = {"files": [{"id": announced["file_id"]}], "channel_id": "C0GENERAL"} | change
    assert error_of(client.files_completeUploadExternal, **named) == error


def test_steps_out_of_order_are_refused(client, announced):
    """Completing comes after the content, and only once."""
    named = {"files": [{"id": announced["file_id"]}], "channel_id": "C0GENERAL"}
    assert error_of(client.files_completeUploadExternal, **named) == "file_not_found"
    _post(announced["upload_url"], CSV)
    client.files_completeUploadExternal(**named)
    assert error_of(client.files_completeUploadExternal, **named) == "file_update_failed"


def test_slack_may_say_ok_and_share_nothing(slack, client, announced):
    """Seen in real Slack; files.info shows it."""
    slack.faults.next("files.completeUploadExternal", Fault(unshared=True))
    _post(announced["upload_url"], CSV)
    named = {"files": [{"id": announced["file_id"]}], "channel_id": "C0GENERAL"}
    assert client.files_completeUploadExternal(**named)["ok"]
    assert client.files_info(file=announced["file_id"])["file"]["shares"] == {}
    assert slack.timeline("general") == []


def test_a_file_is_fetched_with_a_token_only(slack, client):
    """As an attachment, under its own name."""
    done = client.files_upload_v2(channel="C0GENERAL", filename="表.csv", content=CSV)
    url = done["files"][0]["url_private_download"]
    with urllib.request.urlopen(url) as page:  # which follows the redirect
        assert (page.url.partition("?")[0], page.headers.get_content_type()) == (
            f"{slack.base_url}signin",
            "text/html",
        )
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request) as response:
        assert response.read() == CSV
        assert response.headers["Content-Disposition"] == "attachment; filename*=UTF-8''%E8%A1%A8.csv"
        assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_a_deleted_file_leaves_its_messages(slack, client):
    """A message that said nothing else goes with it."""
    first = client.files_upload_v2(channel="C0GENERAL", filename="a.csv", content=CSV)["files"][0]["id"]
    client.files_upload_v2(channel="C0GENERAL", filename="b.csv", content=CSV, initial_comment="残る")
    client.files_delete(file=first)
    assert [message["text"] for message in slack.timeline("general")] == ["残る"]
    assert error_of(client.files_info, file=first) == "file_deleted"


def test_people_attach_files(slack, client):
    """Their message says so, and their file is not the app's to delete."""
    slack.say("U0SATO", "general", "これです", files=[("資料.txt", b"text")])
    (message,) = slack.timeline("general")
    assert (message["subtype"], message["files"][0]["name"]) == ("file_share", "資料.txt")
    assert error_of(client.files_delete, file=message["files"][0]["id"]) == "cant_delete_file"


def test_old_contents_go_when_there_is_no_room():
    """The newest stays readable; the names of the others remain."""
    with LocalSlack(capacity=Capacity(file_bytes=25), own_events=False) as slack:
        install_app(slack)
        for name in "abc":
            slack.say("U0SATO", "general", "", files=[(name, b"x" * 10)])
        contents = [file.content and len(file.content) for file in slack.workspace.files.all()]
    assert contents == [None, 10, 10]
