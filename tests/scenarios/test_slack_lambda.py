"""The app on Lambda: two functions under the real `awslambdaric`, queues between them, DynamoDB Local."""

import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace

import pytest
from slack_sdk.signature import SignatureVerifier

from slackapp import settings, wording
from slackapp.codes import RefusalCode
from slackapp.playground.events.transports import Signature
from slackapp.playground.server import LocalSlack
from slackapp.playground.webapi.faults import Fault
from slackapp.stores.opening import open_store
from tests.fakes.answers import answer
from tests.fakes.api_gateway import PATH, ApiGateway, event_of
from tests.fakes.dynamodb import own_credentials
from tests.fakes.gate import Gate
from tests.fakes.lambda_fork import Forked
from tests.fakes.lambda_runtime import FunctionFailed, LambdaRuntime
from tests.fakes.slack_functions import SlackFunctions
from tests.fakes.sqs import Queues
from tests.fakes.sqs import event_of as queued
from tests.fakes.ssm import ParameterStore
from tests.fakes.web import FakeWeb
from tests.slackapp.stage import CHANNEL, SECRET, TEAM, TOKEN, USER, install, ours, said

ANSWER, SWEEP = "tests.fakes.quick_lambda.answer", "tests.fakes.quick_lambda.sweep"
LEASE = 0.9
PAGES = 2
"""Each has a table, so that an answer from both takes two messages."""
PARAGRAPH = f"<p>コーヒー豆の価格は千二百円です。{'詳しい説明がここに続きます。' * 3}"


def _html(name):
    rows = "<tr><th>品名<th>価格<tr><td>豆<td>1,200<tr><td>紅茶<td>900"
    return f"<title>{name}</title><article>{PARAGRAPH * 6}<table><caption>{name}</caption>{rows}</table>"


@dataclass(frozen=True)
class Case:
    """A question, and the moment when whoever works on it is killed."""

    name: str
    method: str = ""
    """Of Slack's, that is being called; without one the agent is reading a page."""
    after: bool = False
    """Slack has done its work, and nobody has heard of it."""
    says: str = ""
    """What the call's arguments have in them."""
    tied: bool = True
    """Whether they have the question's timestamp in them too."""
    csv: str = ""
    """Of an answer that is a file, the file's name."""
    channel: str = CHANNEL

    def __str__(self):
        return self.name

    def hold(self, slack, ts):
        def fits(arguments):
            said = json.dumps(arguments, ensure_ascii=False).replace("\\", "")
            return all(word in said for word in (self.says, ts if self.tied else ""))

        fault = Fault(hold=threading.Event(), after=self.after, drop=not self.after)
        slack.faults.next(self.method, fault, when=fits)


PLACEHOLDER, SECOND, FINAL = '"part": "0"', '"part": "1"', '"sort": "answer"'
CASES = (
    Case("claimed", "conversations.info", says="C0RANDOM", tied=False, channel="C0RANDOM"),
    Case("before the placeholder", "chat.postMessage", says=PLACEHOLDER),
    Case("after the placeholder", "chat.postMessage", after=True, says=PLACEHOLDER),
    Case("while a page is read"),
    Case("before the answer", "chat.update", says=FINAL),
    Case("after the answer", "chat.update", after=True, says=FINAL),
    Case("before the second part", "chat.postMessage", says=SECOND),
    Case("after the second part", "chat.postMessage", after=True, says=SECOND),
    Case("file announced", "files.getUploadURLExternal", after=True, says="豆.csv", tied=False, csv="豆.csv"),
    Case("file uploaded", "files.completeUploadExternal", csv="紅茶.csv"),
    Case("file shared", "files.completeUploadExternal", after=True, csv="緑茶.csv"),
    Case("before the end", "agents.sessions.setStatus", says="active"),
)


@pytest.fixture(scope="module")
def web():
    """Pages on loopback, where a function may go because its settings say so."""
    with FakeWeb() as running:
        for name in (*range(PAGES), *(case.csv.removesuffix(".csv") for case in CASES if case.csv)):
            running.page(_page(running, name), _html(name))
        yield running


def _page(web, name):
    return f"http://127.0.0.1:{web.port}/{name}"


