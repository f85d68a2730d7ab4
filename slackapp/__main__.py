"""The command line: `python -m slackapp` runs the bot, or the playground if no tokens are set."""

import argparse
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from fetcher import VERSION, logs
from fetcher.settings import ConfigurationError
from fetcher.startup import command_line, environment, secret_files
from fetcher.startup.parameters import with_parameters
from slackapp import PACKAGES, settings
from slackapp.commands import doctor, manifest, store_tables, whitelist
from slackapp.playground import command as playground

TOKENS = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET")
EXAMPLES = """examples:
  python -m slackapp                              the bot if tokens are set, else the playground
  python -m slackapp playground --port 4000       a local Slack in the browser, without an account
  python -m slackapp manifest --socket            what to paste at api.slack.com/apps
  python -m slackapp whitelist add team T0123ABCD who may use the bot
"""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m slackapp",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"slack-web-reader {VERSION}")
    parser.add_argument("-v", "--verbose", action="store_true", help="log more, to stderr")
    playground.add_port_to(parser, "where the playground listens, if no tokens are set")
    parser.set_defaults(run=_run, port=None, no_browser=False, store="sqlite")
    commands = parser.add_subparsers(metavar="COMMAND")
    for command in (playground, doctor, manifest, store_tables, whitelist):
        command.add_to(commands)

    def run_command() -> int:
        options = parser.parse_args(argv)
        logs.to_stream(logging.INFO if options.verbose else logging.WARNING, packages=PACKAGES)
        environment.load_dotenv()  # for the settings, and for what boto3 reads by itself
        secret_files.load(os.environ)
        return int(options.run(options, os.environ))

    return command_line.run(run_command)


def _run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Run the bot if tokens are set, else the playground; print which, and why."""
    environment.refuse_misspelt(
        environ, [name.upper() for name in environment.settable(settings.SlackSettings)]
    )
    environ = with_parameters(environ)
    given = [name for name in TOKENS if environ.get(name, "").strip()]
    if not given and find_spec("websockets") is None:
        raise ConfigurationError(
            f"No Slack tokens are set ({', '.join(TOKENS[:2])}), and the playground is not installed here."
        )
    if not given:
        print("No Slack tokens are set: opening the playground, a local Slack in the browser.")
        return playground.run(options, environ)
    from slackapp.run import socket_mode

    logs.to_stream(logging.DEBUG if options.verbose else logging.INFO, packages=PACKAGES)
    chosen = settings.load(environ)
    socket_mode.check_tokens(chosen)
    socket_mode.serve(chosen, environ)
    return 0


if __name__ == "__main__":
    sys.exit(main())
