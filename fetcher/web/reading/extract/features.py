"""How much text of which sort stands in every subtree: measured in one pass, asked in constant time."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import accumulate

from fetcher.web.reading.tree import Tree

PROSE = 80
"""The weight from which a run of text outside links counts as prose rather than as a label."""

_WIDE = re.compile("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9d]+")


LONG = 200
"""The weight from which Japanese is prose without punctuation too: headlines are about 40 characters."""
_SENTENCE = re.compile("\u3002|\u3001[^\u3001]*+\u3001")
"""An ideographic full stop, or two ideographic commas."""


def weight(text: str) -> int:
    """The length of a text, fair to scripts that say more with fewer characters.

    About 35 Japanese characters say what 80 Latin ones do.
    """
    length = len(text.strip())
    if length == 0 or text.isascii():
        return length
    return length + sum(map(len, _WIDE.findall(text))) * 5 // 4


class _Sums:
    """Prefix sums of a range of weights as they are now, added up when first asked for: not all are."""

    __slots__ = ("_changed", "_end", "_start", "_sums", "_weights")

    def __init__(self, weights: list[int], start: int, end: int) -> None:
        self._weights, self._start, self._end = weights, start, end
        self._changed: list[tuple[int, list[int]]] = []
        """Where the weights have changed since, and what they were."""
        self._sums: list[int] | None = None

    def __call__(self) -> list[int]:
        if self._sums is None:
            weights = self._weights[:]
            for at, before in reversed(self._changed):
                weights[at : at + len(before)] = before
            self._sums = [0] * self._start
            self._sums += accumulate(weights[self._start : self._end], initial=0)
        return self._sums

    def clear(self, start: int, end: int) -> None:
        """Sets some weights to nothing, and not their sums."""
        if self._sums is None:
            self._changed.append((start, self._weights[start:end]))
        self._weights[start:end] = [0] * (end - start)


@dataclass(slots=True, kw_only=True, eq=False)
class Features:
    """Prefix sums over the nodes: the sum for subtree `i` is `sums[ends[i]] - sums[i]`."""

    ends: list[int]
    weights: list[int]
    """The weight of each node's own text."""
    linked: list[int]
    """The same inside links, 0 elsewhere."""
    prose: list[int]
    """The same for long texts outside links, 0 elsewhere."""
    foreign: list[int]
    """The indices of the texts that are not all ASCII."""
    weight_sums: list[int] = field(init=False)
    _linked: _Sums = field(init=False)
    _prose: _Sums = field(init=False)
    _changed: bool = field(default=True, init=False)
    """True when the sums are not those of the weights any more."""

    def __post_init__(self) -> None:
        self.weight_sums = [0] * (len(self.weights) + 1)
        self._add_up(0, len(self.weights))

    def add_up(self, root: int) -> None:
        """Makes the sums anew from the nodes' own weights, for the subtree that is still to be read."""
        if self._changed:
            self._add_up(root, self.ends[root])

    def _add_up(self, start: int, end: int) -> None:
        self.weight_sums[start : end + 1] = accumulate(self.weights[start:end], initial=0)
        self._linked = _Sums(self.linked, start, end)
        self._prose = _Sums(self.prose, start, end)
        self._changed = False

    def forget(self, start: int, end: int) -> None:
        """Lets a range of nodes weigh nothing from the next adding up on."""
        self._changed = True
        self.weights[start:end] = [0] * (end - start)
        self._linked.clear(start, end)
        self._prose.clear(start, end)

    def unlink(self, start: int, end: int) -> None:
        """Takes links for text from the next adding up on."""
        self._changed = True
        self._linked.clear(start, end)

    def text_in(self, index: int) -> int:
        """The weight of all text in a subtree."""
        return self.weight_sums[self.ends[index]] - self.weight_sums[index]

    def linked_in(self, index: int) -> int:
        """The weight of the text inside links."""
        sums = self._linked()
        return sums[self.ends[index]] - sums[index]

    def prose_in(self, index: int) -> int:
        """The weight of the long runs of text outside links."""
        sums = self._prose()
        return sums[self.ends[index]] - sums[index]

    def is_ascii(self, index: int) -> bool:
        return bisect_left(self.foreign, index) == bisect_left(self.foreign, self.ends[index])

    def text_between(self, start: int, end: int) -> int:
        return self.weight_sums[end] - self.weight_sums[start]


def measure(tree: Tree) -> Features:
    texts, weights, prose = tree.texts, [0] * len(tree.tags), [0] * len(tree.tags)
    foreign: list[int] = []
    for index in tree.named(""):
        text = texts[index]
        if text.isascii():
            size = len(text.strip())
        else:
            size = weight(text)
            foreign.append(index)
            if PROSE <= size < LONG and len(text) < PROSE and not _SENTENCE.search(text):
                weights[index] = size
                continue
        weights[index] = size
        if size >= PROSE:
            prose[index] = size
    linked = [0] * len(weights)
    for start in tree.named("a"):
        end = tree.ends[start]
        linked[start:end] = weights[start:end]
        prose[start:end] = [0] * (end - start)
    return Features(ends=tree.ends, weights=weights, linked=linked, prose=prose, foreign=foreign)