@pytest.fixture(scope="module")
def slack():
    with LocalSlack(own_events=False, ack_timeout=30) as running:
        yield running


@pytest.fixture(scope="module")
def environ(web, slack, shared_dynamodb):
    """The function's variables, as somebody would set them."""
    return {
        **own_credentials(),
        **{name.upper(): str(value) for name, value in shared_dynamodb.items()},
        "SLACK_BOT_TOKEN": TOKEN,
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_API_URL": slack.api_url,
        "ACCESS_MODE": "open",
        "RATE_LIMIT_PER_MINUTE": "6000",
        "MODEL_PROVIDER": "offline",
        "WEBFETCH_SECURITY__ALLOW_INSECURE_OVERRIDES": "true",
        "WEBFETCH_SECURITY__BLOCK_LOOPBACK": "false",
        "WEBFETCH_SECURITY__ALLOWED_PORTS": f"[{web.port}]",
        "WEBFETCH_BROWSER__ENABLED": "false",
        "WEBFETCH_CACHE_DIR": "",
    }


@contextmanager
def _serving(slack, function):
    """Has Slack's requests go to a function."""
    with function, ApiGateway(function) as gateway:
        install(slack, gateway.url)
        yield function


@pytest.fixture(scope="module")
def function(environ, slack):
    """A worker that survives a test is used by the next."""
    with _serving(slack, SlackFunctions(environ)) as running:
        yield running


def _mention(slack, question, channel=CHANNEL):
    """Somebody asks, and Slack tells nobody yet: the timestamp, and the body of the `app_mention`."""
    ts = slack.say(USER, channel, f"<@{slack.app.bot_user}> {question}", deliver=False)
    return ts, slack.bodies(channel, ts)


def _long(web):
    return f"{' '.join(_page(web, number) for number in range(PAGES))} 豆の価格は？"


def test_a_mention_is_answered_once(slack, function, web):
    """Both of its events and Slack's three retries each start a lazy run; one of these answers."""
    hold = threading.Event()
    slack.faults.next("chat.postMessage", Fault(hold=hold))
    ts, bodies = _mention(slack, _long(web))
    assert slack.deliver(bodies[0])[0].result().status == 200
    assert slack.wait_until(lambda: slack.faults.held, timeout=60)
    for number, body in enumerate((bodies[1], *[bodies[0]] * 3)):
        assert slack.deliver(body, retry_num=number)[0].result().status == 200
        assert function.settle(left=1)
    hold.set()
    assert function.settle()
    words, files = said(slack, CHANNEL, ts)
    assert ([word[:2] for word in words], files) == ([("answer", "0"), ("answer", "1")], [])
    assert function.log.count("already_claimed") == 4
    assert function.queues.failed == []
    assert slack.ephemerals() == []


@pytest.mark.parametrize(
    ("body", "signature", "status"),
    [
        (b"{}", Signature.FORGED, 401),
        (b"{}", Signature.STALE, 401),
        (b"{}", Signature.MISSING, 401),
        (b"not JSON", Signature.VALID, 400),
        (b"[]", Signature.VALID, 400),
        (b'{"type": "url_verification", "challenge": "x"}', Signature.VALID, 200),
    ],
)
def test_what_slack_did_not_send_goes_no_further(slack, function, body, signature, status):
    """It is refused where it arrives, and starts no second invocation."""
    [sent] = slack.deliver(body, signature=signature)
    assert sent.result().status == status
    assert function.answering.busy == 0
    assert function.queues.failed == []


def test_a_cold_start_acknowledges_without_what_answers(slack, environ, web):
    """The first request of a new worker needs neither the agent nor its model nor a parser."""
    ts, bodies = _mention(slack, _page(web, 0))
    with SlackFunctions(environ, handler="tests.fakes.slack_function.handler") as function:
        acknowledged = function.invoke(event_of(PATH, *_signed(bodies[0])))
        assert function.settle()
        assert acknowledged["statusCode"] == 200
        assert acknowledged["headers"]["x-imported"] == ""
    assert len(ours(slack, CHANNEL, ts)) == 1


