"""One message is answered by one worker at a time, and by another only when the first is gone."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from slackapp.stores.contract import Claim, Renewal, ReplyRecord
from slackapp.stores.store import Store
from tests.fakes.dynamodb import FUTURE

NOW = FUTURE + 0.25
LEASE = 60.0
DAY = 86_400.0
KEY = "T1:C1:1768046400.000100"


def claimed(store: Store, key=KEY, owner="first", *, now=NOW, incoming="{}", expires_at=NOW + DAY):
    return store.claim(key, incoming, owner=owner, now=now, lease_until=now + LEASE, expires_at=expires_at)


def taken_over(store: Store, claim: Claim, owner="second", *, now):
    return store.take_over(claim, owner=owner, now=now, lease_until=now + LEASE)


def held(store: Store, claim: Claim, *, now=NOW + 1):
    return store.renew(claim.key, owner=claim.owner, lease_until=now + LEASE)


def test_a_message_is_claimed_once(store):
    """The second claim gets nothing, also when the first is done or has expired."""
    assert claimed(store) == Claim(key=KEY, owner="first", incoming="{}", lease_until=NOW + LEASE)
    assert claimed(store, owner="second", now=NOW + LEASE + 1) is None
    assert store.finish(KEY, owner="first")
    assert claimed(store, owner="third", now=NOW + 2 * LEASE) is None


def test_a_claim_that_is_done_for_a_time_only_is_free_after_it(store):
    assert claimed(store)
    assert store.finish(KEY, owner="first", expires_at=NOW + 5)
    assert store.finish(KEY, owner="first", expires_at=NOW + 5)  # its first answer was lost
    assert claimed(store, owner="second", now=NOW + 4) is None
    assert claimed(store, now=NOW + 4) is None
    assert claimed(store, owner="second", now=NOW + 6)
    assert not store.finish(KEY, owner="first")


def test_a_claim_repeated_by_its_owner_is_the_same_claim(store):
    """Its first answer was lost; what happened to the claim since then is kept."""
    first = claimed(store)
    assert claimed(store) == first
    assert store.request_stop(KEY, now=NOW)
    assert claimed(store) == replace(first, stopped=True)
    assert store.finish(KEY, owner="first")
    assert claimed(store) is None


def linked_claim(store, name, key=KEY, owner="first"):
    return store.claim(
        key, "{}", owner=owner, now=NOW, lease_until=NOW + LEASE, expires_at=NOW + DAY, link=name
    )


def test_a_claim_is_linked_in_the_same_write_and_only_if_it_is_made(store):
    assert linked_claim(store, "asked:1")
    assert store.linked_claim_key("asked:1", now=NOW) == KEY
    assert linked_claim(store, "asked:2", owner="second") is None
    assert store.linked_claim_key("asked:2", now=NOW) is None
    assert linked_claim(store, "asked:1")  # its own first try


def test_claims_that_are_linked_to_one_name_at_the_same_moment_are_all_made(store):
    """The last one has the name."""
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda n: linked_claim(store, "asked:1", key=f"k{n}"), range(4)))
    assert all(made)
    assert store.linked_claim_key("asked:1", now=NOW) in {"k0", "k1", "k2", "k3"}


def ours(store, now=NOW):
    return store.is_thread_ours("thread", asked="asked", root="root", now=now)


def test_a_thread_is_ours_when_it_is_linked(store):
    assert not ours(store)
    store.link_claim("thread", "any", expires_at=NOW + DAY)
    assert ours(store)
    assert not ours(store, now=NOW + DAY + 1)


@pytest.mark.parametrize(("key", "name"), [("root", ""), ("k", "asked")], ids=["first message", "inside it"])
def test_a_thread_is_ours_while_a_question_in_it_is_not_done(store, key, name):
    linked_claim(store, name, key=key)
    assert ours(store)
    assert store.finish(key, owner="first")
    assert not ours(store)


def tombstone(store, user, key=KEY, now=NOW):
    return store.write_tombstone(key, user=user, now=now, expires_at=NOW + DAY)


def asked(store, asker, now=NOW):
    return store.claim(
        KEY, "{}", owner="first", now=now, lease_until=now + LEASE, expires_at=now + DAY, asker=asker
    )


@pytest.mark.parametrize(
    ("users", "asker", "is_claimed"),
    [
        (["U1"], "U1", False),
        (["U2"], "U1", True),
        (["U2", "U1"], "U1", False),
        (["U1", "U2"], "U1", False),
        ([""], "U1", False),
        (["U2", ""], "U1", False),
        (["", "U2"], "U1", False),
        (["U11"], "U1", True),
        (["U1"], "U11", True),
    ],
)
def test_a_tombstone_keeps_a_message_from_being_claimed(store, users, asker, is_claimed):
    """That of its asker, or of a deletion; others only say that they wanted to."""
    assert all(tombstone(store, user) for user in users)
    assert store.unfinished_claim(KEY, now=NOW) is None
    claim = asked(store, asker)
    assert (claim is not None) is is_claimed
    if claim:
        assert not claim.stopped
        assert store.expired_claims(now=NOW + LEASE, limit=10) == (claim,)


def test_a_message_that_was_claimed_gets_no_tombstone(store):
    claim = asked(store, "U1")
    assert not tombstone(store, "U1")
    assert store.unfinished_claim(KEY, now=NOW) == claim
    assert store.finish(KEY, owner="first")
    assert not tombstone(store, "U1")


def test_a_tombstone_expires_and_an_expired_claim_gets_one(store):
    assert tombstone(store, "")
    assert asked(store, "U1", now=NOW + DAY + 1)
    assert tombstone(store, "U1", now=NOW + 3 * DAY)
    assert store.expired_claims(now=NOW + 2 * DAY, limit=10) == ()


def test_fifty_threads_that_claim_one_message_get_one_claim(store):
    with ThreadPoolExecutor(50) as pool:
        claims = list(pool.map(lambda n: claimed(store, owner=f"worker-{n}"), range(50)))
    won = [claim for claim in claims if claim]
    assert len(won) == 1
    assert store.unfinished_claim(KEY, now=NOW).owner == won[0].owner


@pytest.mark.parametrize(("later", "free"), [(9.74, False), (9.75, True), (3600, True)])
def test_a_claim_that_has_expired_counts_as_gone(store, later, free):
    """Rows outlive their expiry, which is a whole second; the time decides, not the row."""
    claimed(store, expires_at=NOW + 9.1)
    again = claimed(store, owner="second", now=NOW + later)
    assert bool(again) is free
    if free:
        assert again == store.unfinished_claim(KEY, now=NOW + later)


def test_the_whole_request_is_kept_until_it_is_done(store):
    """As long as Slack's longest message, in characters of three and four bytes, quotes and half a pair."""
    text = '"あ𠮷' * 13_333 + "\n\t\\"
    claim = claimed(store, incoming=text)
    assert claim.incoming == text
    assert store.unfinished_claim(KEY, now=NOW).incoming == text


