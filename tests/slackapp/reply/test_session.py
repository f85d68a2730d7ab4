"""A reply in a local Slack, from its first message to its end, by one worker or by several."""

import contextlib
import itertools
import threading
import time

import pytest

from fetcher.agent import GeneratedFile, Progress, Source, Step
from slackapp import wording
from slackapp.listeners.incoming import Kind
from slackapp.playground.server import LocalSlack
from slackapp.playground.webapi.faults import Fault
from slackapp.reply.session import ReplySession
from slackapp.slack.errors import AnswerOverwritten, ChannelClosed, NotInChannel, PostError, SlackDown
from slackapp.slack.message import MessageKind
from slackapp.slack.poster import Poster
from slackapp.stores.contract import ReplyRecord
from slackapp.thread.block_text import text_of
from tests.slackapp.answers import CHANNEL, USER, answer, csv, request
from tests.slackapp.local import client_of, with_app

LONG = "文です。" * 6_000
OPENING = Progress(step=Step.FETCHING, url="https://a.example/price")
READING = Progress(step=Step.READING, url="https://a.example/price", title="料金 <!channel>")
WRITING = Progress(step=Step.WRITING, text="月額は**1,000円**です。\n")


class ClaimLost(Exception):
    """What a claim's keeper raises."""


class Killed(BaseException):
    """A worker was killed."""


@pytest.fixture
def slack(clock):
    with LocalSlack(clock=clock) as server:
        yield with_app(server)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr("slack_sdk.http_retry.handler.time.sleep", lambda _: None)


class Worker:
    """Makes sessions for one request, and keeps what they record as a store would."""

    def __init__(self, slack, clock, incoming):
        self.slack = slack
        self.clock = clock
        self.incoming = incoming
        self.reply_record = ReplyRecord()
        self.posted = []
        self.records = itertools.count()
        self.dies_at = None
        self.lost = False

    def record(self, reply_record):
        if self.lost:
            raise ClaimLost
        if self.dies_at is not None and next(self.records) == self.dies_at:
            raise Killed
        self.reply_record = reply_record

    def session(self, *, resumed=False, pace=0.01, reply_record=None, **fields):
        poster = Poster(client_of(self.slack), sleep=lambda _: None)
        return ReplySession(
            poster,
            self.incoming,
            record=self.record,
            reply_record=reply_record or self.reply_record,
            clock=self.clock,
            resumed=resumed,
            on_posted=self.posted.append,
            pace=pace,
            **fields,
        )

    def thread(self):
        thread_ts = self.incoming.thread_ts or self.reply_record.root
        return self.slack.thread(self.incoming.channel, thread_ts)[1:]

    def texts(self):
        return [text_of(message.get("blocks") or ()) or message["text"] for message in self.thread()]

    def files(self):
        return [file["name"] for message in self.thread() for file in message.get("files", ())]


@pytest.fixture
def mention(slack, clock):
    return Worker(slack, clock, request(slack.say(USER, CHANNEL, "質問")))


@pytest.fixture
def direct(slack, clock):
    channel = slack.direct(USER)
    ts = slack.say(USER, channel, "質問")
    return Worker(slack, clock, request(ts, kind=Kind.DIRECT, channel=channel))


@pytest.fixture
def command(slack, clock):
    return Worker(slack, clock, request(kind=Kind.COMMAND, text="https://a.example/ <!channel>\nいくら？"))


def answered(worker, reply=None, **fields):
    with worker.session(**fields) as session:
        session.begin()
        session.post_answer(reply or answer())


def status(slack, worker):
    thread_ts = worker.incoming.thread_ts or worker.reply_record.root
    return slack.workspace.sessions[worker.incoming.channel, thread_ts]["status"]


def test_a_placeholder_becomes_the_answer(slack, mention):
    """One message in the thread, and a status while the app works."""
    with mention.session() as session:
        session.begin()
        assert mention.texts() == [wording.accepted()]
        assert status(slack, mention) == "processing"
        session.post_answer(answer())
    (message,) = mention.thread()
    assert message["metadata"]["event_payload"]["sort"] == MessageKind.ANSWER
    assert mention.texts()[0].startswith("月額は1,000円です。")
    assert status(slack, mention) == "active"
    assert mention.reply_record == ReplyRecord(replies=(message["ts"],), revision=1)
    assert mention.posted == [message["ts"]]


