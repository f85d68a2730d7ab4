"""A rule of a style sheet, read only as far as it is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from fetcher.web.reading.css.declarations import Block, read_block
from fetcher.web.reading.css.property_groups import PropertyGroups, groups_in
from fetcher.web.reading.css.selector_parser import Invalid, parse
from fetcher.web.reading.css.selectors import Selector

Rank = tuple[int, int, int]
"""How strong a rule is for an element: by layer, weight and place."""


@dataclass(eq=False)
class Rule:
    """Selectors and declarations, read when they are first asked for."""

    prelude: str
    css: str
    lowered: str
    """The declarations in lower case."""
    sheet: "list[str]"
    """The strings of its style sheet."""
    layer: int
    place: int
    folds: bool
    keys: Sequence[str | None] | None
    """For each selector what an element must have to fit it, where that is known before parsing."""
    blocks: dict[str, Block]
    """What is read of all rules so far."""

    @cached_property
    def selectors(self) -> list[Selector | None]:
        """Each selector that is understood and may fit an element; none where the list is invalid."""
        unused = {number for number, key in enumerate(self.keys or ()) if not key}
        prelude = self.prelude.strip()
        while prelude.startswith(("<!--", "-->")):
            prelude = prelude.removeprefix("<!--").removeprefix("-->").lstrip()
        try:
            return parse(prelude, self.sheet, folds=self.folds, unused=unused)
        except Invalid:
            return []

    @cached_property
    def groups(self) -> PropertyGroups:
        """The groups that its declarations may be about."""
        return groups_in(self.lowered)

    @cached_property
    def block(self) -> Block:
        if (known := self.blocks.get(self.css)) is None:
            known = self.blocks[self.css] = read_block(self.css)
        return known
