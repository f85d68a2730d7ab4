"""The soak's books: each way in which they may fail to balance is found, and nothing else."""

import pytest

from slackapp.slack.message import Mark, MessageKind
from slackapp.stores.sqlite import SQLiteStore
from tests.soak import audit
from tests.soak.books import Books, Evidence, seconds
from tests.soak.questions import Way, draw

BOT, USER, CHANNEL, KEY = "UBOT", "UASKER", "C1", "T:C1:1.0"


class Ledger:
    """Books with one question, and a Slack to put messages into."""

    def __init__(self, way=Way.MENTION, *, acknowledged=True):
        self.messages: dict[tuple[str, str], dict[str, object]] = {}
        self.books = Books([BOT], lambda channel, ts: self.messages.get((channel, ts)))
        number = next(number for number in range(1, 10_000) if draw(1, number, 2).way is way)
        self.question = draw(1, number, 2)
        self.entry = self.books.ask(self.question, (CHANNEL, USER), KEY)
        if acknowledged:
            self.books.acknowledge(*KEY.split(":")[1:])

    def post(self, ts, part="0", sort=MessageKind.ANSWER, key=KEY, **fields):
        metadata = Mark(key=key, part=part).metadata(sort) if key else {}
        message = {"ts": ts, "user": BOT, "metadata": metadata, **fields}
        self.messages[CHANNEL, ts] = message
        self.books.take({"type": "message", "channel": CHANNEL, "message": message})

    def file(self, ts, name=None):
        shown = [{"name": name or f"q{self.question.number}.csv"}]
        self.post(ts, key="", files=shown)

    def remove(self, ts):
        self.books.take({"type": "removed", "channel": CHANNEL, "ts": ts})

    def whisper(self, user=USER, via="chat.postEphemeral"):
        self.books.take({"type": "ephemeral", "message": {"channel": CHANNEL, "to": user, "via": via}})

    def wrong(self, **evidence):
        return self.books.discrepancies(Evidence(**evidence))


@pytest.fixture
def ledger():
    return Ledger()


def test_one_answer_balances(ledger):
    """Progress that became an answer, in two parts, with its file."""
    ledger.post("2.0", sort=MessageKind.PROGRESS)
    ledger.post("2.0")
    ledger.post("2.1", part="1")
    ledger.file("2.2")
    assert ledger.wrong() == []
    assert len(seconds(ledger.books.entries)) == 1
    assert ledger.books.open == 0


def test_what_the_app_never_acknowledged_is_slacks_to_lose():
    assert Ledger(acknowledged=False).wrong() == []
    assert "heard nothing" in Ledger().wrong()[0]


@pytest.mark.parametrize("way", [Way.EMPTY, Way.OUTSIDE, Way.MENTION])
def test_one_whisper_balances(way):
    ledger = Ledger(way)
    assert ledger.books.open == 1
    ledger.whisper()
    assert ledger.wrong() == []
    assert ledger.books.open == 0


def test_a_refusal_in_a_direct_message_balances(ledger):
    ledger.post("2.0", part="refusal", sort=MessageKind.NOTICE)
    assert ledger.wrong() == []


def test_a_question_whose_asker_could_not_be_told_balances(ledger):
    """The log says why, or Slack itself told the asker, or the asker has stopped it before it was claimed."""
    assert "heard nothing" in ledger.wrong()[0]
    assert ledger.wrong(untold={KEY}) == []
    ledger.entry.slack_said = True
    assert ledger.wrong() == []
    ledger.entry.slack_said = False
    ledger.books.stop(KEY)
    assert ledger.wrong() == []


def _twice(ledger):
    ledger.post("2.0")
    ledger.post("2.1")


def _gap(ledger):
    ledger.post("2.0")
    ledger.post("2.1", part="2")


def _progress_left(ledger):
    ledger.post("2.0", sort=MessageKind.PROGRESS)


def _refused_and_answered(ledger):
    ledger.post("2.0")
    ledger.post("2.1", part="refusal", sort=MessageKind.NOTICE)


def _whispered_and_answered(ledger):
    ledger.post("2.0")
    ledger.whisper()


def _whispered_twice(ledger):
    ledger.whisper()
    ledger.whisper()


def _whispered_to_another(ledger):
    ledger.whisper("USOMEBODY")


def _file_twice(ledger):
    ledger.post("2.0")
    ledger.file("2.1")
    ledger.file("2.2")


def _file_alone(ledger):
    ledger.post("2.0", sort=MessageKind.NOTICE)
    ledger.file("2.1")


def _file_of_nobody(ledger):
    ledger.post("2.0")
    ledger.file("2.1", "another.csv")


def _stray(ledger):
    ledger.post("2.0")
    ledger.post("2.1", key="")


def _key_of_nobody(ledger):
    ledger.post("2.0")
    ledger.post("2.1", key="T:C1:9.9")


DISCREPANCIES = {
    _twice: "stands 2 times",
    _gap: "not whole",
    _progress_left: "never replaced",
    _refused_and_answered: "refused and answered",
    _whispered_and_answered: "too often",
    _whispered_twice: "too often",
    _whispered_to_another: "heard nothing",
    _file_twice: "file stands 2 times",
    _file_alone: "file without its message",
    _file_of_nobody: "belongs to no question",
    _stray: "belongs to no question",
    _key_of_nobody: "belongs to no question",
}


@pytest.mark.parametrize("happen", DISCREPANCIES, ids=lambda happen: happen.__name__[1:])
def test_what_does_not_balance_is_found(ledger, happen):
    happen(ledger)
    assert DISCREPANCIES[happen] in "\n".join(ledger.wrong())


@pytest.mark.parametrize("happen", [_twice, _file_twice, _stray], ids=lambda happen: happen.__name__[1:])
def test_what_was_taken_away_counts_no_more(ledger, happen):
    """A duplicate that the app itself removes is no discrepancy."""
    happen(ledger)
    ledger.remove("2.1")
    assert ledger.wrong() == []


def test_a_stream_belongs_to_its_question_once_it_is_marked(ledger):
    ledger.post("2.0", key="")
    assert ledger.wrong() != []
    ledger.post("2.0")
    assert ledger.wrong() == []


def test_an_answer_to_what_had_to_be_refused_is_found():
    ledger = Ledger(Way.SHARED)
    ledger.post("2.0")
    assert "had to be refused" in ledger.wrong()[0]


def test_a_lease_that_is_left_is_found(ledger):
    ledger.post("2.0")
    assert ledger.wrong(leases=[KEY]) == [f"{KEY}: a lease is left"]


def test_a_command_has_its_key_once_it_is_delivered():
    """What comes after that is its own."""
    ledger = Ledger(Way.COMMAND)
    ledger.books.name(ledger.question.number, "T:trigger:1")
    ledger.post("2.0", key="T:trigger:1")
    assert ledger.wrong() == []


def test_what_an_acknowledgement_says_is_no_whisper(ledger):
    ledger.whisper(via="ack")
    assert "heard nothing" in ledger.wrong()[0]


@pytest.fixture
def stores(tmp_path):
    """A store for each team."""
    made = [SQLiteStore(tmp_path / f"{team}.sqlite3") for team in range(2)]
    for store in made:
        store.create_tables()
    yield made
    for store in made:
        store.close()


CLAIM = {"owner": "a worker", "now": 1.0, "lease_until": 2.0, "expires_at": 9e9}


def test_a_claim_that_is_not_done_is_a_lease(stores):
    stores[1].claim(KEY, "{}", **CLAIM)
    assert audit.leases(stores) == [KEY]
    stores[1].finish(KEY, owner="a worker")
    assert audit.leases(stores) == []
