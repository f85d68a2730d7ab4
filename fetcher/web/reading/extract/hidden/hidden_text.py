"""Text of a page that people cannot see: there pages can hide instructions to a machine.

Text that no click shows (without size, transparent, outside of the window, in the background's colour) is
emptied: its texts, names and addresses are taken out of the tree, so that no later rule, table or title
can read them. Text that a click can show (`display: none`, `hidden`, boxes without room) is left out,
unless its name says that it is a tab, an answer and the like, or a control on the page leads to it.

Scripts fade whole pages in: their text is transparent or invisible until they run. Such a page shows
nothing without scripts, so only there transparent and invisible text is read. Likewise where most prose of a
story is closed in one block.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from fetcher.web.reading.css.values.colours import CURRENT, UNKNOWN, Colour, look_the_same, over
from fetcher.web.reading.extract.hidden.click_targets import ClickTargets
from fetcher.web.reading.extract.hidden.concealment import (
    CLOSED,
    COLOURLESS,
    FAINT,
    GONE,
    INHERITED,
    INVISIBLE,
    NONE,
    Concealment,
)
from fetcher.web.reading.extract.hidden.element_styles import ElementStyle, ElementStyles
from fetcher.web.reading.extract.page import CELLS, SOME, Page
from fetcher.web.reading.extract.page_kinds import PageKind
from fetcher.web.visibility import FAINTEST, MARK, HiddenMark

LITTLE = 0.34
"""If less than this share of a page's prose is visible, the visible part is not the content."""

_LEAST_STORY, _HALF = 400, 0.5
"""The weight of the shortest story that a script shows, and its share of the text outside of links."""
_WAITING = FAINT | INVISIBLE
_SPANS = ("colspan", "rowspan")
_LONGEST_NAME = 30
"""Characters of a column's name: too short for an instruction to a machine."""


class _Hidden(NamedTuple):
    """A node that is hidden with all that is in it."""

    node: int
    how: Concealment


def drop_hidden_text(page: Page) -> None:
    """Leaves out what is hidden by styles, attributes and the page's own rules, or found hidden by a browser.

    It judges the whole page, also the parts that are left out already: other readers look there too.
    """
    targets = ClickTargets(page)
    styles = ElementStyles(page)
    targets.learn(styles.shown_by_touch(), styles.is_closed)
    _drop_marked(page, targets)
    # The styles do not keep the targets: in a ring, both and the page would outlive the reading.
    judged = styles.find_judged(targets.may_open)
    hidden, colourless = _find_hidden(page, styles, targets, judged) if judged else ([], [])
    if colourless:  # elements in them may have a colour again
        hidden, _ = _find_hidden(page, styles, targets, styles.find_judged_inside(colourless))
    if hidden:
        _leave_out(page, hidden)
    for index in targets.called:
        if page.features.text_in(index) < SOME * page.features.text_in(page.root):
            page.skip(index)


def _drop_marked(page: Page, targets: ClickTargets) -> None:
    """Leaves out the nodes that a browser has marked as hidden; closed ones only if no click opens them."""
    tree, lasting, closed, reached = page.tree, list[_Hidden](), list[_Hidden](), page.root
    for index in page.with_any((MARK,)):
        if not reached <= index < tree.ends[page.root]:
            continue
        mark = tree.attributes[index][MARK]
        if mark == HiddenMark.FAINT_TEXT:
            lasting += (_Hidden(child, FAINT) for child in tree.children(index) if not tree.tags[child])
        elif mark in (HiddenMark.GONE, HiddenMark.FAINT) and index != page.root:
            lasting.append(_Hidden(index, GONE if mark == HiddenMark.GONE else FAINT))
            reached = tree.ends[index]
        elif mark == HiddenMark.CLOSED and not targets.may_open(index):
            closed.append(_Hidden(index, CLOSED))
    _leave_out(page, lasting)
    _leave_out(page, closed)


def _leave_out(page: Page, hidden: list[_Hidden]) -> None:
    """Empties or skips nodes, except those that a script of the page is about to show."""
    features = page.features
    # What is closed in a story can be as long as the story: a copy of it, a choice of cookies.
    share = 1 - LITTLE if page.kind is PageKind.ARTICLE else SOME
    limit = share * features.text_in(page.root)
    waits = any(how & _WAITING for _, how in hidden) and _shows_little_without(page, hidden)
    story = _closed_story(page, hidden)
    for index, how in hidden:
        is_awaited = page.tree.parents[index] == story
        if how == CLOSED:
            if features.text_in(index) < limit and not is_awaited:
                page.skip(index)
                page.closed.append(index)
        elif not ((waits or is_awaited) and how & _WAITING):
            _empty(page, index, keeps_text=how == GONE and _names_columns(page, index))


def _shows_little_without(page: Page, hidden: list[_Hidden]) -> bool:
    """Whether most prose of a page waits for a script to show it."""
    features = page.features
    measured = features.prose_in if features.prose_in(page.root) else features.text_in
    waiting = sum(measured(index) for index, how in hidden if how & _WAITING)
    shown = measured(page.root) - sum(measured(index) for index, _ in hidden)
    return shown < LITTLE * (shown + waiting)


def _closed_story(page: Page, hidden: list[_Hidden]) -> int:
    """The block in which most prose of a story is closed: a script shows it. -1 if there is none.

    It must also be half of the text outside of links: a list or a table is not prose, but can be in sight.
    """
    if page.kind is not PageKind.ARTICLE:
        return -1
    features, prose, text = page.features, Counter[int](), Counter[int]()
    for index, how in hidden:
        if how == CLOSED:
            around = page.tree.parents[index]
            prose[around] += features.prose_in(index)
            text[around] += features.text_in(index) - features.linked_in(index)
    block, most = max(prose.items(), key=itemgetter(1), default=(-1, 0))
    if most < _LEAST_STORY or most <= (1 - LITTLE) * features.prose_in(page.root):
        return -1
    whole = features.text_in(page.root) - features.linked_in(page.root)
    return block if text[block] >= _HALF * whole else -1


