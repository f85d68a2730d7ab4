"""Links to messages: which are of this workspace, and what is read of a thread."""

from datetime import UTC

import pytest

from fetcher.agent import ToolRefused
from fetcher.codes import AgentCode
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.playground.server import LocalSlack
from slackapp.playground.webapi.faults import Fault
from slackapp.slack.client import PAGE, BotIdentity
from slackapp.thread.linked_messages import MOST_LINKS, LinkedMessages
from slackapp.thread.message_links import WrittenLink
from tests.slackapp.answers import BOT
from tests.slackapp.local import client_of, with_app

USER, CHANNEL, TEAM = "U0TANAKA", "C0GENERAL", "T0LOCAL"
ASKED = Incoming(kind=Kind.MENTION, key="k", team=TEAM, channel=CHANNEL, user=USER)
MOST = 20_000_000


@pytest.fixture(scope="module")
def slack():
    with LocalSlack() as running:
        yield with_app(running)


@pytest.fixture
def linked(slack):
    def names(_team, users, _client):
        return {
            user: slack.workspace.users[user].real_name for user in users if user in slack.workspace.users
        }

    client = client_of(slack)
    return LinkedMessages(client, BotIdentity(client), names, UTC)


def files(linked, *urls):
    return linked.attached(ASKED, [WrittenLink(USER, url) for url in urls], [])


@pytest.mark.parametrize(
    "url",
    [
        "https://sample.slack.com/archives/C0GENERAL/p1718000000000100",
        "https://SAMPLE.slack.com/archives/C0GENERAL/p1718000000000100/",
        "http://sample.slack.com/archives/D0DIRECT/p1718000000000100?thread_ts=1718000000.0001&cid=D0DIRECT",
    ],
)
def test_links_of_this_workspace_are_messages(linked, url):
    [file] = files(linked, url)
    assert (file.url, file.name) == (url, "Slackのメッセージ（6月10日 06:13）")


@pytest.mark.parametrize(
    "url",
    [
        "https://other.slack.com/archives/C0GENERAL/p1718000000000100",
        "https://sample.slack.com.evil.example/archives/C0GENERAL/p1718000000000100",
        "https://sample.slack.com@evil.example/archives/C0GENERAL/p1718000000000100",
        "https://evil.example/archives/C0GENERAL/p1718000000000100",
        "https://sample.slack.com/archives/C0GENERAL",
        "https://sample.slack.com/archives/U0TANAKA/p1718000000000100",
        "https://sample.slack.com/archives/C0GENERAL/p1718",
        "https://sample.slack.com/archives/C0GENERAL/p999999999999999999",
        "https://sample.slack.com/archives/C0GENERAL/p253402300800000000",
        "https://sample.slack.com/x/archives/C0GENERAL/p1718000000000100",
        "https://sample.slack.com/files/U1/F1/a.pdf",
        "https://[::1/archives/C0GENERAL/p1718000000000100",
    ],
)
def test_other_links_are_none(linked, url):
    assert files(linked, url) == ()


def test_without_the_workspaces_address_no_link_is_read(slack, linked):
    slack.faults.next("auth.test", Fault(error="internal_error"), 9)
    assert files(linked, "https://sample.slack.com/archives/C0GENERAL/p1718000000000100") == ()
    slack.faults.clear()


def test_a_question_reads_only_some_links_each_once(linked):
    urls = [f"https://sample.slack.com/archives/C0GENERAL/p171800000000{number:04d}" for number in range(9)]
    assert len(files(linked, *urls, *urls)) == MOST_LINKS
    assert len(files(linked, urls[0], urls[0])) == 1


def test_a_thread_is_read_to_its_end_with_names_and_our_own_answers(slack, linked):
    """Over several pages; a deleted message says nothing, and a cut one stays text."""
    root = slack.say(USER, CHANNEL, "<@U0SATO> 議題です <https://a.example/>", files=[("表.csv", b"a,b")])
    for number in range(PAGE + 5):
        slack.say("U0SATO", CHANNEL, f"返信{number}", root)
    slack.workspace.post(CHANNEL, {"user": BOT, "bot_id": "B1", "text": "答えです", "thread_ts": root})
    slack.delete(CHANNEL, slack.say(USER, CHANNEL, "消しました", root))
    [file] = files(linked, slack.workspace.permalink(CHANNEL, root))
    text = file.download(MOST, 1.0).decode()
    assert text.startswith("**田中 花子**（")
    assert "@佐藤 健 議題です https://a.example/" in text
    assert "表.csv" in text
    assert f"返信{PAGE + 4}" in text
    assert "答えです" in text
    assert "消しました" not in text
    file.download(101, 1.0).decode()


def test_a_message_that_does_not_exist_is_refused(slack, linked):
    [file] = files(linked, "https://sample.slack.com/archives/C0GENERAL/p1718000000000100")
    with pytest.raises(ToolRefused) as refused:
        file.download(MOST, 1.0)
    assert refused.value.code is AgentCode.SLACK_MESSAGE_REFUSED
