"""Questions in Slack and their answers, from the signed request to the thread: each is answered once."""

import threading

import pytest

from fetcher.agent import Answer
from slackapp import wording
from slackapp.playground.webapi.faults import Fault
from slackapp.stores.contract import Entity, WhitelistEntry
from tests.fakes.turns import call, cite, fail, say
from tests.slackapp.stage import (
    CHANNEL,
    TEAM,
    USER,
    ScriptedAgent,
    Stage,
    claude_agent,
    part_of,
    sample_agent,
)

SHOP, NEWS = "http://shop.sample/price", "http://news.sample/articles/tram"
EITHER = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
"""For stories in which it does not matter which store it is: they are told with one."""


@pytest.fixture
def stage(store, sample_port):
    """The app with the offline reader on the sample web; whatever a story does, no claim is left."""
    with Stage(store, agent=sample_agent(sample_port)) as running:
        yield running
        assert running.settled().unfinished() == []


@pytest.fixture
def modelled(store, sample_port, claude):
    """The app with a model whose words are scripted."""
    with Stage(store, agent=claude_agent(sample_port, claude)) as running:
        yield running
        assert running.settled().unfinished() == []


def texts(messages):
    return [message["text"] for message in messages]


def blocks_of(message):
    return repr(message.get("blocks"))


def test_a_mention_is_answered_in_its_thread_with_sources(stage):
    """Nothing is unfurled, nothing is said elsewhere, and the thread tells who answered what."""
    ts = stage.mention(f"<{SHOP}> 定期便はいくらですか？")
    [reply] = stage.settled().replies(ts)
    assert "出典" in reply["text"]
    assert f"<{SHOP}|" in reply["text"]
    assert "焙煎したての豆" in reply["text"]
    assert reply["thread_ts"] == ts
    assert len(stage.slack.timeline(CHANNEL)) == 1
    assert stage.slack.ephemerals() == []
    [posted] = stage.slack.calls_of("chat.postMessage")
    assert (posted.arguments["unfurl_links"], posted.arguments["unfurl_media"]) == (False, False)


@EITHER
def test_a_table_comes_as_a_file_after_the_text(stage):
    ts = stage.mention(f"<{SHOP}> の料金表をCSVにして")
    text, file = stage.settled().replies(ts)
    assert (part_of(text), part_of(file)) == ("0", "")
    [shared] = file["files"]
    assert shared["name"].endswith(".csv")
    content = stage.slack.workspace.files.get(shared["id"]).content
    assert content.startswith(b"\xef\xbb\xbf")
    assert "プラン".encode() in content


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["mention first", "message first"])
def test_both_events_of_one_mention_end_in_one_reply(stage, order):
    """S2: Slack sends them under two ids, one after the other."""
    ts = stage.mention(f"<{SHOP}> 要点は？", deliver=False)
    bodies = stage.slack.bodies(CHANNEL, ts)
    assert [body["event"]["type"] for body in bodies] == ["app_mention", "message"]
    for place in order:
        assert stage.slack.deliver(bodies[place])[0].result().status == 200
    assert len(stage.settled().replies(ts)) == 1


def test_both_events_at_the_same_moment_end_in_one_reply(stage):
    ts = stage.mention(f"<{SHOP}> 要点は？", deliver=False)
    for body in stage.slack.bodies(CHANNEL, ts):
        stage.slack.deliver(body, times=4)
    assert len(stage.settled().replies(ts)) == 1
    assert stage.slack.ephemerals() == []


def test_retries_while_the_first_run_is_going_are_acknowledged_and_answer_nothing(store):
    """All three of Slack's retries come before the agent has finished."""
    hold = threading.Event()
    agent = ScriptedAgent(hold=hold)
    with Stage(store, agent=agent) as stage:
        ts = stage.mention(deliver=False)
        [body, _] = stage.slack.bodies(CHANNEL, ts)
        stage.slack.deliver(body)
        assert stage.slack.wait_until(lambda: len(stage.replies(ts)) == 1)
        for number in (1, 2, 3):
            [retry] = stage.slack.deliver(body, retry_num=number)
            assert retry.result().status == 200
        hold.set()
        assert texts(stage.settled().replies(ts)) == ["コーヒー豆は1,200円です。"]
        assert len(agent.asked) == 1
        assert stage.slack.ephemerals() == []


@EITHER
def test_the_command_alone_shows_help_to_the_user(stage):
    acknowledged = stage.slack.command(USER, CHANNEL, "/fetch", "  ")
    assert (acknowledged.status, acknowledged.text) == (200, "")
    assert texts(stage.settled().slack.ephemerals(USER)) == [wording.help_text()]
    assert stage.slack.timeline(CHANNEL) == []


