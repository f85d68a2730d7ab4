"""`python -m slackapp playground`: a local Slack in the browser, without any account."""

import argparse
import signal
import sys
import threading
from collections.abc import Mapping
from typing import Any

from slackapp.commands.terminal import fail, say

USUAL_PORT = 3000
DESKTOPS = ("DISPLAY", "WAYLAND_DISPLAY")
"""Variables that are set where a desktop can open a browser."""


def add_to(commands: Any) -> None:
    """Adds the command and its options."""
    parser = commands.add_parser("playground", help="open a local Slack in the browser")
    add_port_to(parser, f"where to listen ({USUAL_PORT}, or the next that is free)")
    parser.add_argument("--no-browser", action="store_true", help="print the address and open nothing")
    parser.add_argument(
        "--store", choices=["sqlite", "dynamodb"], default="sqlite", help="where the app keeps its tables"
    )
    parser.set_defaults(run=run)


def add_port_to(parser: argparse.ArgumentParser, explained: str) -> None:
    """Add the option that both `slackapp` and `slackapp playground` have; the caller sets its default."""
    parser.add_argument("--port", type=_port, default=argparse.SUPPRESS, help=explained)


def run(options: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Serves until it is interrupted; prints the address and the agent, or what went wrong."""
    from slackapp.playground.errors import PortTaken
    from slackapp.playground.playground import Playground
    from slackapp.stores.contract import StoreError

    ended = threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        with Playground(environ, port=options.port, store=options.store) as playground:
            if options.port is None and f":{USUAL_PORT}/" not in playground.url:
                say(f"Port {USUAL_PORT} is taken.")
            say(f"The playground is open: {playground.url}")
            if playground.agent.kind == "offline":
                say("The offline reader answers; set ANTHROPIC_API_KEY to let Claude answer.")
            else:
                say(f"Claude answers ({playground.agent.model}).")
            say("Ctrl+C stops it.")
            has_desktop = sys.platform in ("darwin", "win32") or any(map(environ.get, DESKTOPS))
            if has_desktop and not options.no_browser:
                import webbrowser

                webbrowser.open(playground.url)
            ended.wait()
    except PortTaken as error:
        return fail(
            f"Port {error.port} cannot be listened on: name another (--port, or make run PORT=…), or none."
        )
    except StoreError as error:
        return fail(f"The store cannot be used: {error}")
    except KeyboardInterrupt:
        say("Stopped.")
    finally:
        signal.signal(signal.SIGTERM, before)
    return 0


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError("a port is a number from 1 to 65535")
    return int(text)
