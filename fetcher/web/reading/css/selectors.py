"""What a selector of CSS asks of an element and of those around it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from fetcher.web.reading.css.elements import Elements, bits_of

Test = Callable[[Elements, int], bool]


class Compound(NamedTuple):
    """What one element must be."""

    tag: str
    ids: frozenset[str]
    classes: frozenset[str]
    attributes: tuple[str, ...]
    tests: tuple[Test, ...]
    """What else it must be, its attributes among that."""

    def fits(self, elements: Elements, index: int) -> bool:
        if not self.fits_by_name(elements, index):
            return False
        for test in self.tests:  # noqa: SIM110 - asked many times, and mostly there are none
            if not test(elements, index):
                return False
        return True

    def fits_by_name(self, elements: Elements, index: int) -> bool:
        """Whether an element has the tag, the classes and the id."""
        if self.tag != "*" and self.tag != elements.tree.tags[index]:
            return False
        if self.classes and not self.classes <= elements.classes(index):
            return False
        return not self.ids or self.ids == {elements.id(index)}


class Selector(NamedTuple):
    compounds: tuple[Compound, ...]
    """From the element itself outwards."""
    combinators: tuple[str, ...]
    """What stands before each compound but the outermost."""
    weight: int
    around: int
    """The bits of the names that the elements around must have."""
    known: dict[int, bool]
    """Whether what it asks of the elements around holds for the children of an element."""

    @classmethod
    def of(cls, compounds: tuple[Compound, ...], combinators: tuple[str, ...], weight: int) -> "Selector":
        around = 0
        for combinator, compound in zip(combinators, compounds[1:], strict=True):
            if combinator in " >":
                tag = () if compound.tag == "*" else (compound.tag,)
                around |= bits_of((*tag, *compound.classes, *compound.ids))
        return cls(compounds, combinators, weight, around, {})

    @property
    def key(self) -> str:
        """A part of what the element must be: an id, a class, an attribute, a tag or `*`."""
        last = self.compounds[0]
        for sign, names in (("#", last.ids), (".", last.classes), ("[", last.attributes)):
            if names:
                return sign + min(names)
        return last.tag

    def asks_only(self, key: str) -> bool:
        """Whether every element with its key fits."""
        last = self.compounds[0]
        names = len(last.ids) + len(last.classes) + (last.tag != "*")
        return not self.combinators and not last.tests and names <= (key != "*")

    def names(self) -> Iterable[str]:
        """All classes with a dot and ids with a `#` that it asks for."""
        for compound in self.compounds:
            yield from (f".{name}" for name in compound.classes)
            yield from (f"#{name}" for name in compound.ids)

    def fits(self, elements: Elements, index: int) -> bool:
        elements.count_work(1)
        return self.compounds[0].fits_by_name(elements, index) and self.fits_beside_names(elements, index)

    def fits_beside_names(self, elements: Elements, index: int) -> bool:
        """Whether it fits an element that has the tag, the classes and the id that it asks for."""
        for test in self.compounds[0].tests:
            if not test(elements, index):
                return False
        if not self.combinators:
            return True
        if self.around and self.around & ~elements.around(index):
            return False
        if self.combinators[0] not in " >":
            return self._fits_beyond(elements, index)
        parent = elements.tree.parents[index]
        if (known := self.known.get(parent)) is None:
            if self.combinators == (" ",):
                known = self._fits_around(elements, parent)
            else:
                known = self.known[parent] = self._fits_beyond(elements, index)
        return known

    def _fits_around(self, elements: Elements, parent: int) -> bool:
        """Whether an element or one around it is what the second of two compounds asks: the usual case."""
        at, found = parent, False
        passed: list[int] = []
        while at >= 0:
            if (known := self.known.get(at)) is not None:
                found = known
                break
            passed.append(at)
            if found := self.compounds[1].fits(elements, at):
                break
            at = elements.tree.parents[at]
        elements.count_work(len(passed))
        for each in passed:
            self.known[each] = found
        return found

    def _fits_beyond(self, elements: Elements, index: int) -> bool:
        """Whether the elements around and before one are as it asks."""
        reached, parents = {index}, elements.tree.parents
        for combinator, compound in zip(self.combinators, self.compounds[1:], strict=True):
            beyond = set[int]()
            if combinator == ">":
                beyond = {parents[each] for each in reached if parents[each] >= 0}
            elif combinator == "+":
                beyond = {one for each in reached if (one := elements.directly_before(each)) is not None}
            elif combinator == "~":
                last = {parents[each]: each for each in sorted(reached)}
                beyond = {one for each in last.values() for one in elements.before(each)}
            else:  # all that are reached stand around one element or beside each other
                for each in reached:
                    for above in elements.ancestors(each):
                        if above in beyond:
                            break
                        beyond.add(above)
            reached = {each for each in beyond if compound.fits(elements, each)}
            if not reached:
                return False
        return True
