"""What a click shows: parts of a page that are closed, and whose names, controls or neighbours say so.

Styles prove it best: a rule for a box that is ticked, or for an element that is pointed at, shows the part.
Attributes of frameworks say that a script switches a part. An entry of a list, whose other entries are shown,
waits for a click on "more"; so does one of several prices.
"""

import re
from collections.abc import Callable, Container
from typing import NamedTuple

from fetcher.web.reading.extract.facts import is_one_fact
from fetcher.web.reading.extract.page import PLACES, Page
from fetcher.web.reading.extract.wordlists import REVEALED_WORDS, SWITCHED_BY

_CONTROLLING = frozenset(
    {
        "aria-controls",
        "data-target",
        "data-bs-target",
        "for",
        "data-tab",
        "data-toggle",
        "popovertarget",
        "commandfor",
    }
)
_CALLING = re.compile(r"on(?:click|change|input|toggle)|(?:@|x-on:|v-on:|ng-)(?:click|change)[\w.-]*+")
_WORD = re.compile(r"[\w-]++")
_LONGEST_CALL = 300
_STREAMED = ("S:", "B:")
"""How React calls what it sends late, hidden until a script has put it in its place."""


class _Neighbours(NamedTuple):
    """What is shown among the children of an element."""

    entries: bool
    sorts: frozenset[tuple[str, str]]
    """The tag and the first class of each."""
    facts: frozenset[str]
    """The tags of those that are a line with a fact."""


class ClickTargets:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._controlled: frozenset[str] | None = None
        self._panels = frozenset(page.labels.values())
        self._words_of_calls: set[str] | None = None
        self.called: set[int] = set()
        """The closed elements that open only because a click calls them: not a part of the text."""
        self._is_closed: Callable[[int], bool] = lambda _: False
        self._neighbours: dict[int, _Neighbours] = {}
        self.shown_by_rules: Container[int] = ()
        """The elements that a rule shows once a user touches the page."""

    def learn(self, shown_by_rules: Container[int], is_closed: Callable[[int], bool]) -> None:
        """Takes in what the styles of the page say."""
        self.shown_by_rules, self._is_closed = shown_by_rules, is_closed

    def may_open(self, index: int) -> bool:
        """Whether a click may show a closed element. Parts of data are always kept in their places."""
        tree = self._page.tree
        return (
            index in self._panels
            or index in self.shown_by_rules
            or bool(self._page.in_data[index] and tree.tags[index] in PLACES)
            or not SWITCHED_BY.isdisjoint(tree.attributes[index])
            or self._is_named_so(index)
            or self._is_one_of_a_row(index)
            or self._is_called(index)
        )

    def _is_named_so(self, index: int) -> bool:
        here = self._page.tree.attributes[index]
        id_ = here.get("id") or ""
        names = f"{here.get('class')} {id_} {here.get('role')}".lower()
        if id_.startswith(_STREAMED) or REVEALED_WORDS.search(names):
            return True
        if not id_:
            return False
        if self._controlled is None:
            self._controlled = self._ids_of_targets()
        return id_ in self._controlled

    def _ids_of_targets(self) -> frozenset[str]:
        """The ids to which controls and links of the page lead."""
        page, tree, found = self._page, self._page.tree, set[str]()
        for name in _CONTROLLING.intersection(page.with_attribute):
            controls = (tree.attributes[index].get(name) for index in page.with_attribute[name])
            found.update((id_ or "").removeprefix("#") for id_ in controls)
        links = (tree.attributes[index].get("href") or "" for index in tree.named("a"))
        return frozenset(found | {href[1:] for href in links if href[:1] == "#"})

    def _is_called(self, index: int) -> bool:
        """Whether its id is a word in what a click calls: a dialog, mostly, so it is noted."""
        if not (id_ := self._page.tree.attributes[index].get("id")):
            return False
        if self._words_of_calls is None:
            self._words_of_calls, attributes = set[str](), self._page.tree.attributes
            for name in filter(_CALLING.fullmatch, self._page.with_attribute):
                for at in self._page.with_attribute[name]:
                    self._words_of_calls.update(
                        _WORD.findall((attributes[at].get(name) or "")[:_LONGEST_CALL])
                    )
        if id_ in self._words_of_calls:
            self.called.add(index)
        return index in self.called

    def _is_one_of_a_row(self, index: int) -> bool:
        """Whether others of its sort are shown beside it."""
        tree, parent = self._page.tree, self._page.tree.parents[index]
        if parent < 0:
            return False
        if (known := self._neighbours.get(parent)) is None:
            known = self._neighbours[parent] = self._shown_in(parent)
        tag = tree.tags[index]
        if (tag == "li" and known.entries) or self._sort(index) in known.sorts:
            return True
        return tag in known.facts and is_one_fact(self._page, index)

    def _shown_in(self, parent: int) -> _Neighbours:
        page, tags = self._page, self._page.tree.tags
        children = (at for at in page.tree.children(parent) if tags[at] and page.features.text_in(at))
        shown = [at for at in children if not self._is_closed(at)]
        return _Neighbours(
            entries=any(tags[at] == "li" for at in shown),
            sorts=frozenset(sort for at in shown if (sort := self._sort(at))[1]),
            facts=frozenset(tags[at] for at in shown if is_one_fact(page, at)),
        )

    def _sort(self, index: int) -> tuple[str, str]:
        tree = self._page.tree
        return tree.tags[index], (tree.attributes[index].get("class") or "").partition(" ")[0]
