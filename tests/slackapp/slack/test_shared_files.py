"""Downloads of files that people share: where the token goes, how long they may be, what failures mean."""

import json
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import pytest
from slack_sdk import WebClient

from fetcher.agent import ToolRefused
from fetcher.codes import AgentCode
from fetcher.loopback import LocalHandler, LocalServer
from slackapp.slack.client import NoFence, retry_handlers
from slackapp.slack.shared_files import SharedFiles, file_records

TOKEN = "xoxb-secret"


class FileServer(LocalServer):
    """Answers each path as it was told, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.replies: dict[str, tuple[int, dict[str, str], bytes]] = {}
        server = self

        class Handler(LocalHandler):
            def do_GET(self) -> None:  # noqa: N802  # the base class has it so
                server.asked.append((self.path, self.headers.get("Authorization", "")))
                self.reply(*server.replies.get(self.path, (HTTPStatus.NOT_FOUND, {}, b"")))

            def do_POST(self) -> None:  # noqa: N802
                server.asked.append((self.path, ""))
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.reply(*server.replies.get(self.path, (HTTPStatus.NOT_FOUND, {}, b"")))

        super().__init__(Handler, name="files")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def info(self, **answer: object) -> None:
        body = json.dumps(answer).encode()
        self.replies["/api/files.info"] = (200, {"Content-Type": "application/json"}, body)


@pytest.fixture
def slack() -> Iterator[FileServer]:
    with FileServer() as server:
        yield server


@pytest.fixture
def elsewhere() -> Iterator[FileServer]:
    with FileServer() as server:
        server.replies["/stolen"] = (200, {}, b"other")
        yield server


def _download(slack: FileServer, most: int = 100, **fields: object) -> bytes:
    given = {"id": "F1", "name": "a.pdf", "url_private_download": f"{slack.url}/a.pdf", **fields}
    files = SharedFiles(WebClient(token=TOKEN, base_url=f"{slack.url}/api/"))
    [attached] = files.attached(file_records({"files": [given]}), ())
    return attached.download(most, 5.0)


def _code(slack: FileServer, most: int = 100, **fields: object) -> AgentCode:
    with pytest.raises(ToolRefused) as refused:
        _download(slack, most, **fields)
    return refused.value.code


def test_a_file_is_downloaded_with_the_token(slack):
    slack.replies["/a.pdf"] = (200, {"Content-Type": "application/pdf"}, b"%PDF-")
    assert _download(slack) == b"%PDF-"
    assert slack.asked == [("/a.pdf", f"Bearer {TOKEN}")]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_does_not_get_the_token(slack, elsewhere, status):
    slack.replies["/a.pdf"] = (status, {"Location": f"{elsewhere.url}/stolen"}, b"")
    slack.info(ok=True, file={"id": "F1", "url_private_download": f"{slack.url}/a.pdf"})
    assert _code(slack) == AgentCode.FILE_ACCESS_DENIED
    assert elsewhere.asked == []


@pytest.mark.parametrize(
    "address",
    [
        "https://files.slack.com.evil.example/a",
        "https://evil.example/files.slack.com",
        "http://files.slack.com/a",
        "https://files.slack.com:8443/a",
        "https://files.slack.com@evil.example/a",
        "https://user@files.slack.com/a",
        "https://team.slack.com/files/U1/F1/a",
        "ftp://files.slack.com/a",
        "https://[files.slack.com/a",
        "//files.slack.com/a",
    ],
)
def test_the_token_goes_to_exact_hosts_only(slack, address):
    files = SharedFiles(WebClient(token=TOKEN))
    assert not files._may_have_token(address)
    slack.info(ok=True, file={"id": "F1", "url_private_download": address})
    assert _code(slack, url_private_download=address) == AgentCode.FILE_ACCESS_DENIED
    assert all(token == "" for _, token in slack.asked)


@pytest.mark.parametrize("host", ["files.slack.com", "files-origin.slack.com"])
def test_the_hosts_of_files_may_have_the_token(host):
    assert SharedFiles(WebClient(token=TOKEN))._may_have_token(
        f"https://{host}/files-pri/T1-F1/download/a.pdf"
    )


def test_a_file_that_slack_calls_too_large_is_not_asked_for(slack):
    assert _code(slack, size=101) == AgentCode.ATTACHMENT_TOO_LARGE
    assert slack.asked == []


@pytest.mark.parametrize("size", [0, 100], ids=["told nothing", "told a lie"])
def test_a_body_beyond_the_limit_is_given_up(slack, size):
    slack.replies["/a.pdf"] = (200, {}, b"x" * 101)
    assert _code(slack, size=size) == AgentCode.ATTACHMENT_TOO_LARGE


def test_a_body_of_the_limit_is_taken(slack):
    slack.replies["/a.pdf"] = (200, {}, b"x" * 100)
    assert _download(slack) == b"x" * 100


def test_a_compressed_body_is_not_unpacked(slack):
    slack.replies["/a.pdf"] = (200, {"Content-Encoding": "gzip"}, b"\x1f\x8b")
    slack.info(ok=True, file={"id": "F1", "url_private_download": f"{slack.url}/a.pdf"})
    assert _code(slack) == AgentCode.FILE_DOWNLOAD_FAILED


def test_a_page_to_sign_in_is_not_the_file(slack):
    slack.replies["/a.pdf"] = (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>Sign in")
    slack.info(ok=True, file={"id": "F1", "url_private_download": f"{slack.url}/a.pdf"})
    assert _code(slack, mimetype="application/pdf") == AgentCode.FILE_ACCESS_DENIED


def test_a_canvas_is_the_html_that_comes_for_it(slack):
    """A page to sign in, which is HTML too, is not."""
    canvas = '<div class="quip-canvas-content"><h1>計画</h1></div>'.encode()
    slack.replies["/a.pdf"] = (200, {"Content-Type": "text/html; charset=utf-8"}, canvas)
    given: dict[str, Any] = {"mimetype": "application/vnd.slack-docs", "mode": "quip"}
    assert _download(slack, **given) == canvas
    slack.replies["/a.pdf"] = (200, {"Content-Type": "text/html; charset=utf-8"}, b"<html>Sign in")
    file = {"id": "F1", "url_private_download": f"{slack.url}/a.pdf", **given}
    slack.info(ok=True, file=file)
    assert _code(slack, **given) == AgentCode.FILE_ACCESS_DENIED


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("file_not_found", AgentCode.FILE_GONE),
        ("file_deleted", AgentCode.FILE_GONE),
        ("missing_scope", AgentCode.FILE_ACCESS_DENIED),
        ("not_visible", AgentCode.FILE_ACCESS_DENIED),
        ("internal_error", AgentCode.FILE_DOWNLOAD_FAILED),
    ],
)
def test_a_failed_download_is_explained_by_what_slack_says_of_the_file(slack, error, code):
    slack.info(ok=False, error=error)
    assert _code(slack) == code


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "text/html"}], ids=["nothing", "a page"])
def test_slack_that_does_not_answer_is_a_failure_for_now(slack, headers):
    slack.replies["/a.pdf"] = (503, headers, b"")
    slack.info(ok=True, file={"id": "F1", "url_private_download": f"{slack.url}/a.pdf"})
    assert _code(slack) == AgentCode.FILE_DOWNLOAD_FAILED


def test_the_newest_files_are_taken_each_once():
    files = SharedFiles(WebClient(token=TOKEN))
    records = [file_records({"files": [{"id": f"F{number}"}]})[0] for number in range(15)]
    attached = files.attached(records[:1], [records[0], *records])
    assert [file.name for file in attached] == [f"F{number}" for number in range(10)]
    assert [file.asked for file in attached] == [True] + [False] * 9


@pytest.mark.parametrize("status", [429, 500, 503])
def test_an_answer_does_not_wait_for_what_slack_does_not_tell_of_files(slack, status):
    """Of ten files with an id alone one is asked for, once: Slack may take a minute for each refusal."""
    headers = {"Content-Type": "application/json", "Retry-After": "60"}
    slack.replies["/api/files.info"] = (status, headers, b'{"ok": false, "error": "ratelimited"}')
    handlers = retry_handlers(NoFence())
    files = SharedFiles(WebClient(token=TOKEN, base_url=f"{slack.url}/api/", retry_handlers=handlers))
    ids = [{"id": f"F{number}", "file_access": "check_file_info"} for number in range(12)]
    found = files.attached(file_records({"files": ids}), ())
    assert [file.name for file in found] == [f"F{number}" for number in range(10)]
    assert [path for path, _ in slack.asked] == ["/api/files.info"]


def test_a_file_that_slack_refuses_does_not_keep_the_others_from_their_names(slack):
    slack.info(ok=False, error="file_not_found")
    files = SharedFiles(WebClient(token=TOKEN, base_url=f"{slack.url}/api/"))
    ids = [{"id": f"F{number}", "file_access": "check_file_info"} for number in range(3)]
    files.attached(file_records({"files": ids}), ())
    assert len(slack.asked) == 3
