"""How much text of which sort stands in every subtree: measured in one pass, asked in constant time."""

import re
from dataclasses import dataclass, field
from itertools import accumulate

from fetcher.web.tree import Tree

PROSE = 80
"""The weight from which a run of text outside links counts as prose rather than as a label."""

_WIDE = re.compile("[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9d]+")


def weight(text: str) -> int:
    """The length of a text, fair to scripts that say more with fewer characters.

    About 35 Japanese characters say what 80 Latin ones do.
    """
    length = len(text.strip())
    if length == 0 or text.isascii():
        return length
    return length + sum(map(len, _WIDE.findall(text))) * 5 // 4


class _Sums:
    """Prefix sums of weights as they are now, added up when they are first asked for: not all are."""

    __slots__ = ("_sums", "_weights")

    def __init__(self, weights: list[int]) -> None:
        self._weights = weights[:]
        self._sums: list[int] | None = None

    def __call__(self) -> list[int]:
        if self._sums is None:
            self._sums = list(accumulate(self._weights, initial=0))
        return self._sums


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
    weight_sums: list[int] = field(init=False)
    _linked: _Sums = field(init=False)
    _prose: _Sums = field(init=False)
    _changed: bool = field(default=True, init=False)
    """True when the sums are not those of the weights any more."""

    def __post_init__(self) -> None:
        self.add_up()

    def add_up(self) -> None:
        """Makes the sums anew from the nodes' own weights."""
        if self._changed:
            self.weight_sums = list(accumulate(self.weights, initial=0))
            self._linked = _Sums(self.linked)
            self._prose = _Sums(self.prose)
            self._changed = False

    def forget(self, start: int, end: int) -> None:
        """Lets a range of nodes weigh nothing from the next adding up on."""
        self._changed = True
        nothing = [0] * (end - start)
        self.weights[start:end] = self.linked[start:end] = self.prose[start:end] = nothing

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

    def text_between(self, start: int, end: int) -> int:
        return self.weight_sums[end] - self.weight_sums[start]


def measure(tree: Tree) -> Features:
    # Most texts are ASCII and most nodes have none: their lengths are taken without a call each.
    weights = list(map(len, map(str.strip, tree.texts)))
    for index, text in enumerate(tree.texts):
        if not text.isascii():
            weights[index] = weight(text)
    linked = [0] * len(weights)
    prose = [size if size >= PROSE else 0 for size in weights]
    for start in [index for index, tag in enumerate(tree.tags) if tag == "a"]:
        end = tree.ends[start]
        linked[start:end] = weights[start:end]
        prose[start:end] = [0] * (end - start)
    return Features(ends=tree.ends, weights=weights, linked=linked, prose=prose)
