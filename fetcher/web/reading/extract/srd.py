"""The SRD's own reading: fixed lists of boilerplate and a fixed order of roots (SRD §3.5.1)."""

from collections.abc import Callable, Iterator

from fetcher.web.reading.tree import Tree

BOILERPLATE_TAGS = frozenset({"script", "style", "noscript", "nav", "footer", "header", "aside"})
"""SRD FR-WF-13, step 1."""

BOILERPLATE_TOKENS = frozenset(
    {"nav", "menu", "sidebar", "footer", "header", "advertisement", "ad", "social", "related", "comments"}
)
"""SRD FR-WF-EXT-CLASS-01."""


def read(tree: Tree) -> tuple[int, bytearray]:
    """The root to read and what is left out of the page; an empty page gives its empty body."""
    skipped = _boilerplate(tree)
    root = 0
    for matches in ROOTS:
        found = _first(tree, matches)
        if found is not None:
            root = found
            if _has_content(tree, root, skipped):
                break
    return root, skipped


def _boilerplate(tree: Tree) -> bytearray:
    skipped = bytearray(len(tree.tags))
    index = 0
    while index < len(skipped):
        if _is_boilerplate(tree, index):
            end = tree.ends[index]
            skipped[index:end] = b"\1" * (end - index)
            index = end
        else:
            index += 1
    return skipped


def _is_boilerplate(tree: Tree, index: int) -> bool:
    if tree.tags[index] in BOILERPLATE_TAGS:
        return True
    attributes = tree.attributes[index]
    if not attributes:
        return False
    return (
        "hidden" in attributes
        or (attributes.get("aria-hidden") or "").strip().lower() == "true"
        or (attributes.get("id") or "").lower() in BOILERPLATE_TOKENS
        or not BOILERPLATE_TOKENS.isdisjoint((attributes.get("class") or "").lower().split())
    )


def _has_tag(tag: str) -> Callable[[Tree, int], bool]:
    return lambda tree, index: tree.tags[index] == tag


def _has_main_role(tree: Tree, index: int) -> bool:
    return (tree.attributes[index].get("role") or "").strip().lower() == "main"


def _has_content_id(tree: Tree, index: int) -> bool:
    return (tree.attributes[index].get("id") or "").lower() == "content"


def _has_content_class(tree: Tree, index: int) -> bool:
    return "content" in (tree.attributes[index].get("class") or "").lower().split()


ROOTS: tuple[Callable[[Tree, int], bool], ...] = (
    _has_tag("main"),
    _has_tag("article"),
    _has_main_role,
    _has_content_id,
    _has_content_class,
    _has_tag("body"),
)
"""SRD FR-WF-EXT-ROOT-01, in its order."""


def _first(tree: Tree, matches: Callable[[Tree, int], bool]) -> int | None:
    return next((index for index in range(len(tree.tags)) if matches(tree, index)), None)


def _has_content(tree: Tree, root: int, skipped: bytearray) -> bool:
    """Whether anything is left to read: text, or a picture that says what it shows."""
    return any(
        not tree.texts[index].isspace()
        if tree.texts[index]
        else tree.tags[index] == "img" and _alt(tree, index)
        for index in _kept(tree, root, skipped)
    )


def _kept(tree: Tree, root: int, skipped: bytearray) -> Iterator[int]:
    return (index for index in range(root, tree.ends[root]) if not skipped[index])


def _alt(tree: Tree, index: int) -> bool:
    return bool((tree.attribute(index, "alt") or "").strip())
