"""The command line: `python -m fetcher fetch URL`."""

import argparse
import asyncio
import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from fetcher import VERSION, ask, configuration, logs, sample, wording
from fetcher.a2a import command as serve
from fetcher.codes import ErrorCode, TruncationReason
from fetcher.mcp import command as mcp
from fetcher.settings import Settings
from fetcher.startup import command_line, environment, secret_files
from fetcher.startup.command_line import FAILED, tell
from fetcher.web.errors import FetchError
from fetcher.web.tool import WebFetchTool, error_text
from fetcher.wording import fixed_ja

EXAMPLES = f"""examples (without a network, on the built-in sample web):
  python -m fetcher sample
  python -m fetcher fetch {sample.URL} --markdown
  python -m fetcher ask "{ask.EXAMPLE}" --out files
"""


def main(argv: Sequence[str] | None = None) -> int:
    def command() -> int:
        options = _parser().parse_args(argv)
        logs.to_stream(logging.INFO if options.verbose else logging.WARNING)
        if options.reads_dotenv:
            environment.load_dotenv()
        secret_files.load(os.environ)
        return int(asyncio.run(options.run(options, configuration.load_unattended())))

    return command_line.run(command)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m fetcher",
        description="Reads web pages, safely.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"slack-web-reader {VERSION}")
    parser.set_defaults(reads_dotenv=True)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    fetch = commands.add_parser("fetch", help="read a page and print web_fetch's JSON")
    fetch.add_argument("url", metavar="URL")
    fetch.set_defaults(run=_fetch)

    show = commands.add_parser("sample", help="list the pages of the built-in web, or read one of them")
    show.add_argument("url", metavar="URL", nargs="?", help="a page of the list, such as " + sample.URL)
    show.set_defaults(run=_sample)

    ask.add_to(commands)
    serve.add_to(commands)
    mcp.add_to(commands)

    for command in (fetch, show):
        command.add_argument("--max-chunk-tokens", type=int, metavar="N", help="128 to 2048")
        command.add_argument("--no-cache", action="store_true", help="do not use a cached copy")
        command.add_argument("--browser", action="store_true", help="render the page in headless Chromium")
        command.add_argument("--markdown", action="store_true", help="print the text for people")
        command.add_argument("-v", "--verbose", action="store_true", help="log to stderr as JSON lines")
    return parser


async def _fetch(options: argparse.Namespace, settings: Settings) -> int:
    with sample.open_pipeline(settings, options.url) as pipeline:
        tool = WebFetchTool(settings, pipeline)
        if tool.requires_approval() and not settings.switched_off_by:
            try:
                summary = tool.approval_summary(_arguments(options))
            except FetchError as error:
                return _print_error(options, error)
            if not await _approved(f"{summary}\nFetch this page? [y/N] ", settings):
                return FAILED
        return await _run(options, tool)


async def _approved(question: str, settings: Settings) -> bool:
    """Ask the person at the terminal (SRD FR-WF-OP-02); anything but yes is no."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        setting = settings.approval_required_by
        tell(f"Not fetched: {setting} wants you to approve the page, on a terminal.")
        return False
    print(question, end="", file=sys.stderr, flush=True)
    # The loop goes on while the person types, so that Ctrl+C stops the program at once.
    loop, typed = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(sys.stdin)
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        tell("Not fetched.")
        return False
    return True


async def _sample(options: argparse.Namespace, settings: Settings) -> int:
    if options.url is None:
        width = max(len(page.url) for page in sample.PAGES)
        for page in sample.PAGES:
            if page.about:
                print(f"{page.url:{width}}  {page.about}")
        tell("\nRead one: python -m fetcher sample URL --markdown")
        return 0
    if options.url.partition("?")[0] not in {page.url for page in sample.PAGES}:
        tell(f"Not a page of the sample web: {options.url}. `sample` without a URL lists them.")
        return FAILED
    with sample.open_pipeline(settings, options.url) as pipeline:
        return await _run(options, WebFetchTool(settings, pipeline))


async def _run(options: argparse.Namespace, tool: WebFetchTool) -> int:
    try:
        answer = await tool.execute(_arguments(options))
    except FetchError as error:
        return _print_error(options, error)
    if options.markdown:
        page = json.loads(answer)
        parts = [page["final_url"], *(chunk["text"].rstrip("\n") for chunk in page["chunks"])]
        if page["truncated"]:
            reason = TruncationReason(page["truncation_reason"])
            tell(wording.page_truncated(page["final_url"], reason))
            parts.append(fixed_ja.MORE)
        answer = "\n\n".join(parts)
    print(answer)
    return 0


def _print_error(options: argparse.Namespace, error: FetchError) -> int:
    """As JSON on standard output for programs (SRD §3.7.1), or as a sentence on standard error for people."""
    if options.markdown:
        detail = f" ({error.message})" if error.code is ErrorCode.BAD_ARGS else ""
        tell(f"{options.url}: {wording.failure(error)}{detail}")
    else:
        print(error_text(error))
    return FAILED


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    arguments = {"url": options.url, "no_cache": options.no_cache, "force_browser": options.browser}
    if options.max_chunk_tokens is not None:
        arguments["max_chunk_tokens"] = options.max_chunk_tokens
    return arguments


if __name__ == "__main__":
    sys.exit(main())