def _names_columns(page: Page, index: int) -> bool:
    """Whether a table's first row, moved away, is short names for people who hear the table."""
    tree, around = page.tree, page.tree.parents[index]
    if not page.in_data[index] or tree.tags[index] not in ("thead", "tr"):
        return False
    if tree.tags[index] == "tr" and (index != around + 1 or tree.tags[around] == "tfoot"):
        return False
    cells = [at for at in range(index, tree.ends[index]) if tree.tags[at] in CELLS]
    return all(tree.tags[at] == "th" and len(page.text_of(at)) <= _LONGEST_NAME for at in cells)


def _empty(page: Page, index: int, *, keeps_text: bool) -> None:
    """Takes all texts and attributes out of an element; parts of data stay in their places."""
    tree, end = page.tree, page.tree.ends[index]
    for at in range(index, end):
        if not keeps_text:
            tree.texts[at] = ""
        if attributes := tree.attributes[at]:
            kept = _SPANS if tree.tags[at] in CELLS else ()
            tree.attributes[at] = {name: attributes[name] for name in kept if name in attributes}
    if keeps_text:
        return
    if page.in_data[index]:
        page.features.forget(index, end)
    else:
        page.skip(index)


class _State(NamedTuple):
    """The style of text in an element, by the element itself and all elements around it."""

    end: int
    concealed: Concealment
    opacity: float
    colour: Colour | None
    background: Colour | None

    def inside(self, end: int, style: ElementStyle) -> "_State":
        """The same in an element that has a style of its own and ends at a node."""
        concealed = (self.concealed & ~style.shows) | (style.concealed & INHERITED)
        colour, background = style.colour or self.colour, style.background
        if background == CURRENT:
            background = colour or UNKNOWN
        if background is None or background[3] == 1:
            background = background or self.background
        else:
            background = self.background and over(background, self.background)
        if style.colour or style.background:
            concealed &= ~COLOURLESS
            is_lost = background and colour and look_the_same(colour, background, background)
            if colour and (colour[3] <= FAINTEST or is_lost):
                concealed |= COLOURLESS
        return _State(end, concealed, self.opacity * style.opacity, colour, background)


def _find_hidden(
    page: Page, styles: ElementStyles, targets: ClickTargets, judged: list[int]
) -> tuple[list[_Hidden], list[int]]:
    """The outermost nodes that are hidden, and the elements whose text has no colour, in order."""
    ends, root = page.tree.ends, page.root
    found, parts = list[_Hidden](), list[_Hidden]()
    tops, colourless = list[int](), list[int]()
    around = [_State(len(ends), NONE, 1, styles.colour, styles.background)]
    at = 0
    for index in judged:
        if index < at:  # in an element that is hidden as a whole
            continue
        parts += _concealed_leaves(ends, around, at, index)
        at = index
        style, state = styles.of(index), around[-1]
        if style.concealed & CLOSED and targets.may_open(index):
            style = style.opened()
        elif style.concealed & _WAITING == INVISIBLE and index in targets.shown_by_rules:
            style = replace(style, concealed=style.concealed & ~INVISIBLE)
        inside = state.inside(ends[index], style)
        how = _hidden_as_a_whole(style, inside)
        if how and not index <= root < ends[index]:  # the page itself is never left out as a whole
            found.append(_Hidden(index, how))
            at = ends[index]
            continue
        if inside.concealed and not state.concealed:
            tops.append(index)
        if inside.concealed & COLOURLESS and not state.concealed & COLOURLESS:
            colourless.append(index)
        around.append(inside)
    parts += _concealed_leaves(ends, around, at, len(ends))
    parts = [part for part in parts if root <= part.node < ends[root]]
    return (sorted(found + _gathered(page, parts, tops)) if parts else found), colourless


def _hidden_as_a_whole(style: ElementStyle, inside: _State) -> Concealment:
    """How an element is hidden with all that is in it; styles of elements in it cannot undo that."""
    if style.concealed & (GONE | CLOSED):
        return GONE if style.concealed & GONE else CLOSED
    return FAINT if inside.opacity <= FAINTEST or style.concealed & FAINT else NONE


def _concealed_leaves(ends: list[int], around: list[_State], start: int, stop: int) -> Iterator[_Hidden]:
    """The concealed texts and pictures between two nodes. Removes the states of elements that end there."""
    while start < stop:
        state = around[-1]
        until = min(stop, state.end)
        if state.concealed:
            how = state.concealed if state.concealed & ~_WAITING else INVISIBLE
            yield from (_Hidden(at, how) for at in range(start, until) if ends[at] == at + 1)
        start = until
        if until == state.end:
            if len(around) == 1:
                break
            around.pop()
    while len(around) > 1 and around[-1].end <= stop:
        around.pop()


def _gathered(page: Page, parts: list[_Hidden], tops: list[int]) -> list[_Hidden]:
    """Concealed nodes, with an element in the place of its nodes where all of them are concealed."""
    ends = page.tree.ends
    leaves = list(accumulate((end == at + 1 for at, end in enumerate(ends)), initial=0))
    places = [part.node for part in parts]
    found, done = list[_Hidden](), 0
    for top in tops:
        if top <= page.root < ends[top]:
            continue
        first, after = bisect_left(places, top), bisect_left(places, ends[top])
        if first >= done and after > first and after - first == leaves[ends[top]] - leaves[top]:
            found += parts[done:first]
            found.append(_Hidden(top, parts[first].how))
            done = after
    return found + parts[done:]