def _message(body, age=0):
    """A request of Slack in a queue, with the listener that it was handed over to."""
    headers, text = _signed(body, age)
    named = {name.lower(): value for name, value in headers.items()}
    lazy = {"x-slack-bolt-lazy-only": "1", "x-slack-bolt-lazy-function-name": "answer_later"}
    return json.dumps({"headers": named | lazy, "body": text.decode()})


def test_a_store_that_cannot_be_shared_is_refused(environ):
    """SQLite's file would be each worker's own; the function fails, and the queue delivers again."""
    named = {name: value for name, value in environ.items() if not name.startswith("DYNAMODB")}
    with (
        LambdaRuntime(ANSWER, named, name="alone", start=Forked) as function,
        pytest.raises(FunctionFailed, match="SQLite cannot be shared on Lambda") as failed,
    ):
        function.invoke(queued(_message({})))
    assert failed.value.error_type == "ConfigurationError"


def test_what_no_queue_takes_is_repeated_or_told(slack, function, web):
    """A passing fault is repeated at once; after a longer one Slack sends events again, and the user of a
    command is told."""
    throttled, denied = (403, "RequestThrottled"), (403, "AccessDenied")
    ts, bodies = _mention(slack, _page(web, 0))
    function.queues.refusals = [denied]
    assert slack.deliver(bodies[0])[0].result().status == 500
    function.queues.refusals = [throttled]
    assert slack.deliver(bodies[0], retry_num=1)[0].result().status == 200
    assert function.settle()
    assert len(ours(slack, CHANNEL, ts)) == 1
    function.queues.refusals = [denied]
    command = slack.command(USER, CHANNEL, "/fetch", "https://a.example/")
    assert (command.status, command.text) == (200, wording.refusal(RefusalCode.STORE_UNAVAILABLE))
    assert function.log.count("not_handed_over") == 2


@pytest.mark.usefixtures("function")
def test_a_request_that_waited_is_claimed_and_answered_once(slack, environ, web):
    """Its signature is too old for a request from outside, but not for one from our own queue. What Slack
    did not sign, or another version sent, is not dropped: it comes back, and operators find it in the end."""
    ts, bodies = _mention(slack, _page(web, 0))
    queues = Queues()
    with LambdaRuntime(ANSWER, environ | queues.environ, name="answer", start=Forked) as function:
        for body in (*bodies, bodies[0]):
            function.invoke(queued(_message(body, age=600)))
        with pytest.raises(FunctionFailed, match="wrong_signature"):
            function.invoke(queued(_message(bodies[0]).replace('"body": "', '"body": " '), 2))
        with pytest.raises(FunctionFailed, match="no_such_listener"):
            function.invoke(queued(_message(bodies[0]).replace("answer_later", "no_such_listener"), 6))
    queues.close()
    assert len(ours(slack, CHANNEL, ts)) == 1
    assert queues.delays == [120, 900]


@pytest.mark.usefixtures("function")
def test_what_the_store_refuses_is_told_the_last_time(slack, environ):
    """Before that the invocation fails, so that it is tried again; and nothing is said."""
    queues = Queues()
    refused = environ | queues.environ | {"DYNAMODB_TABLE_PREFIX": "missing-"}
    _, bodies = _mention(slack, "https://a.example/ は？")
    before = len(slack.ephemerals())
    with LambdaRuntime(ANSWER, refused, name="answer", start=Forked) as function:
        for receipts in (1, 7):
            with pytest.raises(FunctionFailed, match="ResourceNotFoundException"):
                function.invoke(queued(_message(bodies[0]), receipts))
        assert len(slack.ephemerals()) == before
        for body in bodies:
            function.invoke(queued(_message(body), 8))
    queues.close()
    [told] = slack.ephemerals()[before:]
    assert told["text"] == wording.refusal(RefusalCode.STORE_UNAVAILABLE)