def test_text_that_is_no_unicode_is_kept_as_well_as_it_can_be(store):
    """JSON may hold half a surrogate pair, which no store can."""
    assert claimed(store, incoming="a\ud83db")
    assert store.unfinished_claim(KEY, now=NOW).incoming == "a?b"


def test_a_heartbeat_moves_the_lease(store):
    claim = claimed(store)
    assert held(store, claim, now=NOW + 50) is Renewal.HELD
    assert store.unfinished_claim(KEY, now=NOW + 50).lease_until == NOW + 50 + LEASE
    assert store.expired_claims(now=NOW + LEASE + 1, limit=10) == ()


def test_a_released_claim_is_anybodys_at_once_and_has_cost_no_attempt(store):
    first = claimed(store)
    store.release(KEY, owner="first", now=NOW + 1)
    second = taken_over(store, first, now=NOW + 1)
    assert (second.owner, second.attempt) == ("second", 1)
    third = taken_over(store, second, "third", now=NOW + 1 + LEASE)
    assert third.attempt == 2


@pytest.mark.parametrize("ended", ["taken over", "done"])
def test_who_has_lost_the_claim_releases_nothing(store, ended):
    first = claimed(store)
    if ended == "done":
        store.finish(KEY, owner="first")
    else:
        taken_over(store, first, now=NOW + LEASE)
    store.release(KEY, owner="first", now=NOW + LEASE + 1)
    assert store.expired_claims(now=NOW + LEASE + 1, limit=10) == ()