def test_a_command_opens_a_thread_and_is_answered_there(stage):
    assert stage.slack.command(USER, CHANNEL, "/fetch", f"{SHOP} 定期便はいくらですか？").ok
    [root] = stage.settled().slack.timeline(CHANNEL)
    assert root["text"].startswith(f"<@{USER}> さんからのご質問：")
    assert "定期便はいくらですか？" in root["text"]
    _, answer = stage.replies(root["ts"])
    assert "焙煎したての豆" in answer["text"]
    assert stage.slack.ephemerals() == []


@EITHER
def test_a_follow_up_in_the_thread_of_a_command_knows_what_was_asked(store):
    """The first message there is ours; the words and the link that it quotes are the asker's."""
    agent = ScriptedAgent()
    with Stage(store, agent=agent) as stage:
        stage.slack.command(USER, CHANNEL, "/fetch", f"<{SHOP}> 月額は <b> いくら？\n税込みで")
        [root] = stage.settled().slack.timeline(CHANNEL)
        stage.slack.say("U0SATO", CHANNEL, "年額は？", thread_ts=root["ts"])
        stage.settled()
        history = [(turn.author, turn.text, turn.ours) for turn in agent.asked[-1].history]
    assert history == [
        ("田中 花子", f"{SHOP} 月額は <b> いくら？\n税込みで", False),
        ("", "コーヒー豆は1,200円です。", True),
    ]


@EITHER
def test_a_command_cannot_make_us_call_everybody(stage):
    """What somebody types is quoted in the thread's first message."""
    stage.slack.command(USER, CHANNEL, "/fetch", f"{SHOP} <!channel> <@U0SATO>")
    [root] = stage.settled().slack.timeline(CHANNEL)
    assert "<!channel>" not in root["text"]
    assert "<@U0SATO>" not in root["text"]


@pytest.mark.parametrize("private", [False, True], ids=["public", "private and listed"])
def test_a_command_where_the_bot_is_no_member_is_answered_to_the_user(stage, private):
    """S15: with a hint how everybody could see it."""
    where = stage.slack.workspace.add_channel("elsewhere", is_member=False, private=private).id
    if private:
        stage.store.add_to_whitelist(WhitelistEntry(entity=Entity.CHANNEL, id=where))
    assert stage.slack.command(USER, where, "/fetch", f"{SHOP} 定期便はいくらですか？").ok
    [whisper] = stage.settled().slack.ephemerals(USER)
    assert whisper["via"] == "response_url"
    assert whisper["text"].startswith(wording.not_in_channel())
    assert "焙煎したての豆" in whisper["text"]
    assert stage.slack.timeline(where) == []


@EITHER
def test_whoever_invites_the_bot_as_it_asked_is_answered_at_once(stage):
    """That it was no member is not remembered against them."""
    channel = stage.slack.workspace.add_channel("elsewhere", is_member=False, private=True)
    stage.slack.command(USER, channel.id, "/fetch", f"{SHOP} 定期便はいくらですか？")
    assert len(stage.settled().slack.ephemerals(USER)) == 1
    channel.members.add(stage.app.bot_user)
    ts = stage.slack.say(USER, channel.id, f"<@{stage.app.bot_user}> {SHOP} 定期便はいくらですか？")
    [reply] = stage.settled().replies(ts, channel.id)
    assert "焙煎したての豆" in reply["text"]


@EITHER
def test_a_thread_in_which_only_one_person_was_answered_is_not_ours(stage):
    """Whoever talks on there, once the bot has been invited, does not talk to it (S10)."""
    channel = stage.slack.workspace.add_channel("elsewhere", is_member=False)
    ts = stage.slack.say("U0SATO", channel.id, SHOP)
    stage.slack.shortcut(USER, channel.id, ts, "read_link")
    assert len(stage.settled().slack.ephemerals(USER)) == 1
    channel.members.add(stage.app.bot_user)
    stage.slack.say("U0SATO", channel.id, "そういえば昨日の件ですが", thread_ts=ts)
    assert stage.settled().replies(ts, channel.id) == []


@EITHER
def test_files_for_a_command_where_the_bot_is_no_member_need_an_invitation(stage):
    where = stage.slack.workspace.add_channel("elsewhere", is_member=False).id
    stage.slack.command(USER, where, "/fetch", f"{SHOP} 料金表をCSVにして")
    [whisper] = stage.settled().slack.ephemerals(USER)
    assert wording.files_need_membership() in whisper["text"]
    assert stage.slack.calls_of("files.getUploadURLExternal") == ()


