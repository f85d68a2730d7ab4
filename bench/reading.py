"""HTML to Markdown: our two reading modes and other readers, on the same pages in the same run.

One table has F1 on each corpus, another that of each kind of page. Where people marked the content of a page,
precision, recall and F1 are means over the pages; where they wrote down some passages that belong to it and
some that do not, they are over all of these together, as in the evaluation that the passages come from.
"""

import gc
import gzip
import importlib.machinery
import importlib.util
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from bench import newspapers

Marked = Iterator[tuple[bytes, dict[str, Any]]]
"""Pages, each with what people wrote down about it."""

SHARED = Path(__file__).parent.parent.parent / "shared"
DATA = SHARED / "data"
CORPUS = DATA / "extraction-dev"
CORPORA = ("extraction-dev", "extraction-more", "extraction-snippets", "extraction-ja")
SCORER = SHARED / "tools" / "score-extraction"
TICK = 0.01
"""The seconds that the clock of the processor's time counts in."""


class Verdict(NamedTuple):
    """What was read of one page: either shares, or counts of passages."""

    kind: str
    precision: float = 0
    recall: float = 0
    f1: float = 0
    passages: tuple[int, int, int] | None = None
    """How many were found that belong to the content, that do not, and how many belong to it."""


@dataclass(slots=True)
class _Tally:
    """Times and verdicts of one reader."""

    spent: float = 0.0
    size: int = 0
    verdicts: list[Verdict] = field(default_factory=list)

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return self.size / max(self.spent, TICK) / 1e6


def report() -> str:
    """Quality on each corpus and speed on the first, of every reader; and quality of ours for each kind."""
    from bench.peers import OURS

    present = {name: marked_pages(DATA / name) for name in CORPORA if (DATA / name).exists()}
    if newspapers.CHECKOUT:
        present[newspapers.NAME] = newspapers.marked_pages(Path(newspapers.CHECKOUT))
    if not present:
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    tallies = {name: _read_all(marked) for name, marked in present.items()}
    ours = {name: of_readers[OURS].verdicts for name, of_readers in tallies.items()}
    return f"{_readers(tallies)}\n\n{_kinds(ours)}"


def _readers(tallies: dict[str, dict[str, _Tally]]) -> str:
    from bench.peers import OURS

    first = next(iter(tallies.values()))
    lines = [
        f"| HTML → Markdown, F1 | {' | '.join(tallies)} | MB/s | ours is so many times as fast |",
        "|---|" + "--:|" * (len(tallies) + 2),
    ]
    for name, tally in first.items():
        found = [shares(of_readers[name].verdicts) for of_readers in tallies.values()]
        speed = f"{tally.speed:.1f} | {first[OURS].speed / tally.speed:.2f}"
        lines.append(f"| {name} | {_cells(f1 for _, _, f1 in found)} | {speed} |")
        if name == OURS:
            lines.append(f"| its precision | {_cells(precision for precision, _, _ in found)} | | |")
            lines.append(f"| its recall | {_cells(recall for _, recall, _ in found)} | | |")
    return "\n".join(lines)


def _kinds(verdicts: dict[str, list[Verdict]]) -> str:
    """Of the corpora that have several kinds of pages."""
    mixed = {name: found for name, found in verdicts.items() if len({verdict.kind for verdict in found}) > 1}
    kinds = sorted({verdict.kind for found in mixed.values() for verdict in found})
    rows = [
        f"| {kind} | {_cells(shares([v for v in found if v.kind == kind])[2] for found in mixed.values())} |"
        for kind in kinds
    ]
    head = f"| this project, F1 by kind | {' | '.join(mixed)} |"
    return "\n".join([head, "|---|" + "--:|" * len(mixed), *rows])


def _cells(found: Iterable[float]) -> str:
    """Empty ones for what reads nothing."""
    return " | ".join(f"{share:.3f}" if share else "" for share in found)


def shares(verdicts: list[Verdict]) -> tuple[float, float, float]:
    """Precision, recall and F1 of all of them."""
    passages = [verdict.passages for verdict in verdicts if verdict.passages]
    if not passages:
        rows = verdicts or [Verdict("")]
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
            if number % SELDOM.get(name, 1):
                continue
            tally = tallies[name]
            started = sum(os.times()[:4])
            found = read(html, facts["url"])
            tally.spent += sum(os.times()[:4]) - started
            tally.size += len(html)
            tally.verdicts.append(verdict_on(scorer, scorer.plain(found), facts))
    return tallies


def load_scorer() -> Any:
    """The corpora's own judge, which is a program without an ending."""
    loader = importlib.machinery.SourceFileLoader("scorer", str(SCORER))
    spec = importlib.util.spec_from_loader("scorer", loader)
    assert spec is not None
    scorer = importlib.util.module_from_spec(spec)
    loader.exec_module(scorer)
    return scorer


def verdict_on(scorer: Any, found: str, facts: dict[str, Any]) -> Verdict:
    """What was read of a page, compared with what people wrote down about it."""
    if "main_content" in facts:
        units = scorer.pairs if facts.get("lang") == "ja" else scorer.words
        return Verdict(facts["type"], *scorer.score(found, facts["main_content"], units))
    text = " ".join(found.split())
    wanted, unwanted = (
        [" ".join(passage.split()) in text for passage in facts[key]] for key in ("with", "without")
    )
    return Verdict("article", passages=(sum(wanted), sum(unwanted), len(wanted)))


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
