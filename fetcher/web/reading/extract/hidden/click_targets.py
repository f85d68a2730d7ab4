"""Parts of a page that are closed and that a click may open, by their names or by controls."""

from fetcher.web.reading.extract.page import PLACES, Page
from fetcher.web.reading.extract.wordlists import REVEALED_WORDS

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
_STREAMED = ("S:", "B:")
"""The ids that React gives to parts that it sends late, hidden until a script moves them to their places."""


class ClickTargets:
    def __init__(self, page: Page) -> None:
        self._page = page
        self._controlled: frozenset[str] | None = None

    def may_open(self, index: int) -> bool:
        """Whether a click may show a closed element; parts of data keep their places in any case."""
        page, here = self._page, self._page.tree.attributes[index]
        id_ = here.get("id") or ""
        names = f"{here.get('class')} {id_} {here.get('role')}"
        if id_.startswith(_STREAMED) or REVEALED_WORDS.search(names):
            return True
        if id_ and self._controlled is None:
            self._controlled = self._ids_of_targets()
        if id_ and self._controlled and id_ in self._controlled:
            return True
        return bool(page.in_data[index] and page.tree.tags[index] in PLACES)

    def _ids_of_targets(self) -> frozenset[str]:
        """The ids to which controls and links of the page lead."""
        tree, found = self._page.tree, set[str]()
        for name in _CONTROLLING.intersection(self._page.with_attribute):
            controls = (tree.attributes[index].get(name) for index in self._page.with_attribute[name])
            found.update((id_ or "").removeprefix("#") for id_ in controls)
        links = (tree.attributes[index].get("href") or "" for index in tree.named("a"))
        return frozenset(found | {href[1:] for href in links if href[:1] == "#"})
