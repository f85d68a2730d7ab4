"""The function on the command line: `python -m fetcher.invoke '{"agentId": …}'`."""

import argparse
import json
import logging
import sys
from collections.abc import Sequence

from fetcher import VERSION, logs
from fetcher.invoke.handler import handler
from fetcher.invoke.invoker import NoAnswer
from fetcher.startup import command_line


def main(argv: Sequence[str] | None = None) -> int:
    """Print the answer to one event; return 0 for a success."""
    parser = argparse.ArgumentParser(
        prog="python -m fetcher.invoke",
        description="Answers one event as the invocation Lambda would.",
        epilog="example:  python -m fetcher.invoke - < request.json",
    )
    parser.add_argument("--version", action="version", version=f"slack-web-reader {VERSION}")
    parser.add_argument("event", metavar="EVENT", help="the event as JSON; - reads it from standard input")
    parser.add_argument("-v", "--verbose", action="store_true", help="log to stderr as JSON lines")

    def command() -> int:
        options = parser.parse_args(argv)
        logs.to_stream(logging.INFO if options.verbose else logging.WARNING)
        try:
            event = json.loads(sys.stdin.read() if options.event == "-" else options.event)
        except (ValueError, RecursionError) as error:
            parser.error(f"EVENT is not JSON: {error}")
        try:
            answer = handler(event, None)
        except NoAnswer as error:
            answer = json.loads(str(error))
        sys.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2) + "\n")
        succeeded = answer.get("status") == "success" or answer.get("statusCode") == 200
        return 0 if succeeded else command_line.FAILED

    return command_line.run(command)


if __name__ == "__main__":
    sys.exit(main())
