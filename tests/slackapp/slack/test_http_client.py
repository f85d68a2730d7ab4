"""Bytes go to the URLs that Slack gives, through the proxy of the SDK's client, and nowhere else."""

import pytest
from slack_sdk import WebClient

from fetcher.loopback import LocalHandler, LocalServer
from slackapp.slack.errors import SlackDown
from slackapp.slack.http_client import HttpReply, post_bytes


class Recording(LocalHandler):
    """Answers as its path says, and keeps what came."""

    came: list[tuple[str, str | None, bytes]] = []  # noqa: RUF012  # emptied by the fixture

    def do_POST(self):  # noqa: N802  # its name in the base class
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.came.append((self.path, self.headers["Content-Type"], body))
        self.reply(int(self.path.rpartition("/")[2]), {"Retry-After": "7", "Location": "/200"}, b"")


@pytest.fixture
def url():
    Recording.came.clear()
    with LocalServer(Recording, name="recording") as server:
        yield f"http://127.0.0.1:{server.port}"


def test_content_and_type_arrive(url):
    reply = post_bytes(WebClient(), f"{url}/200", "値段".encode(), "text/csv")
    assert reply == HttpReply(status=200, retry_after="7")
    assert Recording.came == [("/200", "text/csv", "値段".encode())]


@pytest.mark.parametrize("status", [302, 307, 429, 500])
def test_the_status_is_returned_and_no_redirect_is_followed(url, status):
    """A redirect could carry the content to another host."""
    assert post_bytes(WebClient(), f"{url}/{status}", b"x", "text/csv").status == status
    assert len(Recording.came) == 1


def test_the_client_s_proxy_is_used(url):
    """A proxy is asked for the whole URL."""
    post_bytes(WebClient(proxy=url), "http://files.example/200", b"x", "text/csv")
    assert Recording.came[0][0] == "http://files.example/200"


def test_proxies_of_the_environment_are_not_used(url, monkeypatch):
    """The SDK's client has read them already, in its own way."""
    client = WebClient()
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert post_bytes(client, f"{url}/200", b"x", "text/csv").status == 200


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:1/", "http://a.example:x/", "nonsense", "ftp://127.0.0.1/"]
)
def test_an_address_that_does_not_answer_is_slack_being_down(address):
    with pytest.raises(SlackDown):
        post_bytes(WebClient(), address, b"x", "text/csv")
