"""Which replies in threads are questions: all in our own threads, few in those of others."""

import pytest

from slackapp.listeners.incoming import Name, message_key
from slackapp.playground.webapi.faults import Fault
from slackapp.work.follow_ups import RIGHT_AFTER_SECONDS
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import CHANNEL, TEAM, USER, Stage

OTHER = "U0SATO"
CHATTER = "了解です、では15時に会議室で"
SQLITE = pytest.mark.parametrize("store", ["sqlite"], indirect=True)


@pytest.fixture
def opened(store):
    def stage(**settings):
        return Stage(store, clock=FakeClock(LATER), **settings)

    return stage


@pytest.fixture
def stage(opened):
    with opened() as running:
        yield running
        assert running.settled().unfinished() == []


def called_into(stage):
    """People talk, then one of them asks the app; the thread."""
    root = stage.slack.say(OTHER, CHANNEL, "来週の打ち合わせですが")
    stage.slack.say(USER, CHANNEL, "水曜はどうですか", root)
    stage.mention("https://a.example/price いくら？", thread_ts=root)
    assert len(stage.settled().agent.asked) == 1
    return root


def reply(stage, text, root, user=OTHER, **fields):
    stage.slack.say(user, CHANNEL, text, root, **fields)
    return len(stage.settled().agent.asked)


def test_talk_in_a_thread_of_others_is_not_answered(stage):
    root = called_into(stage)
    assert reply(stage, CHATTER, root) == 1
    assert reply(stage, "では水曜で", root, USER) == 1
    assert len(stage.replies(root)) == 1
    assert stage.slack.ephemerals() == []


def test_a_question_right_after_our_answer_is_for_us(stage):
    root = called_into(stage)
    assert reply(stage, "年額はいくらですか？", root) == 2
    assert reply(stage, "税込みでは？", root) == 3  # its answer, too, has a next reply


@SQLITE
def test_a_question_after_another_reply_is_for_others(stage):
    root = called_into(stage)
    assert reply(stage, CHATTER, root) == 1
    assert reply(stage, "会議室は空いていますか？", root) == 1


@SQLITE
def test_a_question_long_after_our_answer_is_for_others(stage):
    root = called_into(stage)
    stage._clock.advance(RIGHT_AFTER_SECONDS + 1)
    assert reply(stage, "会議室は空いていますか？", root) == 1


def test_a_link_with_a_question_is_for_us(stage):
    root = called_into(stage)
    assert reply(stage, CHATTER, root) == 1
    assert reply(stage, "<https://b.example/> を共有します", root) == 1
    assert reply(stage, "<https://b.example/> はいくらですか？", root) == 2


@SQLITE
def test_a_mention_is_always_for_us(stage):
    root = called_into(stage)
    assert reply(stage, CHATTER, root) == 1
    assert reply(stage, f"<@{stage.app.bot_user}> 年額は", root) == 2


@SQLITE
def test_threads_that_began_with_a_question_to_us_are_followed(stage):
    """A mention, a command and a shortcut on a single message."""
    roots = [stage.mention()]
    stage.slack.command(USER, CHANNEL, "/fetch", "https://a.example/ は？")
    shown = stage.slack.say(OTHER, CHANNEL, "<https://c.example/>")
    stage.slack.shortcut(USER, CHANNEL, shown, "read_link")
    stage.settled()
    roots += [message["ts"] for message in stage.slack.timeline(CHANNEL) if message["ts"] not in roots]
    assert len(roots) == 3
    for number, root in enumerate(roots, start=4):
        assert reply(stage, CHATTER, root) == number


@SQLITE
def test_a_shortcut_in_a_thread_of_others_does_not_make_it_ours(stage):
    root = stage.slack.say(OTHER, CHANNEL, "相談です")
    said = stage.slack.say(USER, CHANNEL, "<https://c.example/> でした", root)
    stage.slack.shortcut(USER, CHANNEL, said, "read_link")
    assert len(stage.settled().agent.asked) == 1
    assert reply(stage, CHATTER, root) == 1


def test_a_thread_that_an_earlier_version_marked_is_ours(stage):
    """It wrote only that the thread has an answer."""
    root = stage.slack.say(OTHER, CHANNEL, "相談です")
    name, key = Name.THREAD.of(TEAM, CHANNEL, root), message_key(TEAM, CHANNEL, root)
    stage.store.link_claim(name, key, expires_at=stage._now() + 3600)
    assert reply(stage, CHATTER, root) == 1
    stage.mention("年額は？", thread_ts=root)
    assert reply(stage, CHATTER, root) == 3


