"""`python -m fetcher ask`: a question answered on the command line."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fetcher import configuration, wording
from fetcher.agent import (
    Answer,
    AskRequest,
    GeneratedFile,
    Progress,
    QuestionRejected,
    Step,
    limits_of,
    links_of,
    only_links,
    only_urls,
    open_agent,
)
from fetcher.agent.files.file_names import distinct_name
from fetcher.settings import Settings

FAILED = 1


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser("ask", help="answer a question about pages, with sources and files")
    parser.add_argument("question", metavar="QUESTION", help="the question, with its links in it")
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="where files are written")
    parser.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="log to stderr as JSON lines")
    parser.set_defaults(run=run)


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """Answer, write the files, and return whether both worked."""
    agent_settings = configuration.load_agent()
    agent = open_agent(agent_settings, settings)
    request = AskRequest(question=options.question, limits=limits_of(agent_settings))

    def print_progress(progress: Progress) -> None:
        if progress.step is Step.FETCHING:
            print(wording.fetching(progress.url), file=sys.stderr)
        elif progress.step is Step.READING:
            print(wording.reading(only_urls(progress.title, ())), file=sys.stderr)
        elif progress.step is Step.THINKING:
            print(wording.thinking(), file=sys.stderr)

    try:
        answer = await agent.ask(request, print_progress)
    except QuestionRejected as error:
        print(wording.note(error.code), file=sys.stderr)
        return FAILED
    finally:
        await agent.aclose()
    paths = _write_files(answer.files, options.out)
    print(_as_json(answer, paths) if options.json else _for_people(answer, paths))
    return 0 if answer.answered and len(paths) == len(answer.files) else FAILED


def _write_files(files: Sequence[GeneratedFile], directory: Path) -> list[Path]:
    """Write the files, never over another one; the paths of those that were written before any error."""
    paths: list[Path] = []
    try:
        for file in files:
            directory.mkdir(parents=True, exist_ok=True)
            path = directory / distinct_name(file.file_name, {other.name for other in directory.iterdir()})
            with path.open("xb") as target:
                target.write(file.content)
            paths.append(path)
    except OSError as error:
        print(wording.not_written(str(directory), error.strerror or str(error)), file=sys.stderr)
    return paths


def _for_people(answer: Answer, paths: list[Path]) -> str:
    sources = [f"[{source.number}] {source.title}\n    {source.url}" for source in answer.sources]
    heading = [f"\n{wording.sources_heading()}:"] if sources else []
    notes = [f"\n{note}" for note in answer.undone]
    text = only_links("\n".join([answer.text.rstrip(), *heading, *sources, *notes]), links_of(answer))
    return "\n".join([text, *map(str, paths)])


def _as_json(answer: Answer, paths: list[Path]) -> str:
    body = {
        "text": only_links(answer.text, links_of(answer)),
        "sources": [{"number": s.number, "title": s.title, "url": s.url} for s in answer.sources],
        "files": [
            {"path": str(path), "mimeType": file.mime_type, "sizeBytes": file.size_bytes}
            for file, path in zip(answer.files, paths, strict=False)
        ],
        "undone": list(answer.undone),
        "offline": answer.offline,
        "usage": {
            "calls": answer.usage.calls,
            "inputTokens": answer.usage.input_tokens,
            "outputTokens": answer.usage.output_tokens,
        },
    }
    return json.dumps(body, ensure_ascii=False, indent=2)