@pytest.mark.usefixtures("function")
def test_the_rows_of_a_workspace_that_the_store_does_not_delete_are_deleted_the_next_time(slack, environ):
    """The invocation fails, so that the queue delivers the event again."""
    queues = Queues()
    working = environ | queues.environ
    store, name = open_store(settings.load(environ), {}), f"thread:{TEAM}:C1:1.1"
    store.link_claim(name, "key", expires_at=time.time() + 600)
    _, [body, _] = _mention(slack, "https://a.example/ は？")
    left = _message(body | {"event": {"type": "app_uninstalled"}}).replace("answer_later", "forget_workspace")
    refused = working | {"DYNAMODB_TABLE_PREFIX": "missing-"}
    with (
        LambdaRuntime(ANSWER, refused, name="answer", start=Forked) as function,
        pytest.raises(FunctionFailed, match="ResourceNotFoundException"),
    ):
        function.invoke(queued(left))
    assert store.linked_claim_key(name, now=time.time()) == "key"
    with LambdaRuntime(ANSWER, working, name="answer", start=Forked) as function:
        function.invoke(queued(left, 2))
    assert store.linked_claim_key(name, now=time.time()) is None
    store.close()
    queues.close()


def _signed(body, age=0):
    text, now = json.dumps(body), str(int(time.time()) - age)
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=now, body=text)
    assert signature
    headers = {"Content-Type": "application/json", "X-Slack-Request-Timestamp": now}
    return headers | {"X-Slack-Signature": signature}, text.encode()


@pytest.fixture(scope="module")
def aftermath(slack, web, environ):
    """In every case the lazy run is killed, one after another; then the scheduled function comes.

    Where the replies are, and how one reads that nobody interrupted.
    """
    places: dict[Case, str] = {}
    with _serving(slack, SlackFunctions(environ, start=Forked)) as function:
        quiet = _asked(slack, _long(web))
        assert function.settle()
        for case in CASES:
            places[case] = _killed(slack, function, web, case)
        assert len(function.queues.failed) == len(CASES)
    with LambdaRuntime(SWEEP, environ, name="sweep", timeout=900, start=Forked) as sweeper:
        assert _swept(sweeper, environ)
    return places, said(slack, CHANNEL, quiet)


def _killed(slack, function, web, case):
    """Asks, and kills whoever answers when it has come to the case's moment."""
    gate = Gate()
    web.route(_page(web, "slow"), gate.before(answer(_html("slow"))))
    ts = _asked(slack, _question(web, case), case)
    if case.method:
        assert slack.wait_until(lambda: slack.faults.held, timeout=60)
    else:
        assert gate.wait_until_held(1, within=60)
    assert function.answering.kill() == 1
    slack.faults.clear()
    gate.open()
    assert function.settle()
    assert slack.wait_until(lambda: not slack.faults.held, timeout=60)
    return ts


def _question(web, case):
    if case.csv:
        return f"{_page(web, case.csv.removesuffix('.csv'))} の料金表をCSVにして"
    return _long(web) if case.method else f"{_page(web, 'slow')} 豆の価格は？"


def _asked(slack, question, case=None):
    """Asks, and returns when that has been acknowledged; the timestamp."""
    ts, bodies = _mention(slack, question, case.channel if case else CHANNEL)
    if case and case.method:
        case.hold(slack, ts)
    [sent] = slack.deliver(bodies[0])
    assert sent.result().status == 200
    return ts


def _swept(sweeper, environ):
    """Whether no claim is left after some rounds; one that is left has expired by tomorrow."""
    store = open_store(settings.load(environ), {})
    try:
        for _ in range(30):
            sweeper.invoke({})
            if not store.expired_claims(now=time.time() + 12 * 3600, limit=100):
                return True
            time.sleep(LEASE / 3)
        return False
    finally:
        store.close()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_lazy_run_that_was_killed_ends_in_one_reply(slack, aftermath, case):
    """Its parts once each, its file once, by the scheduled function alone."""
    places, quiet = aftermath
    words, files = said(slack, case.channel, places[case])
    if case.csv or not case.method:
        assert ([word[:2] for word in words], files) == ([("answer", "0")], [case.csv] if case.csv else [])
    else:
        assert (words, files) == quiet
        assert [word[:2] for word in words] == [("answer", "0"), ("answer", "1")]


FROZEN = [
    case for case in CASES if case.name in ("after the placeholder", "before the answer", "file uploaded")
]


