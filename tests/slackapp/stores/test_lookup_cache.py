"""What was looked up is remembered for a while."""

from tests.fakes.dynamodb import FUTURE

NOW = FUTURE


def test_a_value_is_remembered_until_it_expires(store):
    store.cache_values({"name:T1:U1": "山田"}, expires_at=NOW + 300)
    assert store.cached_values(["name:T1:U1"], now=NOW + 299).get("name:T1:U1") == "山田"
    assert store.cached_values(["name:T1:U1"], now=NOW + 300).get("name:T1:U1") is None
    assert store.cached_values(["name:T1:U2"], now=NOW).get("name:T1:U2") is None


def test_several_are_kept_and_recalled_together(store):
    store.cache_values({"a": "1", "b": "2"}, expires_at=NOW + 300)
    store.cache_values({"c": "3"}, expires_at=NOW)
    assert store.cached_values(("a", "b", "c", "d"), now=NOW) == {"a": "1", "b": "2"}
