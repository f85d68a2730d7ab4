"""What was looked up is remembered for a while."""

from tests.fakes.dynamodb import FUTURE

NOW = FUTURE


def test_a_value_is_remembered_until_it_expires(store):
    store.remember("name:T1:U1", "山田", expires_at=NOW + 300)
    assert store.recall("name:T1:U1", now=NOW + 299) == "山田"
    assert store.recall("name:T1:U1", now=NOW + 300) is None
    assert store.recall("name:T1:U2", now=NOW) is None


def test_the_last_value_counts(store):
    store.remember("a", "1", expires_at=NOW + 1)
    store.remember("a", "", expires_at=NOW + 9)
    assert store.recall("a", now=NOW + 5) == ""


def test_several_are_kept_and_recalled_together(store):
    store.remember_all({"a": "1", "b": "2"}, expires_at=NOW + 300)
    store.remember("c", "3", expires_at=NOW)
    assert store.recall_all(("a", "b", "c", "d"), now=NOW) == {"a": "1", "b": "2"}
