"""What each rule of main-content detection is worth: F1 that is lost without it, times 1,000, on each corpus.

`python -m bench.rules [STEP]` reads every STEP-th page of each corpus (all by default) once with all rules
and once without each of them, and prints a line a rule. `extract/article.py` has these lines.
"""

import sys
from typing import Any

from bench.reading import CORPORA, DATA, load_scorer, marked_pages, shares, verdict_on
from fetcher.web.reading.extract import article
from fetcher.web.reading.readers import article_markdown


def main(step: int) -> None:
    """Prints the table."""
    scorer, stages = load_scorer(), article.STAGES
    pages = {name: [*marked_pages(DATA / name)] for name in CORPORA if (DATA / name).exists()}
    pages = {name: found[:: step if len(found) > 100 * step else 1] for name, found in pages.items()}
    whole = _scores(scorer, pages)
    print("all", {name: f"{score:.4f}" for name, score in whole.items()}, flush=True)
    for rule in [rule for stage in stages for rule in stage]:
        article.STAGES = tuple(tuple(each for each in stage if each is not rule) for stage in stages)
        lost = {name: whole[name] - score for name, score in _scores(scorer, pages).items()}
        worth = ", ".join(
            f"{name.removeprefix('extraction-')} {1000 * each:.1f}" for name, each in lost.items()
        )
        print(f"{rule.__name__}: {worth}", flush=True)
    article.STAGES = stages


def _scores(scorer: Any, pages: dict[str, list[tuple[bytes, dict[str, Any]]]]) -> dict[str, float]:
    found = {}
    for name, marked in pages.items():
        texts = [(scorer.plain(article_markdown(html, facts["url"])), facts) for html, facts in marked]
        found[name] = shares([verdict_on(scorer, text, facts) for text, facts in texts])[2]
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
