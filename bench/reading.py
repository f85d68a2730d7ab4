"""HTML to Markdown: our two reading modes and other readers, on the same pages in the same run.

Each corpus has a table of its own. Where people marked the content of a page, precision, recall and F1 are
means over the pages; where they wrote down some passages that belong to it and some that do not, they are
over all of these together, as in the evaluation that the passages come from.
"""

import gc
import gzip
import importlib.machinery
import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from bench import newspapers
from bench.figures import spread

Marked = Iterator[tuple[bytes, dict[str, Any]]]
"""Pages, each with what people wrote down about it."""

SHARED = Path(__file__).parent.parent.parent / "shared"
DATA = SHARED / "data"
CORPUS = DATA / "extraction-dev"
CORPORA = {
    "extraction-dev": "420 pages of seven kinds; the rules were tuned on them",
    "extraction-more": "880 more in their natural mix; the rules were tuned on them too",
    "extraction-snippets": "476 articles, most of them German; the rules for stories were tuned on them",
    "extraction-ja": "15 Japanese pages, by pairs of characters; the rules for stories were tuned on them",
}
"""The corpora, each with what it is."""
SCORER = SHARED / "tools" / "score-extraction"
TICK = 0.01
"""The seconds that the clock of the processor's time counts in."""
PARTS = 3
"""The pages are dealt out like cards; each part gives a ratio, and the ratios a spread."""


class Verdict(NamedTuple):
    """What was read of one page: either shares, or counts of passages."""

    kind: str
    number: int
    precision: float = 0
    recall: float = 0
    f1: float = 0
    passages: tuple[int, int, int] | None = None
    """How many were found that belong to the content, that do not, and how many belong to it."""


@dataclass(slots=True)
class _Tally:
    """Times and verdicts of one reader."""

    spent: list[float] = field(default_factory=lambda: [0.0] * PARTS)
    size: list[int] = field(default_factory=lambda: [0] * PARTS)
    verdicts: list[Verdict] = field(default_factory=list)

    def seconds(self, part: int) -> float:
        """For a megabyte of this part."""
        return max(self.spent[part], TICK) / self.size[part] * 1e6

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return sum(self.size) / max(sum(self.spent), TICK) / 1e6


def report() -> str:
    """For each corpus Markdown tables of quality and speed, and of ours as a multiple of each reader."""
    here = {name: what for name, what in CORPORA.items() if (DATA / name).exists()}
    present = {f"{name}: {what}": marked_pages(DATA / name) for name, what in here.items()}
    if newspapers.CHECKOUT:
        papers = newspapers.marked_pages(Path(newspapers.CHECKOUT))
        present[f"{newspapers.NAME}: {newspapers.WHAT}"] = papers
    if not present:
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    return "\n\n".join(f"### {title}\n\n{_report_on(found)}" for title, found in present.items())


def _report_on(marked: Marked) -> str:
    from bench.peers import OURS

    tallies = _read_all(marked)
    ours, lines = tallies[OURS], []
    for name, tally in tallies.items():
        ratios = [tally.seconds(part) / ours.seconds(part) for part in range(PARTS) if tally.size[part]]
        figures = f"{tally.speed:.1f} | {ours.speed / tally.speed:.2f} | {spread(ratios)}"
        lines.append(f"| {name} | {_quality(tally.verdicts)} | {figures} |")
    head = (
        "| HTML → Markdown | F1 | precision | recall | F1, even ids | F1, odd ids | MB/s "
        "| ours is so many times as fast | spread |"
    )
    tables = ["\n".join([head, "|---|--:|--:|--:|--:|--:|--:|--:|---|", *lines])]
    kinds = sorted({verdict.kind for verdict in ours.verdicts})
    if len(kinds) > 1:
        rows = [f"| {kind} | {_quality([v for v in ours.verdicts if v.kind == kind])} |" for kind in kinds]
        head = "| kind, this project | F1 | precision | recall | F1, even ids | F1, odd ids |"
        tables.append("\n".join([head, "|---|--:|--:|--:|--:|--:|", *rows]))
    return "\n\n".join(tables)


def _quality(verdicts: list[Verdict]) -> str:
    """F1, precision, recall and F1 of both halves, as cells; empty cells for what reads nothing."""
    halves = [shares([v for v in verdicts if v.number % 2 == odd])[2] for odd in (0, 1)]
    precision, recall, f1 = shares(verdicts)
    return " | ".join(f"{share:.3f}" if f1 else "" for share in (f1, precision, recall, *halves))


def shares(verdicts: list[Verdict]) -> tuple[float, float, float]:
    """Precision, recall and F1 of all of them."""
    passages = [verdict.passages for verdict in verdicts if verdict.passages]
    if not passages:
        rows = verdicts or [Verdict("", 0)]
        return mean(v.precision for v in rows), mean(v.recall for v in rows), mean(v.f1 for v in rows)
    found, wrong, wanted = map(sum, zip(*passages, strict=True))
    precision, recall = found / max(1, found + wrong), found / max(1, wanted)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def _read_all(marked: Marked) -> dict[str, _Tally]:
    """Seconds of processor time, children's too; each page is read by all of them in turn."""
    from bench.peers import READERS, SELDOM

    scorer = load_scorer()
    tallies = {name: _Tally() for name in READERS}
    for read in READERS.values():
        read(b"<title>x</title><p>x</p>", "http://x.example/")  # loads, or installs, what is loaded late
    gc.collect()
    gc.freeze()  # as our reader processes do: a collection then passes over the modules of all readers
    for number, (html, facts) in enumerate(marked):
        for name, read in READERS.items():
            turn, seldom = divmod(number, SELDOM.get(name, 1))
            if seldom:
                continue
            tally = tallies[name]
            started = sum(os.times()[:4])
            found = read(html, facts["url"])
            tally.spent[turn % PARTS] += sum(os.times()[:4]) - started
            tally.size[turn % PARTS] += len(html)
            tally.verdicts.append(verdict_on(scorer, number, scorer.plain(found), facts))
    return tallies


def load_scorer() -> Any:
    """The corpora's own judge, which is a program without an ending."""
    loader = importlib.machinery.SourceFileLoader("scorer", str(SCORER))
    spec = importlib.util.spec_from_loader("scorer", loader)
    assert spec is not None
    scorer = importlib.util.module_from_spec(spec)
    loader.exec_module(scorer)
    return scorer


def verdict_on(scorer: Any, number: int, found: str, facts: dict[str, Any]) -> Verdict:
    """What was read of a page, compared with what people wrote down about it."""
    if "main_content" in facts:
        units = scorer.pairs if facts.get("lang") == "ja" else scorer.words
        return Verdict(facts["type"], number, *scorer.score(found, facts["main_content"], units))
    text = " ".join(found.split())
    wanted, unwanted = (
        [" ".join(passage.split()) in text for passage in facts[key]] for key in ("with", "without")
    )
    return Verdict("article", number, passages=(sum(wanted), sum(unwanted), len(wanted)))


def pages() -> Iterator[tuple[bytes, str]]:
    """Every page of the first corpus with its address."""
    return ((html, facts["url"]) for html, facts in marked_pages(CORPUS))


def marked_pages(corpus: Path) -> Marked:
    """Every page with what people wrote down about it."""
    truth = json.loads((corpus / "truth.json").read_text("utf-8"))
    for page, facts in sorted(truth.items()):
        yield gzip.decompress((corpus / f"{page}.html.gz").read_bytes()), facts


if __name__ == "__main__":
    print(report())