def test_a_sandbox_that_was_frozen_longer_than_its_lease_changes_nothing(slack, web, environ):
    """In the middle of an invocation: another function has ended its questions. Between two invocations: it
    answers the next question."""
    with _serving(slack, SlackFunctions(environ, timeout=120, start=Forked)) as function:
        places = {}
        for number, case in enumerate(FROZEN, 1):
            places[case] = _asked(slack, _question(web, case), case)
            assert slack.wait_until(lambda: slack.faults.held, timeout=60)
            assert function.answering.freeze() == number
            slack.faults.clear()
            assert slack.wait_until(lambda: not slack.faults.held, timeout=60)
        before = _asked(slack, _page(web, 0))
        assert function.settle(left=len(FROZEN))
        with LambdaRuntime(SWEEP, environ, name="sweep", timeout=900, start=Forked) as sweeper:
            assert _swept(sweeper, environ)
        ended = {case: said(slack, CHANNEL, ts) for case, ts in places.items()}
        after = _asked(slack, _page(web, 1))
        assert function.settle(left=len(FROZEN))
        function.answering.thaw()
        assert function.settle()
        assert function.queues.failed == []
    for case, ts in places.items():
        words, files = said(slack, CHANNEL, ts)
        assert (words, files) == ended[case]
        parts = 1 if case.csv else PAGES
        assert [word[:2] for word in words] == [("answer", str(part)) for part in range(parts)]
        assert files == ([case.csv] if case.csv else [])
    assert [len(ours(slack, CHANNEL, ts)) for ts in (before, after)] == [1, 1]


def test_secrets_may_be_stored_and_changed_while_sandboxes_run(slack, environ, web):
    """Nothing is deployed in between: the sandboxes that had no secret, or an old one, go on with the new."""
    ssm = ParameterStore()
    names = {name: f"/app/dev/{name}" for name in ("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET")}
    own = {name: value for name, value in environ.items() if name not in names}
    own |= {"AWS_ENDPOINT_URL_SSM": ssm.url, "SECRET_PARAMETERS": ",".join(names.values())}
    handler, answers = "tests.fakes.slack_function.quick_handler", "tests.fakes.slack_function.quick_answer"
    with _serving(slack, SlackFunctions(own, start=Forked, handler=handler, answer=answers)) as functions:
        ts, bodies = _mention(slack, _page(web, 0))
        assert slack.deliver(bodies[0])[0].result().status == 500
        ssm.kept = {names["SLACK_SIGNING_SECRET"]: "of another app", names["SLACK_BOT_TOKEN"]: TOKEN}
        assert slack.deliver(bodies[0])[0].result().status == 401
        ssm.kept[names["SLACK_SIGNING_SECRET"]] = SECRET
        assert slack.deliver(bodies[0])[0].result().status == 200
        assert functions.settle()
        assert len(ours(slack, CHANNEL, ts)) == 1
        reads, changed = len(ssm.asked), f"{TOKEN}-2"
        ssm.kept[names["SLACK_BOT_TOKEN"]] = changed
        slack.install(replace(slack.app, bot_token=changed))
        again = _asked(slack, _page(web, 1))
        assert functions.settle()
        assert len(ours(slack, CHANNEL, again)) == 1
        assert len(ssm.asked) > reads
    ssm.close()


def test_answers_under_way_keep_no_other_request_waiting(slack, environ, web):
    """With one answer at a time: another question waits in the queue, acknowledged; a stop does not wait."""
    hold = threading.Event()
    slack.faults.next("chat.postMessage", Fault(hold=hold))
    queues = Queues(at_once={"questions": 1})
    with _serving(slack, SlackFunctions(environ, queues=queues, start=Forked)) as functions:
        first = _asked(slack, _page(web, 0))
        assert slack.wait_until(lambda: slack.faults.held, timeout=60)
        second = _asked(slack, _page(web, 1))
        slack.react(USER, CHANNEL, first, "x")
        assert slack.wait_until(lambda: len(queues.sent) == 3, timeout=60)
        assert functions.settle(left=2)  # the first answer, and the second question
        hold.set()
        assert functions.settle()
    assert [name for name, _ in queues.sent] == ["questions", "questions", "requests"]
    assert [len(ours(slack, CHANNEL, ts)) for ts in (first, second)] == [1, 1]
    assert wording.stopped() in str(ours(slack, CHANNEL, first))
