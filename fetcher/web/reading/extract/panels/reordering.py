"""Puts parts of a page in another order than in its source."""

from collections.abc import Mapping
from typing import Any

from fetcher.web.reading.extract.page import Page

_WITHIN = frozenset({"li", "td", "th", "dd"})
"""Blocks that nothing but their own kind can stand before."""


def move_before(page: Page, moves: Mapping[int, int]) -> None:
    """Puts each element, with all that is in it, before another one or into it as the first thing.

    It is the last that happens to a page: what the page has noted about its nodes holds no more, but for the
    root, the weights and what is skipped or closed. No place is inside of what moves.
    """
    tree, features, ends = page.tree, page.features, page.tree.ends
    parents = tree.parents[:]
    arriving = {place: index for index, place in moves.items()}
    order: list[int] = []
    at = 0
    while at < len(ends):
        if at in moves:
            at = ends[at]
            continue
        within = tree.tags[at] in _WITHIN
        if within:
            order.append(at)
        if (moved := arriving.get(at)) is not None:
            parents[moved] = at if within else tree.parents[at]
            order += range(moved, ends[moved])
        if not within:
            order.append(at)
        at += 1
    places = [0] * len(order)
    for place, index in enumerate(order):
        places[index] = place
    lists: tuple[list[Any], ...] = (tree.tags, tree.texts, tree.attributes)
    for values in (*lists, features.weights, features.linked, features.prose):
        values[:] = [values[index] for index in order]
    tree.forget_places()
    page.skipped[:] = bytes(page.skipped[index] for index in order)
    tree.parents[:] = [places[parents[index]] if parents[index] >= 0 else -1 for index in order]
    tree.ends[:] = range(1, len(order) + 1)
    for index in range(len(order) - 1, 0, -1):
        above = tree.parents[index]
        tree.ends[above] = max(tree.ends[above], tree.ends[index])
    page.root = places[page.root]
    page.closed[:] = [places[index] for index in page.closed]
    features.forget(0, 0)
