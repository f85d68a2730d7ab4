"""The command line: `python -m slackapp` runs the bot, or the playground if no tokens are set."""

import argparse
import io
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from fetcher import environment, logs, secret_files
from fetcher.parameters import with_parameters
from fetcher.settings import ConfigurationError
from slackapp import PACKAGES, settings
from slackapp.commands import manifest, store_tables, whitelist
from slackapp.playground import command as playground

MISCONFIGURED, INTERRUPTED = 2, 130
TOKENS = ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m slackapp", description=__doc__)
    parser.add_argument("-v", "--verbose", action="store_true", help="log more, to stderr")
    parser.set_defaults(run=_run, port=None, no_browser=False, store="sqlite")
    commands = parser.add_subparsers(metavar="COMMAND")
    for command in (playground, manifest, store_tables, whitelist):
        command.add_to(commands)
    options = parser.parse_args(argv)
    for stream in (sys.stdout, sys.stderr):  # UTF-8 also in a pipe or a file
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    logs.to_stream(logging.INFO if options.verbose else logging.WARNING, packages=PACKAGES)
    try:
        environment.load_dotenv()  # for the settings, and for what boto3 reads by itself
        secret_files.load(os.environ)
        return int(options.run(options, os.environ))
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return MISCONFIGURED
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Run the bot if tokens are set, else the playground; print which, and why."""
    environment.refuse_misspelt(environ, [name.upper() for name in settings.SlackSettings.model_fields])
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