def test_people_see_what_is_being_read(slack, mention):
    """The host, then the title, harmless; then that the answer is being written."""
    with mention.session() as session:
        session.begin()
        for progress, shown in [
            (OPENING, wording.opening("a.example")),
            (READING, wording.read("料金 <!channel>")),
            (WRITING, wording.writing()),
        ]:
            session.update_progress(progress)
            assert slack.wait_until(lambda shown=shown: shown in mention.texts()[0], timeout=60)
        assert "<!channel>" not in mention.thread()[0]["text"]


def test_the_latest_progress_wins_and_updates_keep_their_pace(slack, mention):
    """A hundred steps in a moment are an update or two, not a hundred."""
    with mention.session(pace=0.2) as session:
        session.begin()
        begun = time.monotonic()
        for number in range(100):
            session.update_progress(Progress(step=Step.FETCHING, url=f"https://h{number}.example/"))
        assert slack.wait_until(lambda: "h99.example" in mention.texts()[0], timeout=60)
        assert len(slack.calls_of("chat.update")) <= 1 + (time.monotonic() - begun) / 0.2


def test_no_progress_comes_after_the_answer(slack, mention):
    """An update under way is waited for; none begins after it."""
    hold = threading.Event()
    slack.faults.next("chat.update", Fault(hold=hold))
    with mention.session() as session:
        session.begin()
        session.update_progress(OPENING)
        threading.Timer(0.1, hold.set).start()
        session.post_answer(answer())
        session.update_progress(WRITING)
    assert mention.texts()[0].startswith("月額は1,000円です。")


def test_progress_that_slack_does_not_take_costs_nothing(slack, mention, caplog):
    slack.faults.next("chat.update", Fault(status=500))
    with mention.session() as session, caplog.at_level("INFO"):
        session.begin()
        session.update_progress(OPENING)
        assert slack.wait_until(lambda: len(slack.calls_of("chat.update")) >= 1, timeout=60)
        session.post_answer(answer())
    assert len(mention.thread()) == 1
    assert "progress_not_shown" in caplog.text


def test_progress_waits_as_long_as_slack_says(slack, mention, clock):
    """A 429 quiets the progress, not the answer."""
    slack.faults.next("chat.update", Fault(status=429, retry_after=30))
    with mention.session() as session:
        session.begin()
        session.update_progress(OPENING)
        assert slack.wait_until(lambda: len(slack.calls_of("chat.update")) == 1, timeout=60)
        session.update_progress(READING)
        session.post_answer(answer())
    assert len(slack.calls_of("chat.update")) == 2


def test_a_long_answer_comes_in_parts_in_order(mention):
    answered(mention, answer(LONG))
    texts = mention.texts()
    assert len(texts) == len(mention.reply_record.replies) == len(mention.posted) > 1
    assert "".join(texts).count("文です。") == 6_000


def test_a_sentence_takes_the_placeholders_place(slack, mention):
    """A failure, or that it was stopped."""
    with mention.session() as session:
        session.begin()
        session.update_progress(OPENING)
        session.post_notice(wording.stopped())
    assert mention.texts() == [wording.stopped()]
    assert mention.thread()[0]["metadata"]["event_payload"]["sort"] == MessageKind.NOTICE
    assert status(slack, mention) == "active"


def test_queries_that_have_left_are_told_also_without_an_answer(mention, direct):
    """Stopped before a word was written, stopped in the middle, or failed."""
    searched = Progress(step=Step.SEARCHING, title="豆 <!here> https://evil.example/")
    with mention.session() as session:
        session.begin()
        session.update_progress(searched)
        session.post_stopped()
    [notice] = mention.texts()
    assert notice == f"{wording.stopped()}\n検索：「豆 &lt;!here&gt; https: //evil.example/」"
    with direct.session() as session:
        session.begin()
        session.update_progress(searched)
        session.update_progress(Progress(step=Step.WRITING, text="おためしは\n"))
        session.post_stopped()
    said = "\n".join(direct.texts())
    assert "おためしは" in said
    assert "検索：「豆" in said


def test_a_command_opens_a_thread_of_its_own(slack, command):
    """Its first message has the asker and the question, and mentions no one else."""
    answered(command)
    root = slack.timeline(CHANNEL)[-1]
    assert root["ts"] == command.reply_record.root == command.posted[0]
    assert root["text"].startswith(f"<@{USER}> ")
    assert "<!channel>" not in root["text"]
    assert len(command.thread()) == 1


