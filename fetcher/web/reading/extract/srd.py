"""The SRD's own reading: fixed lists of boilerplate and a fixed order of roots (SRD §3.5.1)."""

from collections.abc import Callable, Mapping

from fetcher.web.reading.tree import Tree

BOILERPLATE_TAGS = frozenset({"script", "style", "noscript", "nav", "footer", "header", "aside"})
"""SRD FR-WF-13, step 1."""

BOILERPLATE_TOKENS = frozenset(
    {"nav", "menu", "sidebar", "footer", "header", "advertisement", "ad", "social", "related", "comments"}
)
"""SRD FR-WF-EXT-CLASS-01."""


WHOLE_PAGE = frozenset({"html", "body"})
"""Never left out for their names: `<body class="sidebar">` says how the page is laid out."""


def read(tree: Tree) -> tuple[int, bytearray]:
    """The root to read and what is left out of the page; an empty page gives its empty body."""
    skipped, index = bytearray(len(tree.tags)), 0
    while index < len(skipped):
        end, attributes = tree.ends[index], tree.attributes[index]
        if tree.tags[index] in BOILERPLATE_TAGS or (
            attributes
            and (
                "hidden" in attributes
                or (attributes.get("aria-hidden") or "").strip().lower() == "true"
                or (tree.tags[index] not in WHOLE_PAGE and _has_boilerplate_name(attributes))
            )
        ):
            skipped[index:end] = b"\1" * (end - index)
            index = end
        else:
            index += 1
    root = 0
    for matches in ROOTS:
        found = next((at for at in range(len(tree.tags)) if matches(tree, at)), None)
        if found is not None:
            root = found
            # Something must be left to read: text, or a picture that says what it shows.
            if any(
                not text.isspace()
                if (text := tree.texts[at])
                else tree.tags[at] == "img" and (tree.attribute(at, "alt") or "").strip()
                for at in range(root, tree.ends[root])
                if not skipped[at]
            ):
                break
    return root, skipped


def _has_boilerplate_name(attributes: Mapping[str, str | None]) -> bool:
    names = [(attributes.get("id") or "").lower(), *(attributes.get("class") or "").lower().split()]
    return not BOILERPLATE_TOKENS.isdisjoint(names)


def _has_tag(tag: str) -> Callable[[Tree, int], bool]:
    return lambda tree, index: tree.tags[index] == tag


ROOTS: tuple[Callable[[Tree, int], bool], ...] = (
    _has_tag("main"),
    _has_tag("article"),
    lambda tree, index: (tree.attributes[index].get("role") or "").strip().lower() == "main",
    lambda tree, index: (tree.attributes[index].get("id") or "").lower() == "content",
    lambda tree, index: "content" in (tree.attributes[index].get("class") or "").lower().split(),
    _has_tag("body"),
)
"""SRD FR-WF-EXT-ROOT-01, in its order."""
