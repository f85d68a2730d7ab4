"""`python -m slackapp whitelist add|remove|list`: who may use the app."""

import argparse
import re
from collections.abc import Mapping
from contextlib import closing
from typing import Any

from slackapp.commands.terminal import fail, note, own_command, say
from slackapp.guard.effective_policy import effective_policy
from slackapp.settings import load
from slackapp.stores.contract import Entity, StoreError, WhitelistEntry
from slackapp.stores.opening import open_store

ID_PATTERNS = {
    Entity.TEAM: re.compile(r"T[A-Z0-9]{1,31}"),
    Entity.CHANNEL: re.compile(r"[CGD][A-Z0-9]{1,31}"),
    Entity.USER: re.compile(r"[UW][A-Z0-9]{1,31}"),
}
"""The first letter of a Slack id says what it identifies."""
EXAMPLES = {Entity.TEAM: "T0123ABCD", Entity.CHANNEL: "C0123ABCD", Entity.USER: "U0123ABCD"}
WHERE = "docs/deploy.md says where to find ids."


def add_to(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("whitelist", help="say who may use the app")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, explained in (
        ("add", "let a workspace, a channel or a user in"),
        ("remove", "take one off the list"),
        ("list", "print the access mode, and who is listed where"),
    ):
        action = actions.add_parser(name, help=explained)
        action.set_defaults(run=run, action=name)
        if name == "list":
            continue
        action.add_argument("entity", choices=[str(each) for each in Entity], metavar="team|channel|user")
        action.add_argument("id", metavar="ID", help="Slack's id, such as T0123ABCD")
        if name == "add":
            action.add_argument("--label", default="", metavar="TEXT", help="a note for people")


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Run the action that was chosen."""
    settings = load(environ)
    note(f"whitelist: {settings.place_of('whitelist')}")
    try:
        with closing(open_store(settings, environ)) as store:
            if options.action == "list":
                policy = effective_policy(store, settings)
                say(f"access: {policy.summary}")
                for each in policy.listed:  # an id of the environment has no row, and cannot be removed here
                    say(f"{each.entity}\t{each.id}\t{' and '.join(each.origins)}\t{each.label}".rstrip())
                if policy.refuses_everyone:
                    say(
                        f"No one may use the app: the list is empty. To let a workspace in: {how_to_let_in()}"
                    )
                return 0
            entity, entity_id = Entity(options.entity), options.id
            if options.action == "add":
                if not ID_PATTERNS[entity].fullmatch(entity_id):
                    return fail(f"{entity_id} is no {entity} id: one looks like {EXAMPLES[entity]}. {WHERE}")
                store.add_to_whitelist(WhitelistEntry(entity=entity, id=entity_id, label=options.label))
                say(f"added: {entity} {entity_id}")
            else:  # the id is not checked: rows that were made by hand can be removed too
                if not store.remove_from_whitelist(entity, entity_id):
                    return fail(f"not on the list: {entity} {entity_id}")
                say(f"removed: {entity} {entity_id}")
    except StoreError as error:
        return fail(str(error))
    return 0


def how_to_let_in(team: str = "T0123ABCD") -> str:
    """The command that lets every member of a workspace in."""
    return own_command(f"whitelist add team {team}")
