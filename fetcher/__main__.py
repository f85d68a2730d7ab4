"""The command line: `python -m fetcher fetch URL`."""

import argparse
import asyncio
import io
import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from fetcher import ask, configuration, logs, sample, wording
from fetcher.a2a import command as serve
from fetcher.codes import TruncationReason
from fetcher.settings import ConfigurationError, Settings
from fetcher.web.errors import FetchError
from fetcher.web.pipeline import Pipeline
from fetcher.web.tool import WebFetchTool, error_text
from fetcher.wording import fixed_ja

FAILED, MISCONFIGURED, INTERRUPTED = 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(argv)
    logs.to_stream(logging.INFO if options.verbose else logging.WARNING)
    for stream in (sys.stdout, sys.stderr):  # the output is UTF-8 wherever it goes
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
    try:
        status = int(asyncio.run(options.run(options, configuration.load())))
        sys.stdout.flush()
        return status
    except ConfigurationError as error:
        print(error, file=sys.stderr)
        return MISCONFIGURED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fetcher", description="Reads web pages, safely.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    fetch = commands.add_parser("fetch", help="read a page and print web_fetch's JSON")
    fetch.add_argument("url", metavar="URL")
    fetch.set_defaults(run=_fetch)

    show = commands.add_parser("sample", help="read a built-in page, without any network")
    show.add_argument("url", metavar="URL", nargs="?", default=sample.URL)
    show.set_defaults(run=_sample)

    ask.add_to(commands)
    serve.add_to(commands)

    for command in (fetch, show):
        command.add_argument("--max-chunk-tokens", type=int, metavar="N", help="128 to 2048")
        command.add_argument("--no-cache", action="store_true", help="do not use a cached copy")
        command.add_argument("--browser", action="store_true", help="render the page in headless Chromium")
        command.add_argument("--markdown", action="store_true", help="print the text for people")
        command.add_argument("-v", "--verbose", action="store_true", help="log to stderr as JSON lines")
    return parser


async def _fetch(options: argparse.Namespace, settings: Settings) -> int:
    tool = WebFetchTool(settings, Pipeline(settings))
    if tool.requires_approval() and not settings.switched_off_by:
        try:
            question = f"{tool.approval_summary(_arguments(options))}\nFetch this page? [y/N] "
        except FetchError as error:
            print(error_text(error))
            return FAILED
        # The person at the terminal is asked (SRD FR-WF-OP-02); anything but yes is no.
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            setting = settings.approval_required_by
            print(f"Not fetched: {setting} wants you to approve the page, on a terminal.", file=sys.stderr)
            return FAILED
        print(question, end="", file=sys.stderr, flush=True)
        # The loop goes on while the person types, so that Ctrl+C stops the program at once.
        loop, typed = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(sys.stdin, typed.set)
        try:
            await typed.wait()
        finally:
            loop.remove_reader(sys.stdin)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print("Not fetched.", file=sys.stderr)
            return FAILED
    return await _run(options, tool)


async def _sample(options: argparse.Namespace, settings: Settings) -> int:
    web = settings.webfetch.model_copy(update={"cache_dir": ""})
    uncached = settings.model_copy(update={"webfetch": web})
    with sample.SampleSite() as site:
        network = sample.SampleNetwork(site.port)
        pipeline = Pipeline(uncached, resolver=network, dialer=network)
        return await _run(options, WebFetchTool(settings, pipeline))


async def _run(options: argparse.Namespace, tool: WebFetchTool) -> int:
    try:
        answer = await tool.execute(_arguments(options))
    except FetchError as error:
        print(error_text(error))
        return FAILED
    if options.markdown:
        page = json.loads(answer)
        parts = [page["final_url"], *(chunk["text"].rstrip("\n") for chunk in page["chunks"])]
        if page["truncated"]:
            reason = TruncationReason(page["truncation_reason"])
            print(wording.page_truncated(page["final_url"], reason), file=sys.stderr)
            parts.append(fixed_ja.MORE)
        answer = "\n\n".join(parts)
    print(answer)
    return 0


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    arguments = {"url": options.url, "no_cache": options.no_cache, "force_browser": options.browser}
    if options.max_chunk_tokens is not None:
        arguments["max_chunk_tokens"] = options.max_chunk_tokens
    return arguments


if __name__ == "__main__":
    sys.exit(main())