@SQLITE
def test_a_thread_of_others_stays_theirs_as_long_as_it_is_followed(stage):
    """Each question renews the mark together with the thread."""
    root = called_into(stage)
    for _ in range(2):
        stage._clock.advance(20 * 24 * 3600)
        stage.mention("年額は？", thread_ts=root)
        stage.settled()
    assert reply(stage, CHATTER, root) == 3


@SQLITE
@pytest.mark.parametrize(("setting", "answers"), [("all", 2), ("mentions", 1), ("own", 1)])
def test_the_setting_decides_in_threads_of_others(opened, setting, answers):
    with opened(follow_ups=setting) as stage:
        assert reply(stage, CHATTER, called_into(stage)) == answers


@pytest.mark.parametrize("setting", ["all", "own"])
@pytest.mark.parametrize("questions", [1, 2])
def test_what_was_said_before_the_app_was_called_is_not_answered(opened, setting, questions):
    """Its event may be delivered again, or late."""
    with opened(follow_ups=setting) as stage:
        root = stage.slack.say(OTHER, CHANNEL, "来週の打ち合わせですが")
        said = stage.slack.say(USER, CHANNEL, "<https://b.example/> はどうですか？", root)
        stage.settled()
        for _ in range(questions):
            stage.mention("https://a.example/price いくら？", thread_ts=root)
            stage.settled()
        [body] = stage.slack.bodies(CHANNEL, said)
        assert stage.slack.deliver(body)[0].result().status == 200
        assert len(stage.settled().agent.asked) == questions


@SQLITE
@pytest.mark.parametrize("setting", ["all", "own"])
def test_a_question_between_two_mentions_may_be_late(opened, setting):
    """The first mention is the one that called the app."""
    with opened(follow_ups=setting) as stage:
        root = called_into(stage)
        [said] = [each for each in stage.slack.thread(CHANNEL, root) if "水曜" in each["text"]]
        [body] = stage.slack.bodies(CHANNEL, said["ts"])
        asked = f"{float(root) + 0.5:.6f}"
        stage._clock.advance(1)
        stage.mention("年額は？", thread_ts=root)
        assert len(stage.settled().agent.asked) == 2
        body["event"] |= {"ts": asked, "text": "<https://b.example/> はいくらですか？"}
        stage.slack.deliver(body)
        assert len(stage.settled().agent.asked) == 3


@SQLITE
@pytest.mark.parametrize(("setting", "answers"), [("all", 2), ("mentions", 1), ("own", 2)])
def test_the_setting_decides_in_our_own_threads(opened, setting, answers):
    with opened(follow_ups=setting) as stage:
        root = stage.mention()
        stage.settled()
        assert reply(stage, CHATTER, root) == answers


@SQLITE
def test_talk_costs_no_call_of_slack(stage):
    root = called_into(stage)
    before = len(stage.slack.calls)
    reply(stage, CHATTER, root)
    assert len(stage.slack.calls) == before


def thanked(stage, channel, ts):
    message = next(each for each in stage.slack.thread(channel, ts) if each["ts"] == ts)
    return [reaction["name"] for reaction in message.get("reactions", [])]


@SQLITE
def test_thanks_get_a_reaction_and_no_run(stage):
    root = stage.mention()
    stage.settled()
    thanks = stage.slack.say(USER, CHANNEL, "ありがとう！", root)
    asked = len(stage.settled().agent.asked)
    [message] = [each for each in stage.slack.thread(CHANNEL, root) if each["ts"] == thanks]
    assert (asked, len(stage.replies(root))) == (1, 1)
    assert [reaction["name"] for reaction in message["reactions"]] == ["bow"]


@SQLITE
def test_thanks_in_a_direct_message_and_with_a_mention_are_the_same(stage):
    where = stage.slack.direct(USER)
    direct = stage.slack.say(USER, where, "了解です。ありがとうございます！")
    mention = stage.mention("ありがとう！")
    assert stage.settled().agent.asked == []
    assert thanked(stage, where, direct) == thanked(stage, CHANNEL, mention) == ["bow"]


@SQLITE
def test_without_the_scope_thanks_are_only_heard(stage):
    stage.slack.faults.next("reactions.add", Fault(error="missing_scope"))
    mention = stage.mention("ありがとう！")
    assert stage.settled().agent.asked == []
    assert (thanked(stage, CHANNEL, mention), stage.slack.ephemerals()) == ([], [])


@SQLITE
def test_a_user_who_is_not_answered_gets_no_reaction_either(opened):
    with opened(access_mode="whitelist") as stage:
        mention = stage.mention("ありがとう！")
        stage.settled()
        assert (thanked(stage, CHANNEL, mention), stage.slack.ephemerals()) == ([], [])