@pytest.mark.parametrize("kind", [Kind.COMMAND, Kind.SHORTCUT])
@pytest.mark.parametrize("error", ["not_in_channel", "channel_not_found"])
def test_where_we_are_no_member_only_the_asker_is_told(slack, clock, kind, error):
    """Through the response URL, with the hint to invite us; files need that (S15)."""
    incoming = request(kind=kind, thread_ts="1.1", response_url=response_url(slack))
    worker = Worker(slack, clock, incoming)
    slack.faults.next("chat.postMessage", Fault(error=error))
    answered(worker, answer(files=(csv(),)))
    (told,) = slack.ephemerals(USER)
    assert wording.not_in_channel() in told["text"]
    assert "月額は1,000円です。" in told["text"]
    assert wording.files_need_membership() in told["text"]
    assert slack.calls_of("files.getUploadURLExternal") == ()
    slack.faults.next(
        "*", Fault(error=error), when=lambda arguments: "ts" in arguments or "text" in arguments
    )
    answered(worker, resumed=True)
    assert len(slack.ephemerals(USER)) == 1


def response_url(slack):
    return slack.create_response_url(USER, CHANNEL)


@pytest.mark.parametrize(
    ("error", "kind"), [("not_in_channel", NotInChannel), ("is_archived", ChannelClosed)]
)
def test_where_we_may_not_speak_the_caller_hears_of_it(slack, mention, error, kind):
    slack.faults.next("chat.postMessage", Fault(error=error))
    with mention.session() as session, pytest.raises(kind):
        session.begin()
    assert mention.thread() == []


def test_files_follow_the_text(mention, slack):
    """One by one, each in the thread, and sent as what it is."""
    listed = GeneratedFile(file_name="b.json", mime_type="application/json", content=b"[]")
    answered(mention, answer(files=(csv("a.csv"), listed)))
    assert mention.files() == ["a.csv", "b.json"]
    assert len(mention.reply_record.uploads) == 2
    sent = [call.arguments["content_type"] for call in slack.calls_of("upload")]
    assert sent == ["text/csv", "application/json"]


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (Fault(error="not_in_channel"), wording.upload_failed),
        (Fault(error="missing_scope"), wording.upload_not_permitted),
        (Fault(unshared=True), wording.upload_late),
    ],
)
def test_a_file_that_fails_is_told_and_takes_nothing_with_it(slack, mention, fault, sentence):
    """Neither the text nor the other files."""
    slack.faults.next("files.completeUploadExternal", fault)
    answered(mention, answer(files=(csv("<a>.csv"), csv("b.csv"))))
    assert mention.files() == ["b.csv"]
    assert mention.texts()[0].startswith("月額は1,000円です。")
    assert sentence("&lt;a&gt;.csv") in mention.texts()


def test_a_failure_that_cannot_even_be_told_leaves_the_answer(slack, mention, caplog):
    """The log has what could not be posted."""
    slack.faults.next("files.completeUploadExternal", Fault(error="not_in_channel"))
    slack.faults.next(
        "chat.postMessage", Fault(error="not_in_channel"), when=lambda asked: "blocks" not in asked
    )
    answered(mention, answer(files=(csv("a.csv"),)))
    assert mention.texts()[0].startswith("月額は1,000円です。")
    assert "upload_failure_not_told" in caplog.text


def test_writing_alone_is_no_news(slack, mention):
    """A channel sees that the answer is being written, once."""
    with mention.session() as session:
        session.begin()
        session.update_progress(WRITING)
        assert slack.wait_until(lambda: len(slack.calls_of("chat.update")) == 1, timeout=60)
        session.update_progress(WRITING)
        assert not slack.wait_until(lambda: len(slack.calls_of("chat.update")) > 1, timeout=0.1)


def test_a_name_that_is_too_long_is_cut_before_its_ending(mention):
    answered(mention, answer(files=(csv("長" * 500 + ".csv"),)))
    (name,) = mention.files()
    assert len(name) == 255
    assert name.endswith("長.csv")


@pytest.mark.parametrize(
    ("error", "times"),
    [("msg_too_long", 1), ("msg_blocks_too_long", 1), ("invalid_blocks", 2), ("invalid_attachments", 3)],
)
def test_an_answer_that_slack_refuses_is_given_another_shape(slack, mention, error, times):
    """Smaller, then without blocks: it is never lost."""
    slack.faults.next("chat.update", Fault(error=error), times=times)
    answered(mention, answer(LONG[:12_000]))
    assert sum(text.count("文です。") for text in mention.texts()) == 3_000
    assert len(mention.thread()) == len(mention.reply_record.replies)


