"""What is not answered, and what those who asked hear of it: one refusal, for their eyes only, or nothing."""

import json
import threading
from dataclasses import replace

import pytest

from fetcher.agent import Progress, QuestionRejected, Step, Usage
from fetcher.codes import AgentCode
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.playground.values import App
from slackapp.stores.contract import Entity, WhitelistEntry
from tests.fakes.clock import FakeClock
from tests.fakes.dynamodb import LATER
from tests.slackapp.stage import ANSWER, CHANNEL, TEAM, USER, ScriptedAgent, Stage

GUARDED = {"access_mode": "whitelist"}
EITHER = pytest.mark.parametrize("store", ["sqlite"], indirect=True)
"""For stories in which it does not matter which store it is: they are told with one."""


@pytest.fixture
def staged(store):
    """Opens stages on an empty store, with settings of their own."""

    def opened(**settings):
        return Stage(store, **settings)

    return opened


@pytest.fixture
def stage(staged):
    with staged() as running:
        yield running
        assert running.settled().unfinished() == []


def refused(stage, code, *, user=USER, **words):
    """Whether this refusal is all that was said, to this user alone."""
    [told] = stage.settled().slack.ephemerals()
    assert (told["to"], told["text"]) == (user, wording.refusal(code, **words))
    assert unheard(stage)
    return told


def unheard(stage):
    """Whether nobody was answered and nothing was posted for others to see."""
    posted = stage.settled().slack.calls_of("chat.postMessage") + stage.slack.calls_of("chat.startStream")
    return posted == () and stage.agent.asked == [] and stage.unfinished() == []


def test_a_request_that_is_played_again_answers_nothing(stage):
    ts = stage.mention()
    stage.settled()
    for body in stage.slack.bodies(CHANNEL, ts):
        assert stage.slack.deliver(body)[0].result().status == 200
    assert len(stage.settled().replies(ts)) == 1
    assert len(stage.agent.asked) == 1


def test_300_kilobytes_of_text_are_refused_once(stage):
    ts = stage.mention("長" * 100_000, deliver=False)
    bodies = stage.slack.bodies(CHANNEL, ts)
    assert all(len(json.dumps(body, ensure_ascii=False).encode()) > 300_000 for body in bodies)
    for body in bodies:
        assert stage.slack.deliver(body)[0].result().status == 200
    refused(stage, RefusalCode.MESSAGE_TOO_LONG)


@EITHER
def test_a_mention_alone_is_told_how_to_ask(stage):
    stage.mention("  ")
    refused(stage, RefusalCode.EMPTY)


@EITHER
def test_a_call_for_help_is_told_how_to_ask_and_asks_nothing(stage):
    stage.mention("使い方を教えて")
    stage.slack.command(USER, CHANNEL, "/fetch", "help")
    told = [each["text"] for each in stage.settled().slack.ephemerals(USER)]
    assert told == [wording.help_text()] * 2
    assert stage.agent.asked == []


UNANSWERABLE = {"empty": " ", "help": "使い方を教えて", "too long": "長" * 41_000}


@pytest.mark.parametrize("text", UNANSWERABLE.values(), ids=UNANSWERABLE)
def test_what_cannot_be_answered_is_told_after_the_whitelist_and_counts(staged, text):
    """A stranger gets a refusal, and a member as many replies as the rate allows; a stop is free."""
    with staged(rate_limit_per_minute=1, rate_limit_burst=2) as stage:
        workspace = stage.slack.workspace
        workspace.add_team("T0OTHER", "他社")
        workspace.add_user("stranger", user_id="U0OUT", team_id="T0OTHER")
        workspace.channel(CHANNEL).members.add("U0OUT")
        told = (
            wording.help_text()
            if "使い方" in text
            else wording.refusal(RefusalCode.MESSAGE_TOO_LONG if len(text) > 1_000 else RefusalCode.EMPTY)
        )
        for user in ("U0OUT", USER, USER, USER):
            stage.slack.say(user, CHANNEL, f"<@{stage.app.bot_user}> {text}")
            stage.settled()
        stage.mention("止めて", thread_ts=stage.slack.say("U0SATO", CHANNEL, "相談です", deliver=False))
        heard = [(each["to"], each["text"]) for each in stage.settled().slack.ephemerals()]
        assert heard[:3] == [
            ("U0OUT", wording.refusal(RefusalCode.EXTERNAL_USER)),
            (USER, told),
            (USER, told),
        ]
        assert heard[3][1].startswith(wording.refusal(RefusalCode.RATE_LIMITED, wait_seconds=1)[:8])
        assert heard[4:] == [(USER, wording.nothing_to_stop())]
        assert unheard(stage)


