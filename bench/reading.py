"""HTML to Markdown: our two reading modes and other readers, on the same pages in the same run."""

import gzip
import importlib.machinery
import importlib.util
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any

from bench.figures import spread

SHARED = Path(__file__).parent.parent.parent / "shared"
CORPUS = SHARED / "data" / "extraction-dev"
SCORER = SHARED / "tools" / "score-extraction"
PARTS = 3
"""The pages are dealt out like cards; each part gives a ratio, and the ratios a spread."""


@dataclass(slots=True)
class _Tally:
    """Times and verdicts of one reader."""

    spent: list[float] = field(default_factory=lambda: [0.0] * PARTS)
    size: list[int] = field(default_factory=lambda: [0] * PARTS)
    verdicts: list[tuple[str, int, tuple[float, float, float]]] = field(default_factory=list)
    """A page's kind and number, and the precision, recall and F1 of what was read of it."""

    def seconds(self, part: int) -> float:
        """For a megabyte of this part."""
        return self.spent[part] / self.size[part] * 1e6

    @property
    def speed(self) -> float:
        """Megabytes a second."""
        return sum(self.size) / sum(self.spent) / 1e6


def report() -> str:
    """A Markdown table of quality and speed, and of ours as a multiple of each."""
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    from bench.peers import OURS

    tallies = _read_all()
    ours = tallies[OURS]
    lines = []
    for name, tally in tallies.items():
        score = mean(verdict[2] for _, _, verdict in tally.verdicts)
        ratios = [tally.seconds(part) / ours.seconds(part) for part in range(PARTS)]
        figures = f"{f'{score:.3f}' if score else ''} | {tally.speed:.1f} | {ours.speed / tally.speed:.2f}"
        lines.append(f"| {name} | {figures} | {spread(ratios)} |")
    head = "| HTML → Markdown | F1 | MB/s | ours is so many times as fast | spread |"
    speed = "\n".join([head, "|---|--:|--:|--:|---|", *lines])
    kinds = sorted({kind for kind, _, _ in ours.verdicts})
    rows = [_quality_row(kind, [row for row in ours.verdicts if row[0] == kind]) for kind in kinds]
    head = "| kind | F1 | precision | recall | F1, even ids | F1, odd ids |"
    quality = "\n".join([head, "|---|--:|--:|--:|--:|--:|", *rows, _quality_row("all", ours.verdicts)])
    return f"{quality}\n\n{speed}"


def _quality_row(name: str, rows: list[tuple[str, int, tuple[float, float, float]]]) -> str:
    figures = [mean(verdict[number] for _, _, verdict in rows) for number in (2, 0, 1)]
    halves = [mean(verdict[2] for _, page, verdict in rows if page % 2 == odd) for odd in (0, 1)]
    return f"| {name} | {' | '.join(f'{figure:.3f}' for figure in (*figures, *halves))} |"


def _read_all() -> dict[str, _Tally]:
    """Seconds of processor time, children's too; each page is read by all of them in turn."""
    from bench.peers import READERS, SELDOM

    # The corpus's own judge is a program without an ending.
    loader = importlib.machinery.SourceFileLoader("scorer", str(SCORER))
    spec = importlib.util.spec_from_loader("scorer", loader)
    assert spec is not None
    scorer = importlib.util.module_from_spec(spec)
    loader.exec_module(scorer)
    tallies = {name: _Tally() for name in READERS}
    for read in READERS.values():
        read(b"<title>x</title><p>x</p>", "http://x.example/")  # loads, or installs, what is loaded late
    for number, (page, html, facts) in enumerate(_marked_pages()):
        for name, read in READERS.items():
            if number % SELDOM.get(name, 1):
                continue
            tally, part = tallies[name], number // SELDOM.get(name, 1) % PARTS
            started = sum(os.times()[:4])
            found = read(html, facts["url"])
            tally.spent[part] += sum(os.times()[:4]) - started
            tally.size[part] += len(html)
            verdict = scorer.score(scorer.plain(found), facts["main_content"])
            tally.verdicts.append((facts["type"], int(page), verdict))
    return tallies


def pages() -> Iterator[tuple[bytes, str]]:
    """Every page with its address."""
    return ((html, facts["url"]) for _, html, facts in _marked_pages())


def _marked_pages() -> Iterator[tuple[str, bytes, dict[str, Any]]]:
    """Every page with its number and what people wrote down about it."""
    truth = json.loads((CORPUS / "truth.json").read_text("utf-8"))
    for page, facts in sorted(truth.items()):
        yield page, gzip.decompress((CORPUS / f"{page}.html.gz").read_bytes()), facts


if __name__ == "__main__":
    print(report())
