"""`python -m slackapp manifest`: prints the app's manifest for Socket Mode, or for request URLs.

Socket Mode and request URLs exclude each other (S14), so one file is turned into either form. It is edited as
text: its comments and its order stay, and no YAML parser is needed.
"""

import argparse
import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from fetcher.settings import ConfigurationError

FILE = Path(__file__).parents[2] / "manifest.yml"
REQUEST_URL = "https://slack-web-reader.example/slack/events"
"""The placeholder in the file for the URL of an installation."""
PATH = "/slack/events"
TRANSPORT = "socket_mode_enabled: "


def add_to(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Register the command."""
    command = commands.add_parser("manifest", help="print the app's manifest, to paste at api.slack.com/apps")
    transport = command.add_mutually_exclusive_group(required=True)
    transport.add_argument(
        "--socket", action="store_true", help="for Socket Mode: no public address is needed"
    )
    transport.add_argument("--url", metavar="URL", help="for request URLs: the address that Slack calls")
    command.add_argument(
        "--plain", action="store_true", help="without the agent feature: guests may use the app"
    )
    command.set_defaults(run=run, plain=False)


def run(options: argparse.Namespace, _: object = None) -> int:
    """Print the manifest; needs no settings. Raises ConfigurationError."""
    text = re.sub(r"^(?:#.*\n)+", "", _read())  # its first lines are about the file
    if options.socket:  # without any URL: Slack sends everything through the socket
        lines = [line for line in text.splitlines(keepends=True) if REQUEST_URL not in line]
        text = "".join(lines).replace(f"{TRANSPORT}false", f"{TRANSPORT}true")
    else:  # with one URL for events, commands and clicks
        text = text.replace(REQUEST_URL, request_url(options.url))
    if options.plain:  # what belongs to the feature: its view, its scope and its event
        text = re.sub(r"^  agent_view:\n(?:    .*\n)+", "", text, flags=re.MULTILINE)
        text = re.sub(r"^ +- (?:assistant:write|agent_session_stopped)\n", "", text, flags=re.MULTILINE)
    sys.stdout.write(text)
    return 0


@cache
def bot_scopes() -> frozenset[str]:
    """The scopes that the manifest asks for. Raises ConfigurationError."""
    listed = re.search(r"^    bot:\n((?:      - [a-z_.:]+\n)+)", _read(), re.MULTILINE)
    return frozenset(line.strip(" -") for line in listed[1].splitlines()) if listed else frozenset()


def _read() -> str:
    try:
        return FILE.read_text("utf-8")
    except OSError as error:
        reason = f"manifest.yml is not beside the package ({error.strerror}); run this in a checkout"
        raise ConfigurationError(f"Configuration error: {reason}") from error


def request_url(url: str) -> str:
    """The full URL; the usual path is added to a host. Raises ConfigurationError."""
    try:
        parts = urlsplit(url)
        is_valid = parts.scheme == "https" and bool(parts.hostname) and parts.port != 0
    except ValueError:  # an invalid port, or an unpaired bracket
        is_valid = False
    if not is_valid or not url.isascii() or not url.isprintable() or set(url) & set(" \"'#<>\\{}"):
        raise ConfigurationError(f"Configuration error: not an https address that Slack could call: {url}")
    return url.rstrip("/") + PATH if parts.path in {"", "/"} else url
