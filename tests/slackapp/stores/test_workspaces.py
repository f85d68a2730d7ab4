"""A workspace that leaves takes its rows with it, and nobody else's."""

from slackapp.listeners.incoming import Name
from slackapp.stores.contract import Entity, WhitelistEntry
from tests.fakes.dynamodb import FUTURE

NOW, LATER = FUTURE + 0.25, FUTURE + 3600
PLACE = ("C1", "1.1")


def fill(store, team, claims=1):
    for number in range(claims):
        store.claim(f"{team}:C1:{number}.1", "{}", owner="w", now=NOW, lease_until=NOW + 60, expires_at=LATER)
    store.link_claim(Name.THREAD.of(team, *PLACE), f"{team}:C1:1.1", expires_at=LATER)
    store.link_claim(Name.REPLY.of(team, *PLACE), f"{team}:C1:1.1", expires_at=LATER)
    store.add_known_urls(Name.KNOWN_URLS.of(team, *PLACE), ["https://a.example/"], now=NOW, expires_at=LATER)
    store.toggle_feedback(f"feedback:{team}:C1:1.1:U1", "good", press="1", now=NOW, expires_at=LATER)
    store.mark_once(f"edited:{team}:C1:1.1", "x", now=NOW, expires_at=LATER)
    store.take_rate_slot(f"rate:{team}:U1", now=NOW, interval=60, burst=1, expires_after=3600)
    store.add_usage(f"questions:2026-11-17:{team}", 1, limit=1, expires_at=LATER)
    store.add_tally(f"usage:2026-11-17:{team}", {"C1_questions": 1}, expires_at=LATER)
    store.cache_values(
        {f"team:{team}": "v", f"user:{team}:U1": "v", f"name:{team}:U1": "v"}, expires_at=LATER
    )


def is_there(store, team):
    """For each kind of row, whether it exists."""
    return {
        store.unfinished_claim(f"{team}:C1:0.1", now=NOW) is not None,
        store.linked_claim_key(Name.THREAD.of(team, *PLACE), now=NOW) is not None,
        store.linked_claim_key(Name.REPLY.of(team, *PLACE), now=NOW) is not None,
        store.known_urls(Name.KNOWN_URLS.of(team, *PLACE), now=NOW) != (),
        not store.mark_once(f"edited:{team}:C1:1.1", "y", now=NOW, expires_at=LATER),
        store.take_rate_slot(f"rate:{team}:U1", now=NOW, interval=60, burst=1, expires_after=3600) > 0,
        not store.add_usage(f"questions:2026-11-17:{team}", 1, limit=1, expires_at=LATER),
        store.tally(f"usage:2026-11-17:{team}", now=NOW) != {},
        store.cached_values([f"user:{team}:U1"], now=NOW) != {},
    }


def test_the_rows_of_one_workspace_are_deleted(store):
    """Also those of a workspace with a longer id that begins the same, and the totals, stay."""
    for team in ("T1A", "T1AB"):
        fill(store, team)
    store.add_usage("questions:2026-11-17:all", 1, limit=1, expires_at=LATER)
    store.add_to_whitelist(WhitelistEntry(entity=Entity.TEAM, id="T1A"))
    assert store.delete_workspace("T1A") == 12
    assert is_there(store, "T1A") == {False}
    assert is_there(store, "T1AB") == {True}
    assert not store.add_usage("questions:2026-11-17:all", 1, limit=1, expires_at=LATER)
    assert len(store.whitelist_entries()) == 1


def test_many_rows_are_deleted_in_several_requests(store):
    fill(store, "T1A", claims=60)
    assert store.delete_workspace("T1A") == 71
    assert store.delete_workspace("T1A") == 0