@EITHER
def test_a_deleted_message_is_no_question_and_its_answer_stays(stage):
    ts, plain = stage.mention(), stage.slack.say(USER, CHANNEL, "間違えました")
    stage.settled()
    stage.slack.delete(CHANNEL, ts)
    stage.slack.delete(CHANNEL, plain)
    assert len(stage.settled().replies(ts)) == 1
    assert stage.slack.ephemerals() == []


@EITHER
def test_other_bots_are_not_answered(stage):
    bot = stage.slack.workspace.add_user("robot", is_bot=True)
    ts = stage.slack.say(bot.id, CHANNEL, f"<@{stage.app.bot_user}> https://a.example/ は？")
    assert stage.settled().replies(ts) == []
    assert unheard(stage)
    assert stage.slack.ephemerals() == []


def test_we_do_not_answer_ourselves(store):
    """Slack tells an app of its own messages; an answer may well mention us."""
    agent = ScriptedAgent()
    with Stage(store, agent=agent) as stage:
        ts = stage.mention()
        stage.settled()
        bot = stage.app.bot_user
        stage.slack.say(bot, CHANNEL, f"<@{bot}> もう一度", ts)
        stage.slack.say(bot, stage.slack.direct(USER), f"<@{bot}> もう一度")
        stage.settled()
        assert len(agent.asked) == 1


@EITHER
def test_two_bots_that_mention_each_other_fall_silent(stage):
    """Both run this app, and each hears the other's mention; neither answers."""
    other = stage.slack.install(
        App(
            bot_token="xoxb-other",
            signing_secret=stage.app.signing_secret,
            request_url=stage.app.request_url,
            app_id="A0OTHER",
            bot_id="B0OTHER",
            bot_user="U0OTHER",
            name="other",
        )
    )
    ts = stage.slack.say(other.bot_user, CHANNEL, f"<@{stage.app.bot_user}> <@{other.bot_user}> どうぞ")
    stage.slack.say(stage.app.bot_user, CHANNEL, f"<@{other.bot_user}> そちらこそ", ts)
    assert unheard(stage)
    assert stage.slack.ephemerals() == []


def test_an_externally_shared_channel_is_refused(stage):
    """S6; also in open mode."""
    where = stage.slack.workspace.add_channel("partners", is_ext_shared=True).id
    stage.slack.say(USER, where, f"<@{stage.app.bot_user}> https://a.example/ は？")
    refused(stage, RefusalCode.EXTERNAL_CHANNEL)


@pytest.mark.parametrize("private", [False, True], ids=["public", "private"])
@pytest.mark.parametrize("shared", [False, True], ids=["internal", "external"])
@pytest.mark.parametrize("by", ["command", "shortcut"])
def test_a_command_is_not_answered_where_the_channel_may_be_external(stage, private, shared, by):
    """No payload says so, and of a private channel Slack tells members alone: who asks is to invite us."""
    where = stage.slack.workspace.add_channel("x", is_ext_shared=shared, private=private, is_member=False).id
    _use(stage, where, by)
    if private:
        refused(stage, RefusalCode.CHANNEL_UNKNOWN)
        assert "/invite" in stage.slack.ephemerals(USER)[0]["text"]
    elif shared:
        refused(stage, RefusalCode.EXTERNAL_CHANNEL)
    else:
        [answer] = stage.settled().slack.ephemerals(USER)
        assert answer["via"] == "response_url"
        assert len(stage.agent.asked) == 1