def test_a_placeholder_that_somebody_deleted_is_replaced(slack, mention):
    with mention.session() as session:
        session.begin()
        with slack.workspace.lock:
            slack.workspace.remove(CHANNEL, mention.reply_record.replies[0])
        session.post_answer(answer())
    assert len(mention.thread()) == 1
    assert mention.reply_record.replies == (mention.thread()[0]["ts"],)


def test_whoever_lost_the_claim_says_nothing_more(slack, mention):
    """Another worker has it now."""
    with mention.session() as session:
        session.begin()
        mention.lost = True
        with pytest.raises(ClaimLost):
            session.post_answer(answer(LONG, files=(csv(),)))
    assert slack.calls_of("files.getUploadURLExternal") == ()
    assert len(mention.thread()) == 2  # the part whose record was refused stands, marked, for the other


@pytest.mark.parametrize("fault", [Fault(drop=True, after=True), Fault(status=500)], ids=["lost", "500"])
@pytest.mark.parametrize(
    "method", ["chat.postMessage", "chat.update", "files.completeUploadExternal", "upload"]
)
@pytest.mark.parametrize("nth", [0, 1])
def test_nothing_is_said_twice_whatever_answer_is_lost(slack, mention, method, fault, nth):
    """Each part and each file once."""
    calls = itertools.count()
    slack.faults.next(method, fault, when=lambda _: next(calls) == nth)
    answered(mention, answer(LONG, files=(csv("a.csv"), csv("b.csv"))))
    assert "".join(mention.texts()).count("文です。") == 6_000
    assert mention.files() == ["a.csv", "b.csv"]


def everything(worker):
    """A reply with all that a reply can have."""
    with worker.session() as session:
        session.begin()
        session.update_progress(OPENING)
        session.post_answer(answer(LONG, files=(csv("a.csv"), csv("b.csv"))))


@pytest.mark.parametrize(
    ("kind", "at"), [*(("mention", at) for at in range(8)), *itertools.product(("direct", "command"), (1, 4))]
)
@pytest.mark.parametrize("method", ["record", "before", "after"])
def test_a_worker_that_dies_at_any_moment_leaves_one_reply(slack, request, kind, at, method):
    """Another one goes on from what stands in Slack, recorded or not, and ends with the same messages."""
    worker = request.getfixturevalue(kind)
    if method == "record":
        worker.dies_at = at
    else:
        die_at_call(slack, worker, at, after=method == "after")
    with contextlib.suppress(Killed, PostError):
        everything(worker)
    worker.dies_at = None
    slack.faults.clear()
    with worker.session(resumed=True) as session:
        session.begin()
        session.update_progress(READING)
        session.post_answer(answer(LONG, files=(csv("a.csv"), csv("b.csv"))))
    parts = [message for message in worker.thread() if not message.get("files")]
    assert [message["ts"] for message in parts] == list(worker.reply_record.replies)
    assert sum(text_of(message["blocks"]).count("文です。") for message in parts) == 6_000
    assert worker.files() == ["a.csv", "b.csv"]
    roots = [message for message in slack.timeline(worker.incoming.channel) if message.get("bot_id")]
    assert len(roots) == (1 if kind == "command" else 0)


WRITES = (
    "chat.postMessage",
    "chat.startStream",
    "chat.stopStream",
    "chat.update",
    "files.completeUploadExternal",
)


def die_at_call(slack, worker, at, *, after):
    """Every writing call from the nth fails, as if the worker had died."""
    calls = itertools.count()
    alive = {"yes": True}

    def reached(method):
        def when(_):
            if method in WRITES and alive["yes"] and next(calls) == at:
                alive["yes"] = False
                return True
            return False

        return when

    for method in WRITES:
        slack.faults.next(method, Fault(drop=True, after=after), when=reached(method))
        slack.faults.next(method, Fault(status=500), times=10_000, when=lambda _: not alive["yes"])
    slack.faults.next(
        "conversations.replies", Fault(status=500), times=10_000, when=lambda _: not alive["yes"]
    )
    slack.faults.next(
        "conversations.history", Fault(status=500), times=10_000, when=lambda _: not alive["yes"]
    )
    slack.faults.next("files.info", Fault(status=500), times=10_000, when=lambda _: not alive["yes"])


def test_an_answer_that_stands_is_replaced_by_nothing_less(slack, mention):
    """A worker that died after its answer leaves it readable while another works."""
    answered(mention)
    with mention.session(resumed=True) as session:
        session.begin()
        before = len(slack.calls_of("chat.update"))
        session.update_progress(OPENING)
        assert not slack.wait_until(lambda: len(slack.calls_of("chat.update")) > before, timeout=0.1)
        assert mention.texts()[0].startswith("月額は1,000円です。")
        session.post_answer(answer("新しい答え"))
    assert mention.texts()[0].startswith("新しい答え")


