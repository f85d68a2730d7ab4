"""Files that people send in Slack: read, cited, asked about again; never taken elsewhere."""

import json
import struct
import zlib

import pytest

from fetcher import wording as engine_messages
from fetcher.agent.tools import prefetching
from fetcher.codes import AgentCode
from tests.fakes.turns import call, cite, say
from tests.fetcher.web.reading.documents.office_files import rows, workbook
from tests.fetcher.web.reading.documents.pdf_files import Page, pdf
from tests.slackapp.stage import CHANNEL, TOKEN, USER, Stage, claude_agent, sample_agent

ROWS = [["項目", "前期", "当期"], ["売上高", "1,000", "1,200"], ["利益", "△100", "250"]]
LINKED = "http://shop.sample/price"


def _report() -> bytes:
    first = Page().text(50, 80, "決算短信", 20).text(50, 120, f"詳しくは {LINKED} をご覧ください。")
    second = Page().text(50, 80, "業績の表です。売上高は千二百万円になりました。")
    return pdf(first, second.grid([50, 150, 250, 350], [120, 140, 160, 180], ROWS), title="短信")


def _png(width: int = 4, height: int = 3) -> bytes:
    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress(b"\x00" * (width + 1) * height)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", body) + part(b"IEND", b"")


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """The first reader process may take long to start on a busy machine."""
    monkeypatch.setattr(prefetching, "SECONDS", 20.0)


@pytest.fixture
def offline(sqlite_settings, sample_port):
    with Stage(sqlite_settings, agent=sample_agent(sample_port)) as running:
        yield running
        assert running.settled(60).unfinished() == []


@pytest.fixture
def modelled(sqlite_settings, sample_port, claude):
    with Stage(sqlite_settings, agent=claude_agent(sample_port, claude)) as running:
        yield running
        assert running.settled(60).unfinished() == []


def _sent(claude):
    return json.dumps([request.json for request in claude.requests], ensure_ascii=False)


def _file(stage, ts):
    return stage.slack.thread(CHANNEL, ts)[0]["files"][0]


def test_a_file_is_read_and_its_table_becomes_a_workbook(offline):
    """Without a model too; the source names the file and links to where people see it in Slack."""
    ts = offline.mention("2ページ目の表をExcelで", files=[("決算短信.pdf", _report())])
    text, made = offline.settled(60).replies(ts)
    file = _file(offline, ts)
    assert f"<{file['permalink']}" in text["text"]
    assert "決算短信.pdf" in text["text"]
    assert made["files"][0]["name"].endswith(".xlsx")


def test_a_file_without_a_question_shows_how_it_begins(offline):
    """No words of a question are missed: the message has none."""
    ts = offline.mention("", files=[("決算短信.pdf", _report())])
    [reply] = offline.settled(60).replies(ts)
    assert "決算短信" in reply["text"]
    assert engine_messages.OFFLINE.no_match() not in reply["text"]


def test_the_model_cites_the_page_of_a_file(modelled, claude):
    claude.script(say("売上高は1,200です。", citations=[cite(1)]))
    ts = modelled.mention("売上高は？", files=[("決算短信.pdf", _report())])
    [reply] = modelled.settled(60).replies(ts)
    assert f"<{_file(modelled, ts)['permalink']}#page=2|決算短信.pdf（2ページ）>" in reply["text"]


def test_the_model_cites_the_sheet_of_a_workbook(modelled, claude):
    book = workbook(
        {"東京": rows([["月", "円"], ["1月", 100]]), "大阪": rows([["月", "円"], ["2月", 7_654]])}
    )
    claude.script(say("大阪は7654円です。", citations=[cite(1)]))
    ts = modelled.mention("大阪は？", files=[("売上.xlsx", book)])
    [reply] = modelled.settled(60).replies(ts)
    assert "売上.xlsx（シート「大阪」）" in reply["text"]


def test_a_direct_message_with_nothing_but_a_file_is_a_question(offline):
    channel = offline.slack.direct(USER)
    ts = offline.slack.say(USER, channel, "", files=[("売上.csv", "月,円\n1月,100\n".encode("cp932"))])
    [reply] = offline.settled(60).replies(ts, channel)
    assert "1月" in reply["text"]
    assert "売上.csv" in reply["text"]


