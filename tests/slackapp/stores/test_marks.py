"""A mark is written once; the first writer wins, also against itself."""

from concurrent.futures import ThreadPoolExecutor

from tests.fakes.dynamodb import FUTURE

NOW = FUTURE + 0.25


def marked(store, mark, *, name="next:T1:x", now=NOW, expires_at=NOW + 60):
    return store.mark_once(name, mark, now=now, expires_at=expires_at)


def test_the_first_mark_stays(store):
    """The same mark may come again: Slack repeats events."""
    assert marked(store, "1.1")
    assert not marked(store, "1.2")
    assert marked(store, "1.1")
    assert marked(store, "1.2", name="next:T1:y")


def test_an_expired_mark_counts_as_gone(store):
    assert marked(store, "1.1", expires_at=NOW + 5)
    assert not marked(store, "1.2", now=NOW + 5)
    assert marked(store, "1.2", now=NOW + 6)


def test_of_many_at_once_one_wins(store):
    with ThreadPoolExecutor(10) as pool:
        won = list(pool.map(lambda number: marked(store, f"1.{number}"), range(10)))
    assert won.count(True) == 1