def _use(stage, where, by):
    if by == "command":
        stage.slack.command(USER, where, "/fetch", "https://a.example/ は？")
    else:
        ts = stage.slack.say("U0SATO", where, "https://a.example/")
        stage.slack.shortcut(USER, where, ts, "read_link")


@pytest.mark.parametrize("by", ["command", "shortcut"])
def test_a_command_in_a_direct_message_between_others_is_not_answered(stage, by):
    """One of them may be of another organisation."""
    where = stage.slack.workspace.open_direct(USER, "U0SATO").id
    _use(stage, where, by)
    refused(stage, RefusalCode.CHANNEL_UNKNOWN)


def test_a_command_in_the_direct_message_with_us_is_answered(stage):
    where = stage.slack.workspace.open_direct(USER, stage.app.bot_user).id
    stage.slack.command(USER, where, "/fetch", "https://a.example/ は？")
    assert len(stage.settled().agent.asked) == 1
    assert stage.slack.ephemerals() == []


def test_an_externally_shared_channel_on_the_whitelist_is_answered(stage):
    where = stage.slack.workspace.add_channel("partners", is_ext_shared=True).id
    stage.store.add_to_whitelist(WhitelistEntry(entity=Entity.CHANNEL, id=where))
    ts = stage.slack.say(USER, where, f"<@{stage.app.bot_user}> https://a.example/ は？")
    assert len(stage.settled().replies(ts, where)) == 1
    assert stage.slack.ephemerals() == []


def test_a_user_of_another_team_is_refused(stage):
    """S6."""
    stage.slack.workspace.add_team("T0OTHER", "よその会社")
    guest = stage.slack.workspace.add_user("guest", team_id="T0OTHER").id
    stage.slack.say(guest, CHANNEL, f"<@{stage.app.bot_user}> https://a.example/ は？")
    refused(stage, RefusalCode.EXTERNAL_USER, user=guest)


def test_a_deactivated_user_is_refused(stage):
    gone = stage.slack.workspace.add_user("gone", deleted=True).id
    stage.slack.say(gone, CHANNEL, f"<@{stage.app.bot_user}> https://a.example/ は？")
    refused(stage, RefusalCode.USER_DEACTIVATED, user=gone)


@EITHER
def test_a_user_whom_slack_does_not_know_is_refused(stage):
    body = stage.slack.bodies(CHANNEL, stage.mention(deliver=False))[0]
    body["event"]["user"] = "U0NOBODY"
    stage.slack.workspace.channel(CHANNEL).members.add("U0NOBODY")
    stage.slack.deliver(body)
    refused(stage, RefusalCode.USER_UNKNOWN, user="U0NOBODY")


@EITHER
def test_an_archived_channel_is_refused_and_the_log_says_that_nobody_could_be_told(stage, caplog):
    ts = stage.mention(deliver=False)
    stage.slack.workspace.channel(CHANNEL).is_archived = True
    stage.slack.deliver(stage.slack.bodies(CHANNEL, ts)[0])
    assert unheard(stage)
    assert stage.slack.ephemerals() == []
    [line] = [record for record in caplog.records if record.getMessage() == "refusal_not_told"]
    assert line.fields["error_code"] == "is_archived"


@EITHER
def test_a_refusal_is_counted_once_and_logged_without_a_word_of_the_message(staged, caplog):
    caplog.set_level("INFO", "slackapp")
    with staged(**GUARDED) as stage:
        stage.mention("a secret question")
        refused(stage, RefusalCode.TEAM_NOT_ALLOWED)
    [line] = [record for record in caplog.records if record.getMessage() == "refused"]
    assert (line.fields["code"], line.fields["refusals"]) == ("team_not_allowed", 1)
    assert "_aws" in line.fields
    assert "secret" not in str([vars(record) for record in caplog.records])


