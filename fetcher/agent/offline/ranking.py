"""Which passages bear on a question.

Only the question is cut into terms; the passages are searched for them as they are, which is fast. The
score is BM25's, with the terms' own weights.
"""

import re
from collections.abc import Sequence
from math import log

from fetcher.agent.offline.search_terms import STRONG, folded, terms

_SATURATION, _LENGTH = 1.2, 0.5
"""BM25's k1 and b; passages are of similar length, so that length matters little."""
_IN_HEADING = 2
"""An occurrence in a heading counts as this many more."""
_FLOOR = 0.3
"""A passage with less than this share of the best score does not bear on the query."""
_HEADINGS = re.compile(r"^#{1,6} .*$", re.MULTILINE)


def rank(query: str, passages: Sequence[str], *, most: int) -> list[int]:
    """The indices of the passages that bear on the query, best first; none if the query says nothing."""
    wanted = terms(query)
    if not wanted:
        return []
    texts = [folded(passage) for passage in passages]
    # A passage must hold a strong term, or any term where the query has no strong one.
    least = STRONG if wanted[0].weight >= STRONG else 0
    headings = ["\n".join(_HEADINGS.findall(text)) if "#" in text else "" for text in texts]
    mean = sum(map(len, texts)) / max(1, len(texts))
    dampings = [_SATURATION * (1 - _LENGTH + _LENGTH * len(text) / (mean or 1)) for text in texts]
    scores: dict[int, float] = {}
    for weight, count in wanted:  # the strong ones come first
        counts = {at: times for at, text in enumerate(texts) if (times := count(text))}
        worth = weight * log(1 + (len(texts) - len(counts) + 0.5) / (len(counts) + 0.5))
        for at, times in counts.items():
            if weight >= least or at in scores:
                often = times + _IN_HEADING * count(headings[at])
                scores[at] = scores.get(at, 0) + worth * often / (often + dampings[at])
    floor = _FLOOR * max(scores.values(), default=0)
    bearing = [at for at, score in scores.items() if score >= floor]
    return sorted(bearing, key=lambda at: (-scores[at], at))[:most]