def test_surplus_parts_of_an_earlier_attempt_go(mention):
    """The second answer may be shorter."""
    answered(mention, answer(LONG))
    answered(mention, resumed=True)
    assert len(mention.thread()) == 1


def test_files_that_the_second_answer_does_not_have_go(mention):
    """What stands in the end is what the last answer has."""
    answered(mention, answer(files=(csv("a.csv"), csv("b.csv"))))
    answered(mention, answer(files=(csv("c.csv"),)), resumed=True)
    assert mention.files() == ["c.csv"]


def test_a_notice_goes_when_the_file_comes_after_all(slack, mention):
    slack.faults.next("files.completeUploadExternal", Fault(error="not_in_channel"))
    answered(mention, answer(files=(csv("a.csv"),)))
    assert wording.upload_failed("a.csv") in mention.texts()
    answered(mention, answer(files=(csv("a.csv"),)), resumed=True)
    assert mention.files() == ["a.csv"]
    assert wording.upload_failed("a.csv") not in mention.texts()


def test_a_direct_message_is_streamed_and_ends_as_an_answer(slack, direct):
    """Tasks and text while it is written; the answer replaces them, nothing stands twice."""
    with direct.session() as session:
        session.begin()
        assert direct.reply_record.stream_since == direct.incoming.ts
        for progress in (OPENING, READING, WRITING):
            session.update_progress(progress)
        assert slack.wait_until(lambda: "1,000円" in direct.thread()[0]["text"], timeout=60)
        titles = [block["title"] for block in direct.thread()[0]["blocks"] if block["type"] == "task_card"]
        assert wording.read("料金 <!channel>") in titles
        session.post_answer(answer())
    (message,) = direct.thread()
    assert text_of(message["blocks"]).count("1,000円") == 1
    assert message["metadata"]["event_payload"]["part"] == "0"
    assert status(slack, direct) == "active"


def test_a_stream_is_replaced_before_slack_ends_it(slack, direct, clock):
    """The new one shows what the old one did, which is gone."""
    with direct.session() as session:
        session.begin()
        session.update_progress(OPENING)
        first = direct.reply_record.replies[0]
        clock.advance(241)
        session.update_progress(READING)
        assert slack.wait_until(
            lambda: direct.reply_record.replies[0] != first and len(direct.thread()) == 1, timeout=5
        )
        titles = [block["title"] for block in direct.thread()[0]["blocks"]]
        assert wording.read("料金 <!channel>") in titles
        session.post_answer(answer())
    assert len(direct.thread()) == 1
    assert direct.texts()[0].startswith("月額は1,000円です。")


@pytest.mark.parametrize("at", [2, 3], ids=["before the new stream", "after the new stream"])
def test_a_worker_that_dies_while_it_rotates_leaves_one_reply(slack, direct, clock, at):
    """The other one keeps one of the two streams and takes the other away."""
    direct.dies_at = at
    session = direct.session()
    session.begin()
    clock.advance(241)
    session.update_progress(READING)
    reached = "chat.stopStream" if at == 2 else "chat.startStream"
    assert slack.wait_until(lambda: len(slack.calls_of(reached)) == at - 1, timeout=60)
    with pytest.raises(Killed):
        session.post_answer(answer())
    direct.dies_at = None
    answered(direct, resumed=True)
    (message,) = direct.thread()
    assert direct.reply_record.replies == (message["ts"],)
    assert direct.texts()[0].startswith("月額は1,000円です。")


def test_a_stream_that_slack_ended_goes_on_as_a_message(slack, direct):
    """A user may stop the stream by Slack's own button while the agent still works."""
    with direct.session() as session:
        session.begin()
        slack.stop_session(USER, direct.incoming.channel, direct.incoming.ts)
        session.update_progress(READING)
        assert slack.wait_until(lambda: slack.calls_of("chat.update"), timeout=60)
        session.post_answer(answer())
    assert len(direct.thread()) == 1


def test_where_streams_are_not_to_be_had_a_message_does(slack, direct):
    slack.faults.next("chat.startStream", Fault(error="channel_type_not_supported"))
    answered(direct)
    assert len(direct.thread()) == 1
    assert direct.texts()[0].startswith("月額は1,000円です。")


