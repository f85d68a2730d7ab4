"""What only DynamoDB does: throttling, lost answers, requests that cost money, tables made by a command."""

import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import botocore.exceptions  # type: ignore[import-untyped]
import pytest

from slackapp.settings import SlackSettings
from slackapp.stores.contract import Claim, ReplyRecord, StoreMismatch, StoreRefused, StoreUnavailable
from slackapp.stores.dynamodb import DynamoDBStore, connect
from slackapp.stores.dynamodb.calls import CONNECT_SECONDS, READ_SECONDS, TRIES, Calls
from slackapp.stores.dynamodb.schema import SCHEMAS
from slackapp.stores.store import Store
from tests.fakes.dynamodb import FUTURE
from tests.slackapp.stores.calls import CALLS
from tests.slackapp.stores.conftest import PATIENCE, PREFIX
from tests.slackapp.stores.wire import Wire

LATER = FUTURE + 60


@pytest.fixture
def delays(monkeypatch):
    """How long botocore waits between its tries; the test does not wait."""
    waited: list[float] = []
    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=waited.append, time=time.time))
    return waited


@pytest.fixture(scope="module")
def module_wire(dynamodb_endpoint):
    with Wire(dynamodb_endpoint) as wire:
        yield wire


@pytest.fixture
def wire(dynamodb, module_wire):
    """A way to the shared tables on which things go wrong as planned."""
    module_wire.operations.clear()
    yield module_wire
    module_wire.plan.clear()


def store_over(wire, read_seconds=PATIENCE):
    """A store at the other end of a wire."""
    settings = SlackSettings(dynamodb_endpoint_url=wire.url, dynamodb_table_prefix=PREFIX)
    return DynamoDBStore(connect(settings, read_seconds=read_seconds), settings.table_name)


@pytest.fixture(scope="module")
def far(module_wire):
    store = store_over(module_wire)
    yield store
    store.close()


def claim(store: Store, owner="o"):
    return store.claim("k", "{}", owner=owner, now=FUTURE, lease_until=LATER, expires_at=LATER + 600)


THROTTLED = ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"]


@pytest.mark.parametrize("code", THROTTLED)
def test_throttling_is_waited_out_with_jitter(far, wire, delays, code):
    """Two refusals cost up to one second and up to two; then it works."""
    wire.plan += [code, code]
    assert claim(far) is not None
    assert len(delays) == 2
    assert 0 <= delays[0] <= 1
    assert 0 <= delays[1] <= 2
    assert len(set(delays)) == 2


@pytest.mark.parametrize(
    "fate",
    [*THROTTLED, "InternalServerError", 500, 503, "drop"],
)
def test_what_does_not_get_better_is_unavailable_after_three_tries(far, wire, delays, fate):
    wire.plan += [fate] * 3
    with pytest.raises(StoreUnavailable) as raised:
        claim(far)
    assert not isinstance(raised.value, StoreRefused)  # one of the tries may have been carried out
    assert len(wire.operations) == 3
    assert sum(delays) <= 3


def test_a_server_that_does_not_answer_is_given_up_after_three_tries(delays):
    """Three times the time to read: a few seconds in all."""
    with Wire() as wire:
        wire.plan += ["hang"] * 3
        store = store_over(wire, read_seconds=0.05)
        with pytest.raises(StoreUnavailable, match="ReadTimeoutError"):
            claim(store)
        store.close()
        assert wire.saw(3)
    assert TRIES * (CONNECT_SECONDS + READ_SECONDS) <= 9


@pytest.mark.parametrize(
    "fate", ["ValidationException", "AccessDeniedException", "ResourceNotFoundException"]
)
def test_what_waiting_does_not_mend_is_not_tried_again(far, wire, delays, fate):
    """Nothing was written, for certain."""
    wire.plan += [fate]
    with pytest.raises(StoreRefused, match=fate):
        claim(far)
    assert wire.operations == ["PutItem"]


def test_a_refusal_after_a_lost_answer_is_undecided(far, wire, delays):
    wire.plan += ["lose", "AccessDeniedException"]
    with pytest.raises(StoreUnavailable) as raised:
        claim(far)
    assert not isinstance(raised.value, StoreRefused)


def test_a_missing_table_names_its_remedy(far, wire):
    wire.plan += ["ResourceNotFoundException"]
    with pytest.raises(StoreUnavailable, match="tables create"):
        far.whitelist_entries()


def test_every_method_translates_what_goes_wrong(wire, delays):
    """None is left out: each is called while DynamoDB refuses, and while it is gone."""
    store = store_over(wire)  # its own: after many failures botocore stops retrying
    methods = {name for name in dir(Store) if not name.startswith("_")}
    assert methods - {"close"} == set(CALLS)
    for call in CALLS.values():
        for fate in ("ValidationException", "drop"):
            wire.plan.extend([fate] * 3)
            with pytest.raises(StoreUnavailable):
                call(store)
            wire.plan.clear()
    store.close()


