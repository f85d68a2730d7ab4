"""`python -m slackapp doctor`: checks the installation, and says for each fault what to do."""

import argparse
from collections.abc import Mapping
from typing import Any

from fetcher.startup.parameters import with_parameters


def add_to(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("doctor", help="check the installation, and say what to do")
    parser.add_argument("--channel", default="", metavar="ID", help="a channel that the bot should answer in")
    parser.add_argument(
        "--online",
        action="store_true",
        help="also search the web once, with the provider of the settings",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the report; 1 if something is wrong."""
    from slackapp.doctor.examine import print_report  # imports the whole app

    return print_report(with_parameters(environ), channel=options.channel, online=options.online)
