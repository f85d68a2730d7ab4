"""The store: whether it opens, has its tables, and returns what was written."""

from collections.abc import Iterator
from contextlib import closing
from uuid import uuid4

from slackapp.commands.terminal import own_command
from slackapp.doctor.findings import Examination, Finding, bad, good
from slackapp.run.start_line import store_place
from slackapp.stores.contract import Store, StoreError, StoreMismatch, StoreUnavailable
from slackapp.stores.opening import open_store

KEPT_SECONDS = 60.0
"""How long the rows of a round trip are kept."""


def check_store(examination: Examination) -> Iterator[Finding]:
    """One row in each table, each written and read."""
    place = store_place(examination.settings)
    try:
        with closing(open_store(examination.settings, examination.environ)) as store:
            make_round_trip(store, examination.clock.now().timestamp())
    except StoreError as error:
        advice = "Check that the disk has room, and that the file and its directory belong to this user."
        if examination.settings.store_kind == "dynamodb":
            advice = f"Run: {own_command('tables create')}. If that fails too, check region and credentials."
        if isinstance(error, StoreMismatch):
            advice = (
                "Name a place of the app's own: SQLITE_PATH, or DYNAMODB_TABLE_PREFIX. Nothing was changed."
            )
        yield bad(f"the store ({place}) cannot be used: {error}", advice)
    else:
        yield good(f"the store ({place}) has its tables, and returns what was written")


def make_round_trip(store: Store, now: float) -> None:
    """Use every table; raises StoreError."""
    name, until = f"doctor:{uuid4().hex}", now + KEPT_SECONDS
    store.cache_values({name: name}, expires_at=until)
    if store.cached_values({name}, now=now) != {name: name}:
        raise StoreUnavailable("it does not return what was written")
    if not store.mark_once(name, "first", now=now, expires_at=until) or store.mark_once(
        name, "second", now=now, expires_at=until
    ):
        raise StoreUnavailable("it does not keep what was written first")
    store.add_usage(name, 1, limit=None, expires_at=until)
    store.whitelist_entries()
