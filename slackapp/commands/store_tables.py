"""`python -m slackapp tables create`: creates the store's tables."""

import argparse
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from slackapp.commands.terminal import fail, note, say
from slackapp.settings import TABLES, load
from slackapp.stores.contract import StoreError
from slackapp.stores.opening import open_store


def add_to(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("tables", help="make the tables of the store")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make the tables that are missing; harmless when none is")
    create.set_defaults(run=run)


def run(_: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Create the tables, and print which ones are new."""
    settings = load(environ)
    try:
        with closing(open_store(settings, environ)) as store:
            made = store.create_tables()
    except StoreError as error:
        note(f"tables: {settings.place_of('dedupe')}")
        return fail(str(error))
    for name in made:
        say(f"made: {name}")
    for table in TABLES:
        say(f"ready: {settings.place_of(table)}")
    return 0