def test_a_reply_without_a_mention_is_answered_in_a_thread_of_ours(modelled, claude):
    """S10; the model hears what was said before, and by whom."""
    claude.script(say("月額は1,900円からです。"), say("年額は22,800円です。"))
    ts = modelled.mention(f"<{SHOP}> 月額は？")
    modelled.settled()
    modelled.slack.say("U0SATO", CHANNEL, "では年額は？", ts)
    assert texts(modelled.settled().replies(ts)) == ["月額は1,900円からです。", "年額は22,800円です。"]
    [_, second] = claude.requests
    for said in ("月額は？", "月額は1,900円からです。", "では年額は？", "田中 花子", "佐藤 健"):
        assert said in second.text


@EITHER
def test_a_reply_also_sent_to_the_channel_is_answered(modelled, claude):
    claude.script(say("一つ目です。"), say("二つ目です。"))
    ts = modelled.mention(f"<{SHOP}> 要点は？")
    modelled.settled()
    modelled.slack.say("U0SATO", CHANNEL, "もう一つ", ts, broadcast=True)
    assert texts(modelled.settled().replies(ts)) == ["一つ目です。", "二つ目です。"]


def test_a_reply_that_mentions_somebody_else_is_not_for_us(stage):
    ts = stage.mention(f"<{SHOP}> 要点は？")
    stage.settled()
    stage.slack.say("U0SATO", CHANNEL, "<@U0SUZUKI> どう思いますか？", ts)
    assert len(stage.settled().replies(ts)) == 1


def test_a_reply_in_a_thread_of_others_is_not_for_us(stage):
    root = stage.slack.say("U0SATO", CHANNEL, "お昼はどこにしますか？")
    stage.slack.say(USER, CHANNEL, "駅前がいいです。", root)
    assert stage.settled().replies(root) == []
    assert stage.slack.ephemerals() == []
    assert stage.slack.calls == ()


def test_a_direct_message_is_streamed_and_answered(modelled, claude):
    """The stream becomes the answer: one message."""
    claude.script(
        call("fetch_url", {"url": SHOP}), say("月額は1,900円からです。", citations=[cite(SHOP, 0, 1)])
    )
    where = modelled.slack.direct(USER)
    ts = modelled.slack.say(USER, where, f"<{SHOP}> 月額は？")
    [reply] = modelled.settled().replies(ts, where)
    assert reply["text"].startswith("月額は1,900円からです。")
    assert f"<{SHOP}|" in reply["text"]
    assert reply["streaming_state"] == "completed"
    assert len(modelled.slack.calls_of("chat.startStream")) == 1
    assert modelled.slack.calls_of("chat.postMessage") == ()


@EITHER
def test_a_direct_message_is_answered_where_streams_are_refused(stage):
    stage.slack.faults.next("chat.startStream", Fault(error="method_not_supported_for_channel_type"))
    where = stage.slack.direct(USER)
    ts = stage.slack.say(USER, where, f"<{SHOP}> 定期便はいくらですか？")
    [reply] = stage.settled().replies(ts, where)
    assert "焙煎したての豆" in reply["text"]


def test_the_shortcut_reads_the_links_of_a_message(stage):
    """Whoever wrote it, the answer goes to its thread."""
    ts = stage.slack.say("U0SATO", CHANNEL, f"これ読んだ？ <{NEWS}>")
    assert stage.slack.shortcut(USER, CHANNEL, ts, "read_link").ok
    [reply] = stage.settled().replies(ts)
    assert f"<{NEWS}|" in reply["text"]
    assert stage.slack.ephemerals() == []


@EITHER
def test_the_shortcut_answers_inside_a_thread(stage):
    root = stage.slack.say("U0SATO", CHANNEL, "相談です")
    ts = stage.slack.say("U0SATO", CHANNEL, f"<{NEWS}|記事>", root)
    stage.slack.shortcut(USER, CHANNEL, ts, "read_link")
    [reply] = stage.settled().replies(root)
    assert f"<{NEWS}|" in reply["text"]


