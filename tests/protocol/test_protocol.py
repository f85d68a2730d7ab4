"""docs/protocol.md keeps its promises in every state, and does not without its four main rules."""

import pytest

from tests.protocol.search import judged, search
from tests.protocol.states import MOST_RUNS, PROGRESS, Message, Row, Rules, State, Worker

WORKERS = (Worker(),) * 3


@pytest.mark.parametrize(
    ("begin", "floor"),
    [
        pytest.param(State(stops=0), 100_000, id="a crash, a pause and a fault"),
        pytest.param(State(faults=0), 25_000, id="a crash, a pause and a stop"),
        pytest.param(State(crashes=0), 20_000, id="a pause, a fault and a stop"),
        pytest.param(State(pauses=0, faults=2), 60_000, id="a crash, two faults and a stop"),
    ],
)
def test_there_is_one_reply_and_each_file_once(begin, floor):
    """Faults are requests that Slack loses, carries out late, or whose responses are lost."""
    found = search([begin._replace(workers=WORKERS)], Rules())
    assert found.violation == "", found.trace
    assert found.states >= floor
    assert found.ends > 100


def test_a_question_that_ends_every_worker_is_given_up_below_what_stands():
    begin = State(workers=(Worker(),) * 4, crashes=MOST_RUNS + 1, pauses=0, faults=0, stops=0)
    found = search([begin], Rules())
    assert found.violation == "", found.trace
    assert found.ends > 20


@pytest.mark.parametrize(
    ("rules", "begin"),
    [
        pytest.param(Rules(fence=False), State(faults=0, stops=0, crashes=0), id="the fence"),
        pytest.param(Rules(read_back=False), State(pauses=0, stops=0), id="the read-back"),
        pytest.param(Rules(tombstone=False), State(faults=0, crashes=0, pauses=0), id="the tombstone"),
        pytest.param(Rules(margin=False), State(faults=0, stops=0, crashes=0), id="the margin for skew"),
    ],
)
def test_it_fails_without(rules, begin):
    assert search([begin._replace(workers=WORKERS)], rules).violation


def test_the_judge_sees_what_is_left():
    """A progress message that stands after the end is a violation."""
    state = State(row=Row("done", runs=1), workers=WORKERS, messages=(Message(0, 0, PROGRESS),))
    assert judged(state)