@pytest.mark.parametrize(
    ("listed", "code"),
    [
        ([], RefusalCode.TEAM_NOT_ALLOWED),
        ([(Entity.TEAM, "T0OTHER")], RefusalCode.TEAM_NOT_ALLOWED),
        ([(Entity.TEAM, TEAM), (Entity.CHANNEL, "C0OTHER")], RefusalCode.CHANNEL_NOT_ALLOWED),
        ([(Entity.CHANNEL, CHANNEL), (Entity.USER, "U0SATO")], RefusalCode.USER_NOT_ALLOWED),
        ([(Entity.TEAM, TEAM), (Entity.CHANNEL, CHANNEL), (Entity.USER, USER)], None),
    ],
    ids=["empty", "team", "channel", "user", "all listed"],
)
def test_whoever_is_not_on_the_whitelist_is_refused(staged, listed, code):
    """S5: every type that has rows must name the request's id; an empty list lets nobody in."""
    with staged(**GUARDED) as stage:
        for entity, entity_id in listed:
            stage.store.add_to_whitelist(WhitelistEntry(entity=entity, id=entity_id))
        ts = stage.mention()
        if code:
            refused(stage, code)
        else:
            assert len(stage.settled().replies(ts)) == 1


@EITHER
def test_the_settings_may_name_who_is_let_in(staged):
    with staged(**GUARDED, whitelist_team_ids=[TEAM]) as stage:
        ts = stage.mention()
        assert len(stage.settled().replies(ts)) == 1


def test_a_refused_command_is_told_through_its_own_address(staged):
    """The bot may be no member where it was given."""
    with staged(**GUARDED) as stage:
        where = stage.slack.workspace.add_channel("elsewhere", is_member=False).id
        stage.slack.command(USER, where, "/fetch", "https://a.example/")
        assert refused(stage, RefusalCode.TEAM_NOT_ALLOWED)["via"] == "response_url"


@EITHER
def test_a_refused_shortcut_is_told_to_whoever_used_it(staged):
    with staged(**GUARDED) as stage:
        ts = stage.slack.say("U0SATO", CHANNEL, "https://a.example/")
        stage.slack.shortcut(USER, CHANNEL, ts, "read_link")
        refused(stage, RefusalCode.TEAM_NOT_ALLOWED)


def test_a_refusal_in_a_direct_message_is_said_there_once(staged):
    """Nobody else reads it; the events of one message are one request."""
    with staged(**GUARDED) as stage:
        where = stage.slack.direct(USER)
        ts = stage.slack.say(USER, where, "https://a.example/ は？", deliver=False)
        for _ in range(2):
            stage.slack.deliver(stage.slack.bodies(where, ts)[0])
        [reply] = stage.settled().replies(ts, where)
        assert reply["text"] == wording.refusal(RefusalCode.TEAM_NOT_ALLOWED)
        assert (stage.agent.asked, stage.unfinished()) == ([], [])


@EITHER
def test_a_refusal_in_a_thread_is_shown_in_that_thread(staged):
    with staged(**GUARDED) as stage:
        root = stage.slack.say("U0SATO", CHANNEL, "相談です")
        stage.mention(thread_ts=root)
        assert refused(stage, RefusalCode.TEAM_NOT_ALLOWED)["thread_ts"] == root


def test_the_rate_limit_names_the_seconds_to_wait(staged):
    """S4: ten a minute here, two at once; the others go on asking, and so may this one later."""
    clock = FakeClock(LATER)
    with staged(rate_limit_per_minute=10, rate_limit_burst=2, clock=clock) as stage:
        for number in (1, 2):
            stage.mention()
            assert len(stage.settled().agent.asked) == number
        stage.mention()
        stage.settled()
        clock.advance(4)
        stage.mention()
        told = [each["text"] for each in stage.settled().slack.ephemerals(USER)]
        words = [wording.refusal(RefusalCode.RATE_LIMITED, wait_seconds=wait) for wait in (6, 2)]
        assert told == words
        stage.slack.say("U0SATO", CHANNEL, f"<@{stage.app.bot_user}> https://a.example/ は？")
        assert len(stage.settled().agent.asked) == 3
        clock.advance(2)
        stage.mention()
        assert len(stage.settled().agent.asked) == 4
        assert stage.unfinished() == []


