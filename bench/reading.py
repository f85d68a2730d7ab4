"""HTML to Markdown: our two reading modes beside what people use, on the same pages in the same run."""

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

SHARED = Path(__file__).parent.parent.parent / "shared"
CORPUS = SHARED / "data" / "extraction-dev"
SCORER = SHARED / "tools" / "score-extraction"
PARTS = 3
"""The pages are dealt out like cards; each part gives a ratio, and the ratios a spread."""


@dataclass(slots=True)
class _Tally:
    """What one reader did."""

    spent: list[float] = field(default_factory=lambda: [0.0] * PARTS)
    size: list[int] = field(default_factory=lambda: [0] * PARTS)
    scores: list[float] = field(default_factory=list)

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

    tallies = _tallies()
    ours = tallies[OURS]
    lines = [
        f"| {name} | {_f1(tally)} | {tally.speed:.1f} | {ours.speed / tally.speed:.2f} "
        f"| {_spread(tally, ours)} |"
        for name, tally in tallies.items()
    ]
    head = "| HTML → Markdown | F1 | MB/s | ours is so many times as fast | spread |"
    return "\n".join([head, "|---|--:|--:|--:|---|", *lines])


def _tallies() -> dict[str, _Tally]:
    """Seconds of processor time, children's too; each page is read by all of them in turn."""
    from bench.peers import READERS, SELDOM

    scorer = _scorer()
    tallies = {name: _Tally() for name in READERS}
    for number, (html, url, wanted) in enumerate(_marked_pages()):
        for name, read in READERS.items():
            if number % SELDOM.get(name, 1):
                continue
            tally, part = tallies[name], number // SELDOM.get(name, 1) % PARTS
            started = _processor_time()
            found = read(html, url)
            tally.spent[part] += _processor_time() - started
            tally.size[part] += len(html)
            tally.scores.append(scorer.score(scorer.plain(found), wanted)[2])
    return tallies


def _processor_time() -> float:
    return sum(os.times()[:4])


def _f1(tally: _Tally) -> str:
    return f"{mean(tally.scores):.3f}" if any(tally.scores) else ""


def _spread(tally: _Tally, ours: _Tally) -> str:
    ratios = sorted(tally.seconds(part) / ours.seconds(part) for part in range(PARTS))
    return f"{ratios[0]:.2f} to {ratios[-1]:.2f}"


def _scorer() -> Any:
    """The corpus's own judge, a program without an ending."""
    loader = importlib.machinery.SourceFileLoader("scorer", str(SCORER))
    spec = importlib.util.spec_from_loader("scorer", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def pages() -> Iterator[tuple[bytes, str]]:
    """Every page with its address."""
    return ((html, url) for html, url, _ in _marked_pages())


def _marked_pages() -> Iterator[tuple[bytes, str, str]]:
    """Every page with its address and what people marked as its content."""
    truth = json.loads((CORPUS / "truth.json").read_text("utf-8"))
    for page, facts in sorted(truth.items()):
        html = gzip.decompress((CORPUS / f"{page}.html.gz").read_bytes())
        yield html, facts["url"], facts["main_content"]


if __name__ == "__main__":
    print(report())