def test_a_heartbeat_hears_of_the_stop(store):
    """And the lease is renewed all the same, for the run has to say that it was stopped."""
    claim = claimed(store)
    assert store.request_stop(KEY, now=NOW)
    assert held(store, claim) is Renewal.STOPPED
    assert held(store, claim, now=NOW + 2) is Renewal.STOPPED
    assert store.unfinished_claim(KEY, now=NOW).lease_until == NOW + 2 + LEASE


def test_nothing_is_stopped_where_nobody_works(store):
    assert not store.request_stop(KEY, now=NOW)
    claimed(store)
    store.finish(KEY, owner="first")
    assert not store.request_stop(KEY, now=NOW)
    assert not store.request_stop("thread:T1:C1:1", now=NOW)


def test_a_stop_is_heard_by_whoever_takes_over(store):
    claim = claimed(store)
    assert store.request_stop(KEY, now=NOW + LEASE + 1)
    (expired,) = store.expired_claims(now=NOW + LEASE + 1, limit=10)
    assert expired.stopped
    taken = taken_over(store, claim, now=NOW + LEASE + 1)
    assert taken.stopped
    assert held(store, taken, now=NOW + LEASE + 2) is Renewal.STOPPED


@pytest.mark.parametrize("ended", ["never claimed", "done", "taken over"])
def test_who_has_lost_the_claim_hears_so_and_writes_nothing(store, ended):
    if ended != "never claimed":
        claim = claimed(store)
    if ended == "done":
        store.finish(KEY, owner="first")
    if ended == "taken over":
        taken_over(store, claim, now=NOW + LEASE)
    before = store.unfinished_claim(KEY, now=NOW + LEASE)
    lost = Claim(key=KEY, owner="first", incoming="", lease_until=0)
    assert held(store, lost, now=NOW + LEASE) is Renewal.LOST
    assert store.record_reply(KEY, owner="first", reply_record=ReplyRecord(root="1")) is False
    assert store.finish(KEY, owner="first") is (ended == "done")
    assert store.unfinished_claim(KEY, now=NOW + LEASE) == before


def test_what_stands_in_slack_is_kept_for_the_next_worker(store):
    posted = ReplyRecord(root="1.1", replies=("1.2", "1.3"), stream_since="1.0", uploads=("F1", "F2"))
    claim = claimed(store)
    assert store.record_reply(KEY, owner="first", reply_record=posted)
    assert store.unfinished_claim(KEY, now=NOW).reply_record == posted
    assert taken_over(store, claim, now=NOW + LEASE).reply_record == posted


def test_a_claim_that_is_done_forgets_the_request(store):
    claimed(store, incoming="secret")
    assert store.finish(KEY, owner="first")
    assert store.unfinished_claim(KEY, now=NOW) is None
    assert "secret" not in repr(_everything(store))


def _everything(store):
    return store._tables.rows("dedupe")


@pytest.mark.parametrize(("after", "expired"), [(LEASE - 0.25, False), (LEASE, True), (LEASE + 1, True)])
def test_a_lease_runs_out_at_its_moment(store, after, expired):
    claim = claimed(store)
    assert store.expired_claims(now=NOW + after, limit=10) == ((claim,) if expired else ())
    assert bool(taken_over(store, claim, now=NOW + after)) is expired


def test_the_oldest_leases_are_found_first_and_no_more_than_asked_for(store):
    """Whichever shards they lie on."""
    for age in range(30):
        claimed(store, f"T1:C1:{age}", now=NOW - age)
    keys = [claim.key for claim in store.expired_claims(now=NOW + LEASE, limit=5)]
    assert keys == [f"T1:C1:{age}" for age in (29, 28, 27, 26, 25)]
    assert len(store.expired_claims(now=NOW + LEASE, limit=100)) == 30


@pytest.mark.parametrize("written", ["[]", "not JSON", '{"runs": "3", "replies": null, "new": 1}'])
def test_a_record_that_cannot_be_read_keeps_no_sweeper_from_the_others(store, written):
    """Another version has written it; what can be read of it is."""
    claimed(store, "a", now=NOW - 1)
    store._tables.update("dedupe", "a", {"delivery": written})
    claimed(store, "b")
    found = store.expired_claims(now=NOW + LEASE, limit=10)
    assert [(each.key, each.reply_record) for each in found] == [("a", ReplyRecord()), ("b", ReplyRecord())]