def test_retries_cost_no_quota(staged):
    """S1: ten deliveries of one question leave room for the next one."""
    with staged(rate_limit_per_minute=1, rate_limit_burst=2, clock=FakeClock(LATER)) as stage:
        for _ in range(2):
            body = stage.slack.bodies(CHANNEL, stage.mention(deliver=False))[0]
            stage.slack.deliver(body, times=5)
            stage.settled()
        assert len(stage.agent.asked) == 2
        assert stage.slack.ephemerals() == []


@pytest.mark.parametrize("budget", ["daily_questions_per_team", "daily_questions_total"])
def test_the_days_questions_may_be_limited(staged, budget):
    """Until the next day in Japan."""
    clock = FakeClock(LATER)
    with staged(**{budget: 1}, clock=clock) as stage:
        stage.mention()
        stage.settled()
        stage.mention()
        [told] = stage.settled().slack.ephemerals(USER)
        assert told["text"] == wording.refusal(RefusalCode.DAILY_QUESTIONS)
        assert len(stage.agent.asked) == 1
        clock.advance(3 * 3600)
        stage.mention()
        assert len(stage.settled().agent.asked) == 2


@pytest.mark.parametrize("budget", ["daily_tokens_per_team", "daily_tokens_total"])
@pytest.mark.parametrize(
    "usage",
    [
        Usage(calls=1, input_tokens=80, output_tokens=40),
        Usage(calls=1, input_tokens=5, output_tokens=5, cache_write_tokens=100),
        Usage(calls=1, input_tokens=5, output_tokens=5, cache_read_tokens=100),
    ],
)
def test_the_days_tokens_may_be_limited(staged, budget, usage):
    """The answer that goes over the limit is still given; the next question is refused.

    Nearly all input of the agent's calls goes through the API's cache, which costs too.
    """
    agent = ScriptedAgent(replace(ANSWER, usage=usage))
    with staged(**{budget: 100}, clock=FakeClock(LATER), agent=agent) as stage:
        ts = stage.mention()
        assert len(stage.settled().replies(ts)) == 1
        stage.mention()
        [told] = stage.settled().slack.ephemerals(USER)
        assert told["text"] == wording.refusal(RefusalCode.DAILY_TOKENS)
        assert len(agent.asked) == 1


class Costly(ScriptedAgent):
    """Tells what it costs, and then is busy, or fails."""

    def __init__(self, hold, failure=None):
        super().__init__(hold=hold)
        self._failure = failure

    async def ask(self, request, on_progress):
        on_progress(Progress(step=Step.COUNTING, tokens=120))
        if self._failure:
            self.asked.append(request)
            raise self._failure
        return await super().ask(request, on_progress)


@pytest.mark.parametrize(
    "failure", [None, QuestionRejected(AgentCode.EMPTY_QUESTION, ""), ValueError("ours")], ids=str
)
def test_the_tokens_of_a_run_without_an_answer_count_too(staged, failure):
    """Else questions that are stopped in time would cost any number of them."""
    hold = threading.Event()
    agent = Costly(hold, failure)
    with staged(daily_tokens_total=100, clock=FakeClock(LATER), agent=agent) as stage:
        ts = stage.mention()
        if failure is None:
            assert agent.begun.acquire(timeout=60)
            stage.slack.react(USER, CHANNEL, ts, "x")
        assert len(stage.settled().replies(ts)) == 1
        stage.mention()
        [told] = stage.settled().slack.ephemerals(USER)
        assert told["text"] == wording.refusal(RefusalCode.DAILY_TOKENS)
        assert len(agent.asked) == 1
        hold.set()


@EITHER
def test_slackbot_gets_no_reply(stage):
    """It tells the app in a direct message that it was removed from a channel; Slack gets no call."""
    where = stage.slack.workspace.open_direct(USER, stage.app.bot_user).id
    ts = stage.slack.say(USER, where, "おはよう", deliver=False)
    [body] = stage.slack.bodies(where, ts)
    before = len(stage.slack.calls)
    stage.slack.deliver(body | {"event": body["event"] | {"user": "USLACKBOT"}})
    assert stage.settled().slack.calls[before:] == ()
    assert unheard(stage)