def test_feedback_is_recorded_and_thanked(stage):
    """Only who gave it is thanked, once; the last word counts."""
    ts = stage.mention(f"<{SHOP}> 定期便はいくらですか？")
    [reply] = stage.settled().replies(ts)
    for value in ("good", "bad"):
        assert stage.slack.click("U0SATO", CHANNEL, reply["ts"], "feedback", value).ok
        stage.settled()
        assert feedback_in(stage, f"feedback:{TEAM}:{CHANNEL}:{reply['ts']}:U0SATO") == value
    thanks = [(each["to"], each["text"], each["thread_ts"]) for each in stage.slack.ephemerals()]
    assert thanks == [("U0SATO", wording.feedback_thanks(), ts)]
    assert len(stage.replies(ts)) == 1


def feedback_in(stage, name):
    """What the table has under a name."""
    return stage.store._tables.get("dedupe", [name])[name]["feedback"]


@EITHER
def test_the_home_tab_says_how_to_ask(stage):
    stage.slack.open_home(USER)
    stage.settled()
    [home] = stage.slack.workspace.homes.values()
    assert home["blocks"][0]["text"]["text"] == wording.app_home()


def test_a_long_answer_comes_in_parts_and_whole(store):
    paragraphs = [f"{number}番目の段落です。{'とても長い説明が続きます。' * 60}" for number in range(40)]
    with Stage(store, agent=ScriptedAgent(Answer(text="\n\n".join(paragraphs)))) as stage:
        ts = stage.mention("長い話を聞かせて")
        replies = stage.settled().replies(ts)
    assert [part_of(reply) for reply in replies] == [str(place) for place in range(len(replies))]
    assert len(replies) > 2
    shown = "".join(map(blocks_of, replies))
    assert all(paragraph in shown for paragraph in paragraphs)
    assert [wording.continued(2, len(replies)) in blocks_of(reply) for reply in replies][:3] == [
        False,
        True,
        False,
    ]
    assert ["feedback_buttons" in blocks_of(reply) for reply in replies][-2:] == [False, True]


@EITHER
def test_an_answer_can_call_nobody(modelled, claude):
    """S7: neither in what is shown nor in what notifications show."""
    claude.script(say("<!channel> <@U123> <!here> と書いてありました。<http://evil.sample/|こちら>"))
    ts = modelled.mention("何と書いてありますか？")
    [reply] = modelled.settled().replies(ts)
    for live in ("<!channel>", "<@U123>", "<!here>", "<http://evil.sample/"):
        assert live not in reply["text"]
    said = blocks_of(reply)
    for kind in ("user", "broadcast", "link", "markdown", "mrkdwn"):
        assert f"'type': '{kind}'" not in said


@EITHER
def test_a_file_name_of_500_characters_is_cut_to_what_slack_takes(modelled, claude):
    name = "長" * 496 + ".csv"
    claude.script(
        call("create_file", {"file_name": name, "mime_type": "text/csv", "content": "a,b\n1,2\n"}),
        say("ファイルにしました。"),
    )
    ts = modelled.mention(f"<{SHOP}> の表をファイルにして")
    text, file = modelled.settled().replies(ts)
    assert text["text"] == "ファイルにしました。"
    [shared] = file["files"]
    assert len(shared["name"]) <= 255
    assert shared["name"].endswith(".csv")


def test_without_the_model_the_offline_reader_answers(modelled, claude):
    """A5: and says plainly that it is no model."""
    claude.script(fail(529))
    ts = modelled.mention(f"<{SHOP}> 定期便はいくらですか？")
    [reply] = modelled.settled().replies(ts)
    assert "AIを使わずにページの抜粋でお答えしました" in reply["text"]
    assert "焙煎したての豆" in reply["text"]
    assert f"<{SHOP}|" in reply["text"]


@EITHER
def test_a_question_without_a_link_is_told_what_to_send(stage):
    ts = stage.mention("おすすめは何ですか？")
    [reply] = stage.settled().replies(ts)
    assert "リンク" in reply["text"]


@EITHER
def test_a_page_that_cannot_be_read_is_named(stage):
    ts = stage.mention("<http://nowhere.sample/> 要点は？")
    [reply] = stage.settled().replies(ts)
    assert "nowhere.sample" in reply["text"]


@EITHER
def test_progress_is_shown_in_the_placeholder_and_replaced(store):
    """People see which page is being opened while they wait."""
    hold = threading.Event()
    with Stage(store, agent=ScriptedAgent(hold=hold)) as stage:
        ts = stage.mention()
        shown = wording.opening("a.example")
        assert stage.slack.wait_until(lambda: [text for text in texts(stage.replies(ts)) if shown in text])
        hold.set()
        assert texts(stage.settled().replies(ts)) == ["コーヒー豆は1,200円です。"]