@pytest.mark.parametrize("recorded", [True, False])
def test_a_stream_that_a_worker_left_open_is_adopted(slack, direct, recorded):
    """Whether it had recorded it or died right after it was opened."""
    session = direct.session()
    session.begin()
    session.close()
    left = direct.reply_record if recorded else ReplyRecord(stream_since=direct.incoming.ts)
    direct.reply_record = left
    answered(direct, resumed=True)
    assert len(direct.thread()) == 1
    assert direct.texts()[0].startswith("月額は1,000円です。")


def test_a_refusal_in_a_channel_is_for_the_asker_alone(slack, mention):
    mention.session().refuse("お答えできません。")
    assert [told["text"] for told in slack.ephemerals(USER)] == ["お答えできません。"]
    assert mention.thread() == []


def test_a_refusal_of_a_command_goes_through_its_response_url(slack, clock):
    incoming = request(kind=Kind.COMMAND, response_url=response_url(slack))
    Worker(slack, clock, incoming).session().refuse("お答えできません。")
    assert [told["text"] for told in slack.ephemerals(USER)] == ["お答えできません。"]
    assert slack.calls_of("chat.postEphemeral") == ()


@pytest.mark.parametrize("fault", [Fault(drop=True, after=True), Fault(status=500)])
def test_a_refusal_in_a_direct_message_stands_once(slack, direct, fault):
    """Even when it is told again by another worker."""
    slack.faults.next("chat.postMessage", fault)
    direct.session().refuse("お答えできません。")
    direct.session(resumed=True).refuse("お答えできません。")
    assert direct.texts() == ["お答えできません。"]


def test_a_refusal_that_cannot_be_told_is_a_line_in_the_log(slack, mention, caplog):
    slack.faults.next("chat.postEphemeral", Fault(error="user_not_in_channel"))
    mention.session().refuse("お答えできません。")
    assert "refusal_not_told" in caplog.text


def outside(slack, clock):
    """A command where we are no member."""
    channel = slack.workspace.add_channel("elsewhere", is_member=False).id
    address = response_url(slack)
    return Worker(slack, clock, request(kind=Kind.COMMAND, channel=channel, response_url=address))


def test_a_whispered_answer_that_slack_itself_fails_is_tried_again(slack, clock):
    worker = outside(slack, clock)
    slack.faults.next("response_url", Fault(status=503), times=2)
    answered(worker)
    assert len(slack.ephemerals(USER)) == 1


def test_a_whispered_answer_whose_fate_is_unknown_is_not_tried_again(slack, clock):
    """The app cannot see whether it arrived: the caller gets an error that is not retryable, and logs it."""
    worker = outside(slack, clock)
    slack.faults.next("response_url", Fault(drop=True, after=True))
    with pytest.raises(PostError) as failure:
        answered(worker)
    assert not failure.value.retryable
    assert len(slack.ephemerals(USER)) == 1


def test_a_worker_that_dies_while_it_whispers_is_not_repeated(slack, clock, caplog):
    """The answer arrived, but the worker died before it was recorded."""
    worker = outside(slack, clock)
    answered(worker)
    answered(worker, resumed=True)
    assert len(slack.ephemerals(USER)) == 1
    assert "whisper_not_repeated" in caplog.text


def test_a_worker_that_dies_after_a_refusal_is_not_repeated(slack, mention, caplog):
    mention.session().refuse("お答えできません。")
    mention.session(resumed=True).refuse("お答えできません。")
    assert len(slack.ephemerals(USER)) == 1
    assert "whisper_not_repeated" in caplog.text


def test_a_refusal_that_was_not_yet_told_is_told_by_the_next_worker(slack, mention):
    """What is not recorded was not said."""
    mention.dies_at = 0
    with pytest.raises(Killed):
        mention.session().refuse("お答えできません。")
    mention.dies_at = None
    mention.session(resumed=True).refuse("お答えできません。")
    assert len(slack.ephemerals(USER)) == 1


def test_a_whispered_answer_that_was_not_yet_told_is_told_by_the_next_worker(slack, clock):
    worker = outside(slack, clock)
    worker.dies_at = 0
    with pytest.raises(Killed):
        answered(worker)
    worker.dies_at = None
    answered(worker, resumed=True)
    assert len(slack.ephemerals(USER)) == 1


@pytest.mark.parametrize("kind", ["mention", "direct", "command"])
@pytest.mark.parametrize("recorded", [True, False])
def test_a_refusal_ends_what_an_earlier_worker_had_begun(slack, request, kind, recorded):
    """No progress stands for ever in a thread whose asker was refused the second time."""
    worker = request.getfixturevalue(kind)
    before = worker.reply_record
    with worker.session() as session:
        session.begin()
    if not recorded and kind == "mention":
        worker.reply_record = before
    worker.session(resumed=True).refuse("お答えできません。")
    assert worker.texts() == ["お答えできません。"]
    assert slack.ephemerals() == []
    assert not slack.workspace.streams