def _kinds(base: Any) -> Iterator[Any]:
    yield base
    for kind in base.__subclasses__():
        yield from _kinds(kind)


def test_every_error_of_botocore_is_translated():
    """Credentials that cannot be had included."""
    for kind in set(_kinds(botocore.exceptions.BotoCoreError)):
        client = Mock(put_item=Mock(side_effect=kind.__new__(kind)))
        with pytest.raises(StoreUnavailable, match=kind.__name__):
            Calls(client).send("put_item")


@pytest.mark.parametrize("method", ["claim", "whitelist_entries", "take_rate_slot"])
def test_a_proxys_page_is_no_answer(far, wire, method):
    """Taken for a success, it would let two workers answer the same message."""
    wire.plan += [200]
    with pytest.raises(StoreUnavailable, match="another server"):
        CALLS[method](far)


def test_an_endpoint_that_is_no_url_is_told_when_it_is_opened():
    with pytest.raises(StoreUnavailable, match="opened"):
        connect(SlackSettings(dynamodb_endpoint_url="not a url"))


def test_without_credentials_the_variable_that_lets_a_role_be_used_is_named(monkeypatch, tmp_path):
    """On EC2 the role of the instance is not looked for unless that is wanted."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    settings = SlackSettings(dynamodb_table_prefix=PREFIX)
    store = DynamoDBStore(connect(settings), settings.table_name)
    with pytest.raises(StoreUnavailable, match=r"NoCredentialsError; .* AWS_EC2_METADATA_DISABLED=false"):
        store.whitelist_entries()
    store.close()


def test_no_text_of_a_request_is_in_an_error(far, wire):
    wire.plan += ["ValidationException"]
    with pytest.raises(StoreUnavailable) as caught:
        far.claim("k", "a secret", owner="o", now=FUTURE, lease_until=LATER, expires_at=LATER)
    assert "secret" not in str(caught.value)


def test_a_claim_whose_answer_was_lost_is_ours(far, wire, delays):
    """Botocore tries again and finds the key taken by the first try; that counts as a claim."""
    wire.plan += ["lose"]
    assert claim(far) == Claim(key="k", owner="o", incoming="{}", lease_until=LATER)
    assert wire.operations == ["PutItem", "PutItem"]
    assert claim(far, "another") is None


def test_a_take_over_whose_answer_was_lost_is_ours(far, wire, delays):
    left = claim(far)
    wire.plan += ["lose"]
    taken = far.take_over(left, owner="p", now=LATER, lease_until=LATER + 60)
    assert taken is not None
    assert (taken.owner, taken.attempt) == ("p", 2)


def test_an_end_whose_answer_was_lost_is_the_end(far, wire, delays):
    claim(far)
    wire.plan += ["lose"]
    assert far.finish("k", owner="o")


def test_a_record_that_arrives_after_the_next_one_changes_nothing(dynamodb):
    key, before, after = uuid4().hex, ReplyRecord(revision=1), ReplyRecord(replies=("1.2",), revision=2)
    dynamodb.claim(key, "{}", owner="o", now=0, lease_until=1, expires_at=FUTURE)
    assert dynamodb.record_reply(key, owner="o", reply_record=after)
    assert dynamodb.record_reply(key, owner="o", reply_record=after)  # tried again
    assert not dynamodb.record_reply(key, owner="o", reply_record=before)
    assert dynamodb.unfinished_claim(key, now=0).reply_record == after


@pytest.mark.parametrize("before", [0, 1])
def test_a_request_whose_answer_was_lost_is_counted_once(far, wire, delays, before):
    """Both on an empty meter and on one in use."""
    take = {"now": FUTURE, "interval": 6.0, "burst": 3, "expires_after": 60.0}
    for _ in range(before):
        far.take_rate_slot("m", **take)
    wire.plan += ["lose"] if not before else ["", "lose"]
    assert far.take_rate_slot("m", **take) == 0.0
    rest = [far.take_rate_slot("m", **take) for _ in range(3 - before)]
    assert rest == [0.0] * (2 - before) + [6.0]


@pytest.mark.parametrize("others", [1, 15])
def test_a_mark_survives_the_writes_of_others_between_two_tries(far, wire, dynamodb, monkeypatch, others):
    """The answer to a write is lost, others write, and botocore tries again."""

    def meanwhile(_):
        for _ in range(others):
            assert dynamodb.add_usage("u", 1, limit=None, expires_at=LATER)

    monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=meanwhile))
    wire.plan += ["lose"]
    assert far.add_usage("u", 1, limit=None, expires_at=LATER)
    assert far.add_usage("u", 0, limit=others + 2, expires_at=LATER)
    assert not far.add_usage("u", 0, limit=others + 1, expires_at=LATER)


def test_rows_that_are_gone_but_not_removed_hide_no_claim_from_the_sweeper(dynamodb):
    """DynamoDB removes rows hours after they have expired; they may be older than any claim."""
    for number in range(12):
        moments = {"now": FUTURE - 500, "lease_until": FUTURE - 400 + number, "expires_at": FUTURE - 100}
        assert dynamodb.claim(f"gone{number}", "{}", owner="o", **moments)
    for number in range(3):
        dynamodb.claim(f"k{number}", "{}", owner="o", now=FUTURE, lease_until=FUTURE, expires_at=LATER)
    found = dynamodb.expired_claims(now=FUTURE + 1, limit=2)
    assert len(found) == 2
    assert all(claim.key.startswith("k") for claim in found)


COSTS = {
    "claim": 1,
    "renew": 1,
    "record_reply": 1,
    "finish": 1,
    "take_over": 1,
    "request_stop": 1,
    "unfinished_claim": 1,
    "link_claim": 1,
    "linked_claim_key": 1,
    "toggle_feedback": 2,
    "add_feedback_reason": 1,
    "whitelist_status": 1,
    "take_rate_slot": 1,
    "add_usage": 1,
    "cached_values": 1,
    "cache_values": 1,
    "expired_claims": 4,
}


@pytest.mark.parametrize(("method", "requests"), COSTS.items())
def test_a_method_costs_so_many_requests(far, wire, method, requests):
    """A sweep that finds nothing asks each shard once, and no table."""
    CALLS[method](far)
    assert len(wire.operations) == requests


def test_a_rate_limit_costs_two_writes_at_most_and_no_read(far, wire):
    take = {"now": FUTURE, "interval": 6.0, "burst": 2, "expires_after": 60.0}
    costs = []
    for _ in range(3):
        wire.operations.clear()
        far.take_rate_slot("m", **take)
        costs.append(list(wire.operations))
    assert costs == [["UpdateItem"], ["UpdateItem"] * 2, ["UpdateItem"]]


def test_nothing_is_asked_for_nothing(far, wire):
    assert far.cached_values((), now=FUTURE) == {}
    far.cache_values({}, expires_at=LATER)
    assert wire.operations == []


def test_many_names_are_kept_in_as_few_requests_as_dynamodb_takes(far, wire):
    names = {f"n{number}": str(number) for number in range(101)}
    far.cache_values(names, expires_at=LATER)
    assert far.cached_values((*names, "n0"), now=FUTURE) == names
    assert wire.operations == ["BatchWriteItem"] * 5 + ["BatchGetItem"] * 2


def test_what_dynamodb_leaves_of_a_batch_is_sent_again(monkeypatch, dynamodb):
    """A name that is not read must not be taken for one that is not there; in the end it is an error."""
    calls, batches = dynamodb._tables._calls, []
    real, left = calls.send, 2

    def busy(operation, **arguments):
        batches.append(operation)
        if len(batches) <= left:
            kept = "UnprocessedKeys" if operation == "batch_get_item" else "UnprocessedItems"
            return {"Responses": {}, kept: arguments["RequestItems"]}
        return real(operation, **arguments)

    monkeypatch.setattr(calls, "send", busy)
    dynamodb.cache_values({"a": "1"}, expires_at=LATER)
    batches.clear()
    assert dynamodb.cached_values(["a"], now=FUTURE) == {"a": "1"}
    assert len(batches) == 3
    left = 100
    with pytest.raises(StoreUnavailable, match="unprocessed"):
        dynamodb.cached_values(["a"], now=FUTURE)


@pytest.fixture
def fresh(dynamodb_endpoint):
    """A store whose tables do not exist yet."""
    prefix = f"{uuid4().hex}-"
    settings = SlackSettings(dynamodb_endpoint_url=dynamodb_endpoint, dynamodb_table_prefix=prefix)
    store = DynamoDBStore(connect(settings, read_seconds=PATIENCE), settings.table_name)
    yield store
    store.close()


def test_tables_are_made_once(fresh):
    assert fresh.create_tables() == tuple(fresh._tables._names[table] for table in SCHEMAS)
    assert fresh.create_tables() == ()
    assert claim(fresh)


def test_a_table_that_was_left_half_made_is_finished(fresh):
    """Created without its expiry: the first run was interrupted."""
    name = fresh._tables._names["rate_limit"]
    fresh._tables._calls.send(
        "create_table",
        TableName=name,
        AttributeDefinitions=[{"AttributeName": "meter", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "meter", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    assert name not in fresh.create_tables()
    expiry = fresh._tables._calls.send("describe_time_to_live", TableName=name)["TimeToLiveDescription"]
    assert expiry == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires_at"}


def test_a_table_of_somebody_else_is_left_alone(fresh):
    fresh._tables._calls.send(
        "create_table",
        TableName=fresh._tables._names["dedupe"],
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    with pytest.raises(StoreMismatch, match="dedupe"):
        fresh.create_tables()
