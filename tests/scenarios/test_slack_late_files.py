"""Files that Slack shows late, and files that it will never take."""

import pytest

from fetcher.agent import Answer, GeneratedFile
from slackapp import wording
from slackapp.playground.webapi.faults import Fault
from slackapp.slack.errors import CODES, UploadRefused
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import ANSWER, ScriptedAgent, Stage

ANSWERED = "コーヒー豆は1,200円です。"
COMPLETE = "files.completeUploadExternal"
FILE = GeneratedFile(file_name="料金.csv", mime_type="text/csv", content=b"a,b\r\n")
LATE = wording.upload_late("料金.csv")


@pytest.fixture
def clock():
    return FakeClock(LATER)


@pytest.fixture
def open_stage(sqlite_settings, naps, clock):
    def opened(**fields):
        agent = ScriptedAgent(Answer(text=ANSWER.text, files=(FILE,)))
        return Stage(sqlite_settings, clock=clock, agent=agent, **fields)

    return opened


def shown(stage, ts):
    """What stands in the thread: texts, and names of files."""
    return [
        [file["name"] for file in each["files"]] if each.get("files") else each["text"]
        for each in stage.replies(ts)
    ]


def test_a_late_file_is_announced_and_the_notice_is_withdrawn_when_it_came(open_stage, clock):
    """The claim is done meanwhile: the answer stands, and nothing is answered again."""
    with open_stage(late_file_seconds=60) as stage:
        stage.slack.faults.next(COMPLETE, Fault(late=30))
        ts = stage.mention()
        assert stage.slack.wait_until(lambda: shown(stage, ts) == [ANSWERED, LATE])
        assert stage.slack.wait_until(lambda: not stage.unfinished())
        clock.advance(31)
        assert stage.slack.wait_until(lambda: shown(stage, ts) == [ANSWERED, ["料金.csv"]])
        stage.settled()
        assert len(stage.slack.calls_of("files.getUploadURLExternal")) == 1


def test_a_file_that_never_comes_keeps_its_notice(open_stage):
    with open_stage() as stage:
        stage.slack.faults.next(COMPLETE, Fault(unshared=True))
        ts = stage.mention()
        stage.settled()
        assert shown(stage, ts) == [ANSWERED, LATE]
        assert stage.unfinished() == []


def test_no_longer_than_the_run_may_take_is_waited(open_stage, clock):
    """The run has used up its time, so the notice stays at once."""
    with open_stage(late_file_seconds=60) as stage:
        limits = stage.running.lazy_handler.get()._dependencies.runs
        limits.limits = type(limits.limits)(seconds=0.0)
        stage.slack.faults.next(COMPLETE, Fault(late=30))
        ts = stage.mention()
        stage.settled(5)
        assert shown(stage, ts) == [ANSWERED, LATE]


@pytest.mark.parametrize("error", [*CODES[UploadRefused].split(), "posting_to_channel_denied"])
def test_a_refusal_that_stays_says_what_an_administrator_must_do(open_stage, error):
    with open_stage() as stage:
        stage.slack.faults.next("files.getUploadURLExternal", Fault(error=error), times=10)
        ts = stage.mention()
        _, notice = shown(stage.settled(), ts)
        assert "管理者にご依頼" in notice
        assert stage.slack.calls_of("upload") == ()
