"""HTML to Markdown: our two reading modes beside what people use, on the same pages in the same run."""

import gzip
import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from fetcher.web.reading import article_markdown, srd_markdown

CORPUS = Path(__file__).parent.parent.parent / "shared" / "data" / "extraction-dev"

Reader = Callable[[bytes, str], object]


def report() -> str:
    """A Markdown table of speeds, and of ours as a multiple of each."""
    if not CORPUS.exists():
        return f"The pages of {CORPUS.name} are not here: nothing was measured."
    spent, size = _spent(_readers())
    ours = spent["this project, article"]
    lines = [
        f"| {name} | {size / seconds / 1e6:.1f} | {seconds / ours:.2f} |" for name, seconds in spent.items()
    ]
    return "\n".join(["| HTML → Markdown | MB/s | ours is so many times as fast |", "|---|--:|--:|", *lines])


def _spent(readers: dict[str, Reader]) -> tuple[dict[str, float], int]:
    """Seconds of processor time a reader; each page is read by all of them in turn."""
    spent: dict[str, float] = defaultdict(float)
    size = 0
    for html, url in pages():
        size += len(html)
        for name, read in readers.items():
            started = time.process_time()
            read(html, url)
            spent[name] += time.process_time() - started
    return spent, size


def pages() -> Iterator[tuple[bytes, str]]:
    truth = json.loads((CORPUS / "truth.json").read_text("utf-8"))
    for page, facts in sorted(truth.items()):
        yield gzip.decompress((CORPUS / f"{page}.html.gz").read_bytes()), facts["url"]


def _readers() -> dict[str, Reader]:
    """Ours, and the peers of the `bench` extra with their usual settings."""
    import html_to_markdown
    import markdownify
    import trafilatura
    from selectolax.lexbor import LexborHTMLParser

    return {
        "this project, article": article_markdown,
        "this project, srd": srd_markdown,
        "trafilatura": lambda html, url: trafilatura.extract(html, url=url, output_format="markdown"),
        "html-to-markdown (Rust)": lambda html, _: html_to_markdown.convert(html.decode("utf-8", "replace")),
        "markdownify": lambda html, _: markdownify.markdownify(html.decode("utf-8", "replace")),
        "selectolax, parsing alone": lambda html, _: LexborHTMLParser(html),
    }


if __name__ == "__main__":
    print(report())