def test_a_follow_up_knows_the_file_and_downloads_it_again(modelled, claude):
    claude.script(say("読みました。", citations=[cite(1)]), say("利益は250です。", citations=[cite(1)]))
    ts = modelled.mention("読んで", files=[("決算短信.pdf", _report())])
    modelled.settled(60)
    modelled.slack.say(USER, CHANNEL, "利益は？", thread_ts=ts)
    assert "利益は250です。" in modelled.settled(60).replies(ts)[-1]["text"]
    assert len(modelled.slack.calls_of("download")) == 2


def test_a_file_that_was_deleted_is_said_to_be_gone(offline):
    """Whether Slack shows a tombstone, or the file goes between the event and the download."""
    ts = offline.mention("読んで", files=[("決算短信.pdf", _report())])
    offline.settled(60)
    offline.slack.delete_file(_file(offline, ts)["id"])
    offline.slack.say(USER, CHANNEL, f"<@{offline.app.bot_user}> 利益は？", thread_ts=ts)
    assert engine_messages.note(AgentCode.FILE_GONE) in offline.settled(60).replies(ts)[-1]["text"]


@pytest.mark.parametrize(
    ("shown", "code"),
    [
        ({"mode": "hidden_by_limit"}, AgentCode.FILE_HIDDEN),
        ({"mode": "external", "is_external": True, "external_type": "gdrive"}, AgentCode.FILE_EXTERNAL),
        ({"file_access": "access_denied"}, AgentCode.FILE_ACCESS_DENIED),
    ],
)
def test_each_file_that_cannot_be_had_has_its_sentence(offline, shown, code):
    ts = offline.slack.say(USER, CHANNEL, "資料です", files=[("計画.pdf", _report())])
    file = _file(offline, ts)
    offline.slack.replace_file(file["id"], {"id": file["id"], "name": "計画.pdf", **shown})
    offline.slack.say(USER, CHANNEL, f"<@{offline.app.bot_user}> 要約して", thread_ts=ts)
    [reply] = offline.settled(60).replies(ts)
    assert f"「計画.pdf」：{engine_messages.note(code)}" in reply["text"]
    assert offline.slack.calls_of("download") == ()


def test_a_file_of_which_the_event_says_little_is_looked_up(offline):
    """As in channels that are shared with another organisation."""
    ts = offline.slack.say(USER, CHANNEL, "資料です", files=[("決算短信.pdf", _report())])
    file = _file(offline, ts)
    offline.slack.replace_file(file["id"], {"id": file["id"], "file_access": "check_file_info"})
    offline.slack.say(USER, CHANNEL, f"<@{offline.app.bot_user}> 売上高は？", thread_ts=ts)
    assert "1,200" in offline.settled(60).replies(ts)[-1]["text"]


def test_a_picture_is_shown_to_the_model(modelled, claude):
    claude.script(say("白い画像です。"))
    ts = modelled.mention("何の画像？", files=[("写真.png", _png())])
    [reply] = modelled.settled(60).replies(ts)
    [block] = [
        block for block in claude.requests[-1].json["messages"][-1]["content"] if block["type"] == "image"
    ]
    assert block["source"]["media_type"] == "image/png"
    assert f"<{_file(modelled, ts)['permalink']}|写真.png>" in reply["text"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (_png(8001, 2), AgentCode.PICTURE_TOO_LARGE),
        (_png() + b"\x00" * 3_750_000, AgentCode.PICTURE_TOO_LARGE),
        (b"II*\x00" + b"\x00" * 60, AgentCode.PICTURE_TYPE),
    ],
    ids=["pixels", "bytes", "type"],
)
def test_a_picture_beyond_the_limits_is_not_sent(modelled, claude, content, code):
    claude.script(say("見られませんでした。"))
    ts = modelled.mention("何の画像？", files=[("写真.png", content)])
    modelled.settled(60)
    sent = json.dumps(claude.requests[-1].json, ensure_ascii=False)
    assert '"image"' not in sent
    assert code in sent
    assert engine_messages.note(code) in modelled.replies(ts)[0]["text"]


def test_without_a_model_the_reader_says_that_it_cannot_see(offline):
    ts = offline.mention("何の画像？", files=[("写真.png", _png())])
    [reply] = offline.settled(60).replies(ts)
    assert engine_messages.note(AgentCode.PICTURE_NOT_SEEN) in reply["text"]


