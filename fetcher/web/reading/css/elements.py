"""The elements of a page as selectors see them."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from fetcher.web.errors import ExtractionFailed
from fetcher.web.reading.tree import Tree

MAX_WORK = 1_000_000
"""How often elements of a page may be compared with parts of selectors: a few seconds."""


def bits_of(names: Iterable[str]) -> int:
    """A few bits for names: where one is missing among the bits of others, so is its name."""
    found = 0
    for name in names:
        found |= 1 << (hash(name) & 255)
    return found


class Place(NamedTuple):
    """Which child of its parent an element is, counted from 1, among all and among those of its name."""

    nth: int
    among: int
    nth_of_type: int
    among_type: int


class Elements:
    def __init__(self, tree: Tree, *, folds: bool) -> None:
        self.tree = tree
        self.folds = folds
        """Whether the case of classes and ids does not matter, as in pages without a document type."""
        self._classes: dict[str | None, frozenset[str]] = {}
        self._places: dict[int, dict[int, Place]] = {}
        self._bits: dict[tuple[str, str | None, str | None], int] = {}
        self._all_keys: dict[int, frozenset[str]] = {}
        self._bits_inside: dict[int, int] = {-1: 0}
        self._left_out: dict[int, list[int]] = {}
        """Where elements stand that are no part of the tree, by their parents."""
        for parent, at in tree.left_out:
            self._left_out.setdefault(parent, []).append(at)
        self._work = 0

    def count_work(self, amount: int) -> None:
        self._work += amount
        if self._work > MAX_WORK:
            raise ExtractionFailed(error="its style sheets take too long to apply")

    def classes(self, index: int) -> frozenset[str]:
        given = self.tree.attributes[index].get("class")
        if (known := self._classes.get(given)) is None:
            known = self._classes[given] = frozenset(self.folded(given or "").split())
            self.count_work(len(known))
        return known

    def id(self, index: int) -> str:
        return self.folded(self.tree.attributes[index].get("id") or "")

    def folded(self, name: str) -> str:
        return name.lower() if self.folds else name

    def keys(self, index: int) -> list[str]:
        """The names by which rules for an element are found, its attributes aside."""
        found = ["*", self.tree.tags[index], *(f".{name}" for name in self.classes(index))]
        return [*found, f"#{id_}"] if (id_ := self.id(index)) else found

    def all_keys(self, index: int) -> frozenset[str]:
        """The same with its attributes."""
        if (known := self._all_keys.get(index)) is None:
            named = (f"[{name}" for name in self.tree.attributes[index])
            known = self._all_keys[index] = frozenset((*self.keys(index), *named))
        return known

    def named(self, name: str) -> list[int]:
        """The elements with a class after a dot or an id after a `#`."""
        return [index for indices in self.by_name.get(name, ()) for index in indices]

    @cached_property
    def by_name(self) -> Mapping[str, list[list[int]]]:
        """The elements by their classes with a dot and ids with a `#`, those with the same names together."""
        found, attributes = defaultdict[str, list[list[int]]](list), self.tree.attributes
        for index in self.tree.with_attribute.get("id", ()):
            found[f"#{self.folded(attributes[index].get('id') or '')}"].append([index])
        together = defaultdict[str, list[int]](list)
        for index in self.tree.with_attribute.get("class", ()):
            together[attributes[index]["class"] or ""].append(index)
        for given, indices in together.items():
            for name in set(self.folded(given).split()):
                found[f".{name}"].append(indices)
        self.count_work(len(found))
        return dict(found)

    def around(self, index: int) -> int:
        """The bits of the tags, classes and ids of all elements around one."""
        parents, inside = self.tree.parents, self._bits_inside
        at = parents[index]
        if (known := inside.get(at)) is not None:
            return known
        passed: list[int] = []
        while at not in inside:
            passed.append(at)
            at = parents[at]
        found = inside[at]
        for each in reversed(passed):
            tag, here = self.tree.tags[each], self.tree.attributes[each]
            like = tag, here.get("class"), here.get("id")
            if (own := self._bits.get(like)) is None:
                own = self._bits[like] = bits_of((tag, *self.classes(each), self.id(each)))
            inside[each] = found = found | own
        return found

    def ancestors(self, index: int) -> Iterator[int]:
        parents = self.tree.parents
        while (index := parents[index]) >= 0:
            self.count_work(1)
            yield index

    def before(self, index: int) -> Iterator[int]:
        """The elements before one that have the same parent, the nearest first."""
        parent, tags = self.tree.parents[index], self.tree.tags
        if parent < 0:
            return
        children = [child for child in self._places_in(parent) if child < index]
        for child in reversed(children):
            self.count_work(1)
            if tags[child]:
                yield child

    def directly_before(self, index: int) -> int | None:
        found = next(self.before(index), None)
        if found is None:
            return None
        return found if self.place(found).nth + 1 == self.place(index).nth else None

    def place(self, index: int) -> Place:
        parent = self.tree.parents[index]
        return self._places_in(parent)[index] if parent >= 0 else Place(1, 1, 1, 1)

    def _places_in(self, parent: int) -> dict[int, Place]:
        if (known := self._places.get(parent)) is not None:
            return known
        tags, left_out = self.tree.tags, self._left_out.get(parent, [])
        children = [child for child in self.tree.children(parent) if tags[child]]
        self.count_work(len(children))
        of_type: dict[str, int] = {}
        nth_of_type: list[int] = []
        for child in children:
            of_type[tags[child]] = of_type.get(tags[child], 0) + 1
            nth_of_type.append(of_type[tags[child]])
        count = len(children) + len(left_out)
        self._places[parent] = places = {
            child: Place(number + bisect_right(left_out, child), count, nth, of_type[tags[child]])
            for number, (child, nth) in enumerate(zip(children, nth_of_type, strict=True), 1)
        }
        return places
