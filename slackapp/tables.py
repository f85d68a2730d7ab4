"""`python -m slackapp tables create`: makes the store's tables."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from slackapp.settings import load
from slackapp.stores.contract import StoreError
from slackapp.stores.opening import open_store

FAILED = 1


def add_to(commands: Any) -> None:
    """The command and its options."""
    parser = commands.add_parser("tables", help="make the tables of the store")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    create = actions.add_parser("create", help="make the tables that are missing; harmless when none is")
    create.set_defaults(run=run)


def run(_: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Says which tables were made, or what went wrong."""
    out, err, settings = sys.stdout, sys.stderr, load(environ)
    try:
        store = open_store(settings, environ)
        made = store.create()
        store.close()
    except StoreError as error:
        print(error, file=err)
        return FAILED
    where = settings.sqlite_file if settings.store_kind == "sqlite" else settings.aws_region_name
    for name in made:
        print(f"made: {name}", file=out)
    print(f"The tables are ready ({settings.store_kind}, {where}).", file=out)
    return 0
