"""Which passages bear on a question.

Only the question is cut into words; the passages are searched for them as they are, which is fast. The score
is BM25's over the words: a word counts by the best of its forms, so that a long one does not drown the
others. A passage with more of the words is better than one with few of them often.
"""

import re
from collections.abc import Sequence
from math import log

from fetcher.web.search.query_words import STRONG, WEAK, Form, Word, folded, words
from fetcher.web.search.question_words import DATE, NEWEST, VERSION

_SATURATION, _LENGTH = 1.2, 0.5
"""BM25's k1 and b; passages are of similar length, so that length matters little."""
_IN_LABEL = 2
"""An occurrence in a label counts as this many more."""
FLOOR = 0.2
"""A passage with less than this share of the best score does not bear on the query."""
_ANSWER_ALONE = 0.5
"""What a passage is worth that only looks like an answer."""
_TOGETHER = 0.3
"""What topics count once more that stand in one sentence with the kind of answer that is wanted."""
_NEWEST_BONUS = 1.01
"""What the newest passage gets of the best score besides, where the newest is asked for: it comes first."""
_SENTENCES = re.compile(r"[\u3002\n!?]")
_LABELS = re.compile(
    r"^#{1,6} .*+$"  # a heading
    r"|^\|[^|\n]{1,30}+\|"  # the first cell of a row
    r"|^[^|\n]{1,30}+(?=\n-)"  # what a list is about
    r"|^[-*+ ]*+[^|:\n]{1,15}+:",  # what stands before a colon
    re.MULTILINE,
)
"""What says of the text behind it or below it what it is about."""
_NEWEST, _DATE, _VERSION = re.compile(NEWEST), re.compile(DATE), re.compile(VERSION)


def rank(
    query: str,
    passages: Sequence[str],
    *,
    most: int,
    worths: Sequence[float] | None = None,
    floor: float = FLOOR,
) -> list[int]:
    """The indices of the passages that bear on the query, best first; none if the query says nothing.

    `worths` says how much a find in each passage counts: 1 where it is not given. `floor` is the share of the
    best score below which a passage is left out.
    """
    wanted = words(query)
    if not wanted:
        return []
    texts = [folded(passage) for passage in passages]
    labels = ["\n".join(_LABELS.findall(text)) for text in texts]
    final = _scores(wanted, texts, labels, worths)
    if _NEWEST.search(folded(query)):
        # Passages under the newest date, or the highest version, come above the others.
        moments: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        for at, label in enumerate(labels):
            dates = [tuple(int(part or 0) for part in date) for date in _DATE.findall(label)]
            versions = [tuple(map(int, found.split("."))) for found in _VERSION.findall(label)]
            if dates or versions:
                moments[at] = max(dates, default=()), max(versions, default=())
        newest, best_score = max(moments.values(), default=None), max(final.values(), default=1.0)
        for at, moment in moments.items():
            if moment == newest and texts[at]:
                final[at] = final.get(at, 0) + _NEWEST_BONUS * best_score
    least_score = floor * max(final.values(), default=0)
    best = [at for at, score in final.items() if score >= least_score]
    return sorted(best, key=lambda at: (-final[at], at))[:most]


def _scores(
    wanted: Sequence[Word], texts: Sequence[str], labels: Sequence[str], worths: Sequence[float] | None
) -> dict[int, float]:
    """What each passage scores that has enough of the words."""
    mean = sum(map(len, texts)) / max(1, len(texts))
    dampings = [_SATURATION * (1 - _LENGTH + _LENGTH * len(text) / (mean or 1)) for text in texts]
    scores, covered, shares = [0.0] * len(texts), [0.0] * len(texts), [0.0] * len(texts)
    about, telling = set[int](), list[tuple[float, Word]]()
    kinds = [word for word in wanted if not word.is_topic]
    for word in wanted:
        found = [_found(word, *each) for each in zip(texts, labels, dampings, strict=True)]
        holding = sum(1 for share, _ in found if share)
        worth = word.weight * log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        if word.is_topic and word.weight > STRONG:
            telling.append((worth, word))
        for at, (share, often) in enumerate(found):
            scores[at] += worth * often
            covered[at] += word.weight * share
            shares[at] = max(shares[at], share if word.weight > STRONG else min(share, WEAK))
            if word.is_topic and word.weight > STRONG and share >= STRONG:
                about.add(at)
    total = sum(word.weight for word in wanted)
    for at in about:
        scores[at] += _TOGETHER * _told_together(texts[at], telling, kinds)
    final: dict[int, float] = {}
    for at, score in enumerate(scores):
        if score and shares[at] >= WEAK:
            worth = (1 if worths is None else worths[at]) * (1 if at in about else _ANSWER_ALONE)
            final[at] = worth * score * (0.4 + covered[at] / total)
    return final


def _found(word: Word, text: str, label: str, damping: float) -> tuple[float, float]:
    """How much of a word a passage has, and how much that counts, often or in a label."""

    def counted(form: Form) -> float:
        times = form.count(text)
        often = times + _IN_LABEL * form.count(label) if times else 0
        return form.worth * often / (often + damping)

    best_form, best = 0.0, 0.0
    for form in word.forms:
        if (value := counted(form)) > best:
            best_form, best = form.worth, value
    if word.parts and best_form < 1:
        values = [(form.worth, value) for form in word.parts if (value := counted(form))]
        together = sum(value for _, value in values)
        if together > best:
            return sum(share for share, _ in values), together
    return best_form, best


def _told_together(text: str, topics: Sequence[tuple[float, Word]], kinds: Sequence[Word]) -> float:
    """How much of the topics stands in one sentence, or one row, with the kind of answer that is wanted."""
    best = 0.0
    for sentence in _SENTENCES.split(text) if kinds else ():
        kind = max(word.weight if any(form.count(sentence) for form in word.forms) else 0 for word in kinds)
        if kind:
            named = (
                max((form.worth for form in word.forms if form.count(sentence)), default=0)
                for _, word in topics
            )
            best = max(
                best, kind * sum(worth * share for (worth, _), share in zip(topics, named, strict=True))
            )
    return best
