"""The whitelist says how an id stands, this moment."""

from slackapp.stores.contract import Entity, WhitelistEntry, WhitelistStatus

TEAM, CHANNEL, USER = Entity
IDS = {TEAM: "T1", CHANNEL: "C1", USER: "U1"}


def add_ids(store, *ids):
    kinds = {"T": TEAM, "C": CHANNEL, "U": USER}
    for name in ids:
        store.add_to_whitelist(WhitelistEntry(entity=kinds[name[0]], id=name))


def test_each_type_stands_for_itself(store):
    add_ids(store, "T1", "C2", "C3")
    assert store.whitelist_status(IDS) == {
        TEAM: WhitelistStatus.LISTED,
        CHANNEL: WhitelistStatus.UNLISTED,
        USER: WhitelistStatus.NO_ROWS,
    }


def test_an_id_counts_for_its_own_type_only(store):
    store.add_to_whitelist(WhitelistEntry(entity=USER, id="T1"))
    assert store.whitelist_status({TEAM: "T1"}) == {TEAM: WhitelistStatus.NO_ROWS}


def test_a_change_is_seen_at_once(store):
    add_ids(store, "T1", "T2")
    assert store.remove_from_whitelist(TEAM, "T1")
    assert store.whitelist_status(IDS)[TEAM] is WhitelistStatus.UNLISTED
    assert store.remove_from_whitelist(TEAM, "T2")
    assert store.whitelist_status(IDS)[TEAM] is WhitelistStatus.NO_ROWS
    assert not store.remove_from_whitelist(TEAM, "T2")


def test_rows_are_listed_in_order_with_their_labels(store):
    """Adding a row again changes its label."""
    add_ids(store, "U2", "T1", "C9", "U1")
    store.add_to_whitelist(WhitelistEntry(entity=USER, id="U1", label="営業部 山田"))
    assert store.whitelist_entries() == (
        WhitelistEntry(entity=CHANNEL, id="C9"),
        WhitelistEntry(entity=TEAM, id="T1"),
        WhitelistEntry(entity=USER, id="U1", label="営業部 山田"),
        WhitelistEntry(entity=USER, id="U2"),
    )


def test_a_row_made_by_hand_needs_no_label(dynamodb):
    """A row of an unknown type is ignored."""
    table = dynamodb._tables._names["whitelist"]
    for kind, name in (("team", "T1"), ("planet", "P1")):
        item = {"entity_type": {"S": kind}, "entity_id": {"S": name}, "added": {"SS": ["x"]}}
        dynamodb._tables._calls.send("put_item", TableName=table, Item=item)
    assert dynamodb.whitelist_entries() == (WhitelistEntry(entity=TEAM, id="T1"),)
    assert dynamodb.whitelist_status(IDS)[TEAM] is WhitelistStatus.LISTED
