"""The passages of a whole page that answer a question, each with its headings and what stands around it."""

from collections.abc import Sequence
from dataclasses import dataclass

from fetcher.web.search.passages import Passage, passages
from fetcher.web.search.ranking import FLOOR, rank
from fetcher.web.values import Document

PASSAGE_TOKENS = 256
"""Of a passage that is ranked, about as many Japanese characters."""
_WIDE = 600
"""Japanese characters of a passage with what stands around it; three of other scripts count as one."""
_LOW = 0.05
"""The share of the best score from which the model is shown a passage: it can tell what is of use."""
_FEW = 3
"""So few passages beside the main text are shown with every find."""
_BESIDE = 0.7
"""What a passage beside the main text is worth: menus and footers have words of everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageIndex:
    """A page cut into passages, ready to be searched."""

    markdown: str
    """The head of a story, and the text."""
    text_start: int
    """Where the text begins in it."""
    main: tuple[Passage, ...]
    beside: tuple[Passage, ...]
    """Of headers, navigation, side columns and footers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    headings: tuple[str, ...]
    text: str
    """Markdown as the page has it, with its links."""
    start: int
    """Where it begins in the page's Markdown."""
    is_beside: bool = False


def indexed(document: Document, max_tokens: int = PASSAGE_TOKENS) -> PageIndex:
    markdown = document.headed_markdown
    return PageIndex(
        markdown=markdown,
        text_start=len(markdown) - len(document.markdown),
        main=tuple(passages(markdown, max_tokens)),
        beside=tuple(passages(document.beside, max_tokens)),
    )


def best_passages(
    query: str, index: PageIndex, most: int, *, floor: float = FLOOR
) -> list[tuple[Passage, bool]]:
    """Those that bear on the query, best first, and whether each stands beside the main text."""
    every = [*index.main, *index.beside]
    texts = [passage.under_headings for passage in every]
    worths = [1.0] * len(index.main) + [_BESIDE] * len(index.beside)
    found = rank(query, texts, most=len(texts), worths=worths, floor=floor)
    seen: dict[str, int] = {}  # pages repeat themselves: one copy is enough
    for at in found:
        seen.setdefault(every[at].text, at)
    return [(every[at], at >= len(index.main)) for at in seen.values()][:most]


def find(query: str, index: PageIndex, most: int) -> list[Found]:
    """Those that bear on the query, best first, each widened by its neighbours."""
    found: list[Found] = []
    shown: set[Passage] = set()
    for passage, is_beside in best_passages(query, index, len(index.main) + len(index.beside), floor=_LOW):
        if passage in shown:
            continue
        if is_beside:
            around: Sequence[Passage] = [passage]
            text = passage.text
        else:
            around = _around(passage, index.main, shown)
            text = index.markdown[around[0].start : around[-1].end]
            text = f"{around[0].table_head}\n{text}" if around[0].table_head else text
        shown.update(around)
        first = around[0]
        start = max(0, first.start - index.text_start)
        found.append(Found(headings=first.headings, text=text, start=start, is_beside=is_beside))
        if len(found) == most:
            break
    # The page may use none of the question's words for a bare telephone number or an author's name.
    rest = [passage for passage in index.beside if passage not in shown] if len(index.beside) <= _FEW else []
    head = index.markdown[: index.text_start].strip() if shown.isdisjoint(index.main[:1]) else ""
    texts = [head, *(passage.text for passage in rest)]
    found += (Found(headings=(), text=text, start=0, is_beside=True) for text in texts if text)
    return found


def _around(passage: Passage, main: tuple[Passage, ...], shown: set[Passage]) -> Sequence[Passage]:
    """The passage with those before and after it, as far as they belong together and there is room."""
    first = last = main.index(passage)
    room = _WIDE - _size(passage)
    for _ in range(len(main)):
        grown = False
        for at in (last + 1, first - 1):
            if 0 <= at < len(main) and _size(main[at]) <= room:
                neighbour = main[at]
                if neighbour in shown or neighbour.headings[:2] != passage.headings[:2]:
                    continue
                first, last, room, grown = min(first, at), max(last, at), room - _size(neighbour), True
        if not grown:
            break
    return main[first : last + 1]


def _size(passage: Passage) -> float:
    return len(passage.text.encode()) / 3
