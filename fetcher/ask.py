"""`python -m fetcher ask`: a question answered on the command line."""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from fetcher import configuration, sample, wording
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
from fetcher.startup.command_line import FAILED, tell
from fetcher.startup.parameters import with_parameters

EXAMPLE = wording.example_question(sample.URL)
"""A question about the sample web, which needs no network."""


def add_to(commands: Any) -> None:
    """Add the command and its options."""
    parser = commands.add_parser(
        "ask",
        help="answer a question about pages, with sources and files",
        epilog=f'example (without a network):  python -m fetcher ask "{EXAMPLE}" --out files',
    )
    parser.add_argument(
        "question",
        metavar="QUESTION",
        nargs="?",
        help="the question, with its links in it; without one, a question about the sample web is asked",
    )
    parser.add_argument("--out", type=Path, default=Path(), metavar="DIR", help="where files are written")
    parser.add_argument("--json", action="store_true", help="print the whole answer as JSON")
    parser.add_argument("-v", "--verbose", action="store_true", help="log to stderr as JSON lines")
    parser.set_defaults(run=run)


async def run(options: argparse.Namespace, settings: Settings) -> int:
    """Answer, write the files, and return whether both worked."""
    if options.question is None:
        tell(wording.asking_example(EXAMPLE))
    question = EXAMPLE if options.question is None else options.question
    agent_settings = configuration.load_agent(with_parameters(os.environ))

    def print_progress(progress: Progress) -> None:
        if progress.step is Step.SEARCHING:
            tell(wording.searched([only_urls(progress.title, ())]))
        elif progress.step is Step.FETCHING:
            tell(wording.fetching(progress.url))
        elif progress.step is Step.READING:
            tell(wording.reading(only_urls(progress.title, ())))
        elif progress.step is Step.THINKING:
            tell(wording.thinking())

    with sample.open_pipeline(settings, question) as pipeline:
        agent = open_agent(agent_settings, settings, pipeline=pipeline)
        try:
            request = AskRequest(question=question, limits=limits_of(agent_settings))
            answer = await agent.ask(request, print_progress)
        except QuestionRejected as error:
            tell(wording.note(error.code))
            return FAILED
        finally:
            await agent.aclose()
    paths, failure = _write_files(answer.files, options.out)
    if failure:
        tell(failure)
        answer = replace(answer, undone=(*answer.undone, failure))
    print(_as_json(answer, paths) if options.json else _for_people(answer, paths))
    return FAILED if failure or not answer.answered else 0


def _write_files(files: Sequence[GeneratedFile], directory: Path) -> tuple[list[Path], str]:
    """Write the files, never over another one. Returns their paths, and why the others were not written."""
    paths: list[Path] = []
    for file in files:
        made: Path | None = None
        try:
            directory.mkdir(parents=True, exist_ok=True)
            path = directory / distinct_name(file.file_name, {other.name for other in directory.iterdir()})
            with path.open("xb") as target:
                made = path
                target.write(file.content)
        except OSError as error:
            if made:  # a full disk has cut it
                made.unlink(missing_ok=True)
            return paths, wording.not_written(str(directory / file.file_name), error.strerror or str(error))
        paths.append(path)
    return paths, ""


def _for_people(answer: Answer, paths: list[Path]) -> str:
    shown = partial(only_links, allowed=links_of(answer))
    sources = [f"[{source.number}] {shown(source.title)}\n    {source.url}" for source in answer.sources]
    heading = [f"\n{wording.sources_heading()}:"] if sources else []
    searched = [wording.searched(answer.searches)] if answer.searches else []
    notes = [f"\n{shown(note)}" for note in (*searched, *answer.undone)]
    text = "\n".join([shown(answer.text.rstrip()), *heading, *sources, *notes])
    return "\n".join([text, *(wording.written(str(path.absolute())) for path in paths)])


def _as_json(answer: Answer, paths: list[Path]) -> str:
    body = {
        "text": only_links(answer.text, links_of(answer)),
        "sources": [{"number": s.number, "title": s.title, "url": s.url} for s in answer.sources],
        "files": [
            {"path": str(path), "mimeType": file.mime_type, "sizeBytes": file.size_bytes}
            for file, path in zip(answer.files, paths, strict=False)
        ],
        "searches": list(answer.searches),
        "undone": list(answer.undone),
        "offline": answer.offline,
        "usage": {
            "calls": answer.usage.calls,
            "inputTokens": answer.usage.input_tokens,
            "outputTokens": answer.usage.output_tokens,
        },
    }
    return json.dumps(body, ensure_ascii=False, indent=2)