def test_links_of_a_file_are_not_fetched_until_a_person_writes_them(modelled, claude):
    claude.script(call("fetch_url", {"url": LINKED}), say("開けませんでした。"))
    ts = modelled.mention("リンク先も読んで", files=[("決算短信.pdf", _report())])
    modelled.settled(60)
    assert AgentCode.URL_NOT_IN_CONTEXT in json.dumps(claude.requests[-1].json)
    claude.script(call("fetch_url", {"url": LINKED}), say("読めました。", citations=[cite(LINKED)]))
    modelled.slack.say(USER, CHANNEL, f"<{LINKED}> も読んで", thread_ts=ts)
    modelled.settled(60)
    assert AgentCode.URL_NOT_IN_CONTEXT not in json.dumps(claude.requests[-1].json["messages"][-1])


def test_the_address_of_a_file_of_another_channel_reads_nothing(modelled, claude):
    """Its text is not in the request, and no download is tried."""
    secret = pdf(Page().text(50, 80, "秘密の計画"))
    other = modelled.slack.say("U0SATO", "C0RANDOM", "資料", files=[("secret.pdf", secret)])
    link = modelled.slack.thread("C0RANDOM", other)[0]["files"][0]["permalink"]
    claude.script(call("fetch_url", {"url": link}), say("読めませんでした。"))
    modelled.mention(f"<{link}> を読んで")
    modelled.settled(60)
    assert "秘密" not in _sent(claude)
    assert modelled.slack.calls_of("download") == ()


def test_the_token_stands_in_no_request_to_the_model(modelled, claude):
    claude.script(say("読みました。"))
    modelled.mention("読んで", files=[("決算短信.pdf", _report())])
    modelled.settled(60)
    sent = _sent(claude)
    assert TOKEN not in sent
    assert "files-pri" not in sent


def test_a_file_of_which_an_event_has_only_the_id_is_read_by_its_name_and_type(offline):
    """As in Slack Connect. A mention alone asks about it; a CSV file has a table, and its own link."""
    ts = offline.mention("", files=[("料金.csv", "品名,円\r\n豆,1200\r\n".encode("cp932"))], deliver=False)
    file = _file(offline, ts)
    offline.slack.replace_file(file["id"], {"id": file["id"], "file_access": "check_file_info"})
    offline.slack.deliver(offline.slack.bodies(CHANNEL, ts)[0])
    [answer] = offline.settled(60).replies(ts)
    assert f"<{file['permalink']}|" in answer["text"]
    assert "料金.csv" in answer["text"]
    offline.slack.say(USER, CHANNEL, f"<@{offline.app.bot_user}> 表をExcelで", thread_ts=ts)
    *_, made = offline.settled(60).replies(ts)
    assert made["files"][0]["name"].endswith(".xlsx")


def test_a_message_with_such_a_file_alone_is_part_of_the_conversation(offline):
    ts = offline.slack.say(USER, CHANNEL, "", files=[("決算短信.pdf", _report())])
    file = _file(offline, ts)
    offline.slack.replace_file(file["id"], {"id": file["id"], "file_access": "check_file_info"})
    offline.slack.say(USER, CHANNEL, f"<@{offline.app.bot_user}> 売上高は？", thread_ts=ts)
    assert "1,200" in offline.settled(60).replies(ts)[-1]["text"]


def test_a_canvas_is_read_like_a_page(offline):
    """Slack tells a type of its own for it, and gives HTML."""
    canvas = (
        '<div class="quip-canvas-content"><h1 id="temp:C:a">出荷の計画</h1>'
        '<p id="temp:C:b" class="line">次の出荷は12月3日です。</p></div>'
    )
    ts = offline.mention("次の出荷はいつ？", files=[("計画.html", canvas.encode())], deliver=False)
    file = _file(offline, ts)
    kind = {"name": "出荷の計画", "mimetype": "application/vnd.slack-docs", "mode": "quip"}
    offline.slack.replace_file(file["id"], file | kind)
    offline.slack.deliver(offline.slack.bodies(CHANNEL, ts)[0])
    [answer] = offline.settled(60).replies(ts)
    assert "12月3日" in answer["text"]
    assert "出荷の計画" in answer["text"]
