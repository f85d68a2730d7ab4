"""Long pages of one user: a second user is answered meanwhile, and this process does none of the work."""

import pytest

from fetcher import wording
from fetcher.agent import open_agent
from fetcher.codes import AgentCode, TruncationReason
from fetcher.settings import AgentSettings, Settings
from fetcher.web.output import tokens
from tests.engine import engine
from tests.fakes.turns import say
from tests.fetcher.web.reading.documents.office_files import docx, paragraph
from tests.slackapp.stage import CHANNEL, Stage, claude_agent, is_answered

SECOND, SMALL = "U0SATO", "http://small.example/"
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture
def counted(monkeypatch):
    """The lengths of the texts whose tokens are counted in this process, as passages are made."""
    lengths: list[int] = []
    usual = tokens.count

    def count(text: str) -> int:
        lengths.append(len(text))
        return usual(text)

    monkeypatch.setattr(tokens, "count", count)
    return lengths


@pytest.fixture
def stage(internet, sqlite_settings):
    agent = open_agent(AgentSettings(), Settings(), pipeline=engine(internet))
    with Stage(sqlite_settings, agent=agent) as running:
        yield running
        assert running.settled(300).unfinished() == []


def test_long_pages_of_one_user_do_not_stall_another(internet, stage, counted):
    """A short page comes before the long ones of other questions, which wait for readers, not for threads."""
    internet.page(SMALL, "<title>店</title><main><h1>料金</h1><p>豆は1,200円です。</p></main>")
    attacks = []
    for message in range(3):
        links = [f"http://h{message}-{page}.example/" for page in range(4)]
        for link in links:
            internet.page(link, "x\n" * 75_000, headers=TEXT)
        attacks.append(stage.mention(f"{' '.join(links)} 水車について教えて"))
    second = stage.slack.say(SECOND, CHANNEL, f"<@{stage.app.bot_user}> {SMALL} 豆はいくら？")
    assert "1,200円" in stage.answered(CHANNEL, second, 60)[-1]["text"]
    assert not all(is_answered(stage.slack, CHANNEL, ts) for ts in attacks)
    stage.settled(300)
    assert sum(counted) == 0


def test_a_very_long_text_is_cut_and_its_table_is_not(internet, stage):
    """The asker is told of the cut; the file has every row."""
    rows = "".join(f"<tr><td>{number}<td>{number * number}" for number in range(300))
    story = f"<p>{'A sentence of the story. ' * 40}</p>" * 1_100
    url = "http://shop.example/story"
    page = f"<title>物語</title><main>{story}<table><tr><th>番号<th>二乗{rows}</table></main>"
    internet.page(url, page)
    ts = stage.mention(f"{url} の表をCSVにして")
    text, made = stage.settled(120).replies(ts)
    assert wording.page_truncated("物語", TruncationReason.TOOL_OUTPUT_LIMIT) in text["text"]
    assert wording.file_cut(made["files"][0]["name"]) not in text["text"]
    assert "（300行）" in text["text"]


def test_a_question_reads_so_many_files_and_no_more(sqlite_settings, sample_port, claude):
    """As many as links; it is told which ones were left out."""
    claude.script(say("読みました。"))
    with Stage(sqlite_settings, agent=claude_agent(sample_port, claude)) as stage:
        files = [(f"{number}.docx", docx(paragraph("話です。"))) for number in range(10)]
        ts = stage.mention("要約して", files=files)
        reply = stage.settled(120).replies(ts)[-1]["text"]
        assert len(stage.slack.calls_of("download")) == 8
        assert wording.file_failed("9.docx", wording.note(AgentCode.FETCH_LIMIT)) in reply
