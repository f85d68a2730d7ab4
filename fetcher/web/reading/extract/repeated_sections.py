"""Sections that stand twice on a page: the same text once more for another size of screen.

Lists, tables, plans and timetables repeat themselves because the things that they tell of are alike:
that is data, and stays. A section is a copy only if nearly all of it has been read before in the same
order, as running text or as a card whose title leads to the same address. An entry of a list or a table
is never a copy of another entry, and a section that tells a number of its own is none either. Nor is running
text under a label of its own, or in blocks of one sort side by side: for another screen it needs other names.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate, compress

from fetcher.web.reading.extract.features import PROSE
from fetcher.web.reading.extract.page import HEADINGS, Page
from fetcher.web.reading.extract.page_kinds import PageKind

_SECTIONS = frozenset({"div", "section", "article"})
_ENTRIES = frozenset({"li", "dt", "dd"})
_DEEPEST_LIST = 20
_TITLE_DEPTH = 4
_HIGHEST = 40
"""How many elements around a text are looked at for a block that stands beside another one."""
_FAR = 40
"""How many nodes a label can stand before its text."""
_LABELS = frozenset({*HEADINGS, "summary", "dt", "button", "strong", "b"})
_DIGIT = re.compile(r"\d")

LEAST_ALONE = 200
"""The weight from which a single text can be a copy: a shorter one is a note on several things."""
LEAST_CARD = 30
"""The same for a card whose title leads to the same address."""
LEAST_SECTION = 400
"""The weight from which texts in a row are a section, also without a heading."""
SHARE = 0.8
"""How much of a copy has been read before: one of the two often has a button more."""


@dataclass(slots=True, kw_only=True, eq=False)
class _Repeats:
    """The texts of a page that stood there before."""

    nodes: list[int] = field(default_factory=list)
    """The texts of runs that can be copies."""
    originals: list[int] = field(default_factory=list)
    """For each of them the text that it repeats."""
    in_cards: list[bool] = field(default_factory=list)
    """For each of them whether it stands in a card."""
    whole: list[bool] = field(default_factory=list)
    """For each of them whether a whole section is repeated with it."""
    new_numbers: list[int] = field(default_factory=list)
    """The texts with a digit that stand on the page for the first time."""


def drop_repeated_sections(page: Page) -> None:
    """Leaves out sections whose text has been read before."""
    if page.kind is PageKind.DOCUMENTATION:  # where examples repeat on purpose
        return
    repeats = _repeats(page)
    if not repeats.nodes:
        return
    tags, ends, features, numbers = page.tree.tags, page.tree.ends, page.features, repeats.new_numbers
    weights = list(accumulate((features.weights[node] for node in repeats.nodes), initial=0))
    entries: list[int] = []  # the innermost entry of a list around each node, or -1
    for index, (tag, parent) in enumerate(zip(tags, page.tree.parents, strict=True)):
        entries.append(index if tag in _ENTRIES else entries[parent] if parent >= 0 else -1)
    is_forum = page.kind is PageKind.FORUM  # where people quote each other
    quotes = page.tree.named("blockquote") if is_forum else []
    for index in page.elements():
        if tags[index] in _SECTIONS and not page.in_data[index]:
            end = ends[index]
            first, after = bisect_left(repeats.nodes, index), bisect_left(repeats.nodes, end)
            if weights[after] - weights[first] < max(LEAST_CARD, SHARE * features.text_in(index)):
                continue
            text, original = repeats.nodes[first], repeats.originals[first]
            if (
                original < index
                and not (  # an answer below what it quotes
                    bisect_left(quotes, index) < bisect_left(quotes, end)
                    and features.text_between(repeats.nodes[after - 1] + 1, end)
                )
                and bisect_left(numbers, index) == bisect_left(numbers, end)
                and not _is_another_entry(page, entries, index, text, original)
                and (repeats.in_cards[first] or is_forum or not _is_another_thing(page, repeats, first))
            ):
                page.skip(index)


def _repeats(page: Page) -> _Repeats:
    found = _Repeats()
    texts, end = page.tree.texts, page.tree.ends[page.root]
    nodes = list(compress(range(page.root, end), page.features.weights[page.root : end]))
    keys = [texts[node].strip() for node in nodes]
    places = dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    if len(places) == len(keys):
        return found
    weights = page.features.weights
    for start, original, length in _runs(keys, places):
        if length == 1 and weights[nodes[start]] < LEAST_ALONE:  # as most are
            continue
        run, before = nodes[start : start + length], nodes[original : original + length]
        is_card = length > 1 and any(
            (target := _target_of_title(page, node)) and target == _target_of_title(page, other)
            for node, other in zip(run, before, strict=True)
            if page.features.linked[node]
        )
        weight = sum(weights[node] for node in run)
        if is_card or any(page.features.prose[node] for node in run):
            is_row = before[-1] >= run[0]
            is_whole = weight >= LEAST_SECTION and not is_row
            found.nodes += run
            found.originals += before
            found.in_cards += [is_card] * length
            found.whole += [is_whole or any(_is_in(page, node, HEADINGS) for node in run)] * length
    if found.nodes:
        found.new_numbers = [
            nodes[at] for at, key in enumerate(keys) if places[key] == at and _DIGIT.search(key)
        ]
    return found


def _runs(keys: list[str], places: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
    """Texts in a row that stood in a row before: where they start, where those started, how many they are."""
    reached = 0
    for at in [at for at, key in enumerate(keys) if places[key] != at]:
        if at < reached:
            continue
        original, reached = places[keys[at]], at
        ahead = at - original
        while reached < len(keys) and keys[reached] == keys[reached - ahead]:
            reached += 1
        yield at, original, reached - at


def _target_of_title(page: Page, text: int) -> str | None:
    """Where a heading leads that is a link, or a link that is a heading."""
    tree, target, is_heading = page.tree, None, False
    for _ in range(_TITLE_DEPTH):
        text = tree.parents[text]
        target = target or tree.attribute(text, "href")
        is_heading |= tree.tags[text] in HEADINGS
    return target if is_heading else None


def _is_another_entry(page: Page, entries: list[int], section: int, text: int, original: int) -> bool:
    """Whether a section stands in one entry of a list, and what it repeats in another one."""
    parents = page.tree.parents
    inner, other = entries[text], entries[original]
    for _ in range(_DEEPEST_LIST):
        if inner <= section or other < 0:
            break
        inner, other = entries[parents[inner]], entries[parents[other]]  # a list in the section itself
    return inner >= 0 and 0 <= other != inner


def _is_another_thing(page: Page, repeats: _Repeats, place: int) -> bool:
    """Whether a repeated text is about another thing: it has a label of its own, or is one of a row."""
    text, original, weights = repeats.nodes[place], repeats.originals[place], page.features.weights
    # The largest blocks around two texts that do not hold both; what is too far up is not looked for.
    parents, ends, block, other = page.tree.parents, page.tree.ends, text, original
    for _ in range(_HIGHEST):
        if parents[block] <= original:
            break
        block = parents[block]
    for _ in range(_HIGHEST):
        if ends[parents[other]] > text:
            break
        other = parents[other]
    label = next((at for at in range(text - 1, max(page.root, text - _FAR), -1) if weights[at]), -1)
    at = bisect_left(repeats.nodes, label)
    is_new = at == len(repeats.nodes) or repeats.nodes[at] != label
    is_near = label > block or _is_in(page, label, _LABELS)
    if label > original and is_new and not page.features.linked[label] and weights[label] < PROSE and is_near:
        return True
    return not repeats.whole[place] and _path(page, text, block) == _path(page, original, other)


def _is_in(page: Page, text: int, tags: frozenset[str]) -> bool:
    """Whether one of the two elements around a text has one of some tags."""
    parent = page.tree.parents[text]
    return page.tree.tags[parent] in tags or page.tree.tags[page.tree.parents[parent]] in tags


def _path(page: Page, text: int, block: int) -> list[tuple[str, str | None]]:
    """The tags and classes of the elements from a text up to a block."""
    tree, found = page.tree, list[tuple[str, str | None]]()
    while text > block:
        text = tree.parents[text]
        found.append((tree.tags[text], tree.attributes[text].get("class")))
    return found