def test_a_failure_stands_below_an_answer_that_stands(mention):
    """An answer is never replaced by less; the notice is posted once, whoever comes later."""
    answered(mention, answer(files=(csv("a.csv"),)))
    (before, *_) = mention.texts()
    for _ in range(2):
        with mention.session(resumed=True) as session:
            session.begin()
            session.post_notice("うまくいきませんでした。")
            session.settle()
    assert mention.texts() == [before, "", "うまくいきませんでした。"]
    assert mention.files() == ["a.csv"]


OLDER, NEWER = {"short": "短い。", "long": LONG}, {"short": "新しい。", "long": "新しい。" * 6_000}
TWO = [("long", "long"), ("long", "short"), ("short", "long")]


@pytest.mark.parametrize(("older", "newer"), TWO)
@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("after", [False, True])
def test_an_older_answer_stands_until_the_new_one_is_whole(slack, mention, older, newer, at, after):
    """The second worker dies at any call; the third can only say that it gives up, and takes nothing away."""
    answered(mention, answer(OLDER[older]), run="a")
    before = mention.texts()
    with contextlib.suppress(PostError), mention.session(resumed=True, run="b") as second:
        second.begin()
        die_at_call(slack, mention, at, after=after)
        second.post_answer(answer(NEWER[newer]))
    is_replaced = mention.reply_record.replies[0] not in {each["ts"] for each in mention.thread()}
    slack.faults.clear()
    with mention.session(resumed=True, run="c") as session:
        session.begin()
        session.post_notice("うまくいきませんでした。")
        session.settle()
    *texts, last = mention.texts()
    assert last == "うまくいきませんでした。"
    assert not is_replaced
    is_older = texts == before
    assert is_older or "".join(texts).count("新しい。") == NEWER[newer].count("新しい。")


def test_a_new_answer_of_several_messages_takes_the_older_ones_place(slack, mention):
    """Also if Slack refuses its first form, or does not answer for a while."""
    answered(mention, answer(LONG), run="a")
    slack.faults.next(
        "chat.postMessage", Fault(error="msg_too_long"), when=lambda a: '"1"' in str(a["metadata"])
    )
    slack.faults.next("chat.postMessage", Fault(status=500), times=2)
    with mention.session(resumed=True, run="b") as session:
        session.begin()
        session.post_answer(answer(NEWER["long"]))
        session.settle()
    assert "".join(mention.texts()).count("新しい。") == 6_000
    assert [each["ts"] for each in mention.thread()] == list(mention.reply_record.replies)
    assert not any("文です。" in text for text in mention.texts())


@pytest.mark.parametrize(("content", "uploads"), [(b"a,b\r\n", 1), (b"c,d\r\n", 2)])
def test_a_file_of_the_same_name_is_compared_by_its_content(slack, mention, content, uploads):
    """Another worker's table may have other rows, even of the same length."""
    for data in (b"a,b\r\n", content):
        file = GeneratedFile(file_name="a.csv", mime_type="text/csv", content=data)
        answered(mention, answer(files=(file,)), resumed=data is content)
    assert mention.files() == ["a.csv"]
    assert len(slack.calls_of("files.completeUploadExternal")) == uploads


def late(slack, method):
    """The next call of a method gets no answer in time; what Slack does when it carries it out."""
    held = []

    def catch(arguments):
        held.append(dict(arguments))
        return True

    slack.faults.next(method, Fault(drop=True), when=catch)

    def carry_out():
        if held:
            client_of(slack).api_call(method, json=held[0])
            held.clear()

    return carry_out


def test_a_late_progress_update_is_put_right(slack, mention):
    """The update that the app gave up on takes effect after the answer, and after the first look."""
    carry_out = late(slack, "chat.update")
    with mention.session(wait=lambda _: carry_out(), settle_seconds=1) as session:
        session.begin()
        session.update_progress(OPENING)
        assert slack.wait_until(lambda: "chat.update" in mention.reply_record.uncertain)
        session.post_answer(answer())
        session.settle()
    (text,) = mention.texts()
    assert "月額は1,000円です。" in text


def test_a_late_placeholder_does_not_stand_twice(slack, mention):
    carry_out = late(slack, "chat.postMessage")
    with mention.session(wait=lambda _: carry_out(), settle_seconds=1) as session:
        session.begin()
        session.post_answer(answer())
        carry_out()
        assert len(mention.texts()) == 2
        session.settle()
    assert len(mention.texts()) == 1