def test_neither_done_nor_expired_rows_nor_links_are_swept(store):
    claimed(store, "done")
    store.finish("done", owner="first")
    claimed(store, "gone", expires_at=NOW + LEASE)
    store.link_claim("thread:T1:C1:1", "done", expires_at=NOW + DAY)
    store.toggle_feedback("feedback:T1:C1:1:U1", "good", press="1", now=NOW, expires_at=NOW + DAY)
    assert store.expired_claims(now=NOW + 2 * LEASE, limit=10) == ()


def test_a_claim_is_taken_over_by_one(store):
    """Fifty sweepers see it expired; one gets it."""
    claim = claimed(store)
    with ThreadPoolExecutor(50) as pool:
        taken = list(pool.map(lambda n: taken_over(store, claim, f"sweeper-{n}", now=NOW + LEASE), range(50)))
    (won,) = (claim for claim in taken if claim)
    assert won.attempt == 2
    assert store.unfinished_claim(KEY, now=NOW + LEASE) == won


def test_a_claim_is_not_taken_from_another_than_was_seen(store):
    """Seen as the first worker's, taken over by a second, its lease out again: a stale view gets nothing."""
    seen = claimed(store)
    second = taken_over(store, seen, now=NOW + LEASE)
    assert taken_over(store, seen, "third", now=NOW + 3 * LEASE) is None
    assert taken_over(store, second, "third", now=NOW + 3 * LEASE).attempt == 3


def test_a_claim_that_is_done_or_gone_is_not_taken_over(store):
    claim = claimed(store, expires_at=NOW + LEASE)
    assert taken_over(store, claim, now=NOW + 2 * LEASE) is None
    done = claimed(store, "T1:C1:2")
    store.finish(done.key, owner="first")
    assert taken_over(store, done, now=NOW + 2 * LEASE) is None
    assert taken_over(store, replace(done, key="T1:C1:3"), now=NOW + 2 * LEASE) is None


def test_a_claim_is_found_by_the_name_last_linked(store):
    store.link_claim("thread:T1:C1:1", "T1:C1:1", expires_at=NOW + DAY)
    store.link_claim("thread:T1:C1:1", "T1:C1:2", expires_at=NOW + DAY)
    assert store.linked_claim_key("thread:T1:C1:1", now=NOW) == "T1:C1:2"
    assert store.linked_claim_key("thread:T1:C1:2", now=NOW) is None
    assert store.linked_claim_key("thread:T1:C1:1", now=NOW + DAY + 1) is None


def rated(store, *presses):
    """The values of the rating after each press."""
    stored = (
        store.toggle_feedback(NAME, value, press=press, now=NOW, expires_at=NOW + DAY)
        for value, press in presses
    )
    return [rating.value for rating in stored]


NAME = "feedback:T1:C1:1:U1"


def test_the_same_word_again_withdraws_feedback(store):
    assert rated(store, ("good", "1"), ("good", "2"), ("good", "3"), ("bad", "4"), ("bad", "5")) == [
        "good",
        "",
        "good",
        "bad",
        "",
    ]


def test_a_press_that_is_delivered_again_changes_nothing(store):
    first = store.toggle_feedback(NAME, "good", press="1", now=NOW, expires_at=NOW + DAY)
    again = store.toggle_feedback(NAME, "good", press="1", now=NOW, expires_at=NOW + DAY)
    assert [(each.value, each.is_first, each.is_repeated) for each in (first, again)] == [
        ("good", True, False),
        ("good", False, True),
    ]


def test_a_reason_belongs_to_the_rating_that_it_explains(store):
    """It is stored beside the rating, and goes with it."""
    assert not store.add_feedback_reason(NAME, "価格が古い", now=NOW)
    rated(store, ("bad", "1"))
    assert store.add_feedback_reason(NAME, "価格が古い", now=NOW)
    assert "価格が古い" in repr(_everything(store))
    rated(store, ("bad", "2"))
    assert "価格が古い" not in repr(_everything(store))
    assert not store.add_feedback_reason(NAME, "価格が古い", now=NOW)
