"""How the cost of chunking grows with the text: four times the text, about four times the time."""

import gc
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from statistics import median

from fetcher.web.output.chunks import chunk
from fetcher.web.output.tokens import count

SIZE = 1_000_000
GROWTH = 4
RUNS = 3
LIMIT = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of text; times are seconds of processor time for `SIZE` bytes."""

    name: str
    seconds: float
    ratio: float
    counting: float
    """Seconds that counting the whole text once takes: the floor."""

    def __str__(self) -> str:
        return f"| {self.name} | {self.seconds:.2f} | {self.counting:.2f} | {self.ratio:.2f} |"


def report() -> str:
    """The measurements as a Markdown table."""
    return "\n".join(
        [
            f"| Text | {SIZE / 1e6:g} MB, s | counted once, s | {GROWTH * SIZE / 1e6:g} MB, times |",
            "|---|--:|--:|--:|",
            *map(str, measure()),
        ]
    )


def measure() -> Iterator[Row]:
    """A row for each kind of text: medians of several runs, small and large by turns."""
    chunk_all = partial(chunk, max_tokens=LIMIT)
    chunk_all("The tokenizer loads on first use.")
    for name, make in SHAPES.items():
        small, large = _sized(make, SIZE), _sized(make, GROWTH * SIZE)
        runs = [(_seconds(chunk_all, small), _seconds(chunk_all, large)) for _ in range(RUNS)]
        ratios = [after / before for before, after in runs]
        yield Row(
            name=name,
            seconds=median(before for before, _ in runs),
            ratio=median(ratios),
            counting=_seconds(count, small),
        )


def _seconds(work: Callable[[str], object], text: str) -> float:
    gc.collect()
    started = time.process_time()
    work(text)
    return time.process_time() - started


def _sized(make: Callable[[random.Random], str], size: int) -> str:
    """Text of about `size` bytes, the same at every call."""
    seed, made, written = random.Random(size), [], 0
    while written < size:
        made.append(make(seed))
        written += len(made[-1].encode())
    text = "".join(made)
    return f"```\n{text}```\n" if make is _code_line else text


def _vocabulary(letters: str) -> list[str]:
    seed = random.Random(letters)
    return ["".join(seed.choices(letters, k=seed.randint(2, 9))) for _ in range(5000)]


_LATIN = _vocabulary("etaoinshrdlucmfwygp")
_KANA = _vocabulary("".join(map(chr, range(0x3042, 0x3094))))


def _words(seed: random.Random, number: int) -> str:
    return " ".join(seed.choices(_LATIN, k=number))


def _english(seed: random.Random) -> str:
    heading = f"## {_words(seed, 3)}\n\n" if seed.random() < 0.2 else ""
    return heading + " ".join(f"{_words(seed, 12)}." for _ in range(4)) + "\n\n"


def _code_line(seed: random.Random) -> str:
    return f"    {_words(seed, 1)} = {_words(seed, 1)}({_words(seed, 1)})\n"


SHAPES: dict[str, Callable[[random.Random], str]] = {
    "English": _english,
    "Japanese": lambda seed: "".join("".join(seed.choices(_KANA, k=5)) + "。" for _ in range(4)) + "\n\n",
    "One long line": lambda seed: f"{_words(seed, 1)} ",
    "One list": lambda seed: f"- {_words(seed, 8)}\n  - {_words(seed, 8)}\n",
    "One table": lambda seed: f"| {_words(seed, 1)} | {_words(seed, 1)} | {_words(seed, 3)} |\n",
    "One code block": _code_line,
    "No spaces": lambda seed: _words(seed, 1),
}


if __name__ == "__main__":
    print(report())