def test_a_file_that_is_shared_late_is_there_once(slack, mention):
    """The first worker's share takes effect when the second has uploaded the file again."""
    carry_out = late(slack, "files.completeUploadExternal")
    slack.faults.next("files.completeUploadExternal", Fault(status=500), times=3)
    slack.faults.next("chat.postMessage", Fault(error="internal_error"), when=lambda a: "file0" in str(a))
    answered(mention, answer(files=(csv("a.csv"),)))
    with mention.session(resumed=True, wait=lambda _: carry_out(), settle_seconds=1) as session:
        session.begin()
        session.post_answer(answer(files=(csv("a.csv"),)))
        session.settle()
    assert mention.files() == ["a.csv"]


def test_a_failure_that_was_told_is_taken_back_when_the_file_is_shared_late(slack, mention):
    carry_out = late(slack, "files.completeUploadExternal")
    slack.faults.next("files.completeUploadExternal", Fault(status=500), times=3)
    with mention.session(wait=lambda _: carry_out(), settle_seconds=1) as session:
        session.begin()
        session.post_answer(answer(files=(csv("a.csv"),)))
        assert len(mention.texts()) == 2
        session.settle()
    assert (len(mention.texts()), mention.files()) == (2, ["a.csv"])
    assert not any(wording.upload_failed("a.csv") == text for text in mention.texts())


def test_a_reply_without_a_doubt_is_not_read_back(slack, mention):
    with mention.session(wait=lambda _: pytest.fail("waited"), settle_seconds=1) as session:
        session.begin()
        session.post_answer(answer())
        session.settle()
    assert slack.calls_of("conversations.replies") == ()


def test_an_answer_that_is_complete_is_not_asked_for_again(slack, mention):
    """The first worker died while it waited for the second look."""
    slack.faults.next("chat.update", Fault(status=500, after=True))
    with contextlib.suppress(Killed), mention.session(wait=dies, settle_seconds=1) as session:
        session.begin()
        session.post_answer(answer(files=(csv("a.csv"),)))
        session.settle()
    with mention.session(resumed=True, wait=lambda _: None) as session:
        assert session.is_complete()
        session.settle()
    assert mention.files() == ["a.csv"]


def test_an_answer_that_was_overwritten_late_is_asked_for_again(slack, mention):
    carry_out = late(slack, "chat.update")
    with contextlib.suppress(Killed), mention.session(wait=dies, settle_seconds=1) as session:
        session.begin()
        session.update_progress(OPENING)
        assert slack.wait_until(lambda: "chat.update" in mention.reply_record.uncertain)
        session.post_answer(answer())
        session.settle()
    with mention.session(resumed=True, wait=lambda _: carry_out()) as session:
        assert session.is_complete()
        with pytest.raises(AnswerOverwritten):
            session.settle()
    assert not mention.session(resumed=True).is_complete()


def dies(_seconds):
    raise Killed


METHODS = (
    "chat.postMessage",
    "chat.update",
    "files.getUploadURLExternal",
    "files.completeUploadExternal",
    "agents.sessions.setStatus",
)


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_that_may_not_write_sends_nothing(slack, mention, method):
    """The claim is lost before a call: this call and all later ones are not made."""
    calls = []

    def require():
        calls.append(True)
        if len(slack.calls_of(method)) >= 1:
            raise ClaimLost

    with pytest.raises(ClaimLost):
        answered(mention, answer(LONG, files=(csv("a.csv"), csv("b.csv"))), require=require)
    assert len(slack.calls_of(method)) == 1
    assert calls


def test_a_call_that_the_sdk_repeats_asks_the_fence_again(slack, mention):
    """A worker that stood still in the wait between two tries must not send the second."""
    slack.faults.next("chat.update", Fault(status=503), times=5)
    allowed = iter([True] * 3)

    def require():
        if not next(allowed, False):
            raise ClaimLost

    with pytest.raises(ClaimLost):
        answered(mention, require=require)
    assert len(slack.calls_of("chat.update")) == 1


def test_a_slack_that_is_down_ends_in_an_error(slack, mention):
    slack.faults.next("*", Fault(status=500), times=1_000)
    with mention.session() as session, pytest.raises(SlackDown):
        session.begin()


def test_sources_are_links(mention):
    answered(mention, answer(sources=(Source(number=1, title="題", url="https://a.example/"),)))
    assert "[題](https://a.example/)" in mention.texts()[0]
