"""An article into Markdown (SRD FR-WF-13a to 13d).

The article's nodes are walked once, in document order, with an explicit stack of what is to be done
when an open element ends. Inline content gathers in a `Run`; whatever begins or ends a block takes it
from there and adds it to `Blocks`. What each element means stands in the tables at the end.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown import escape
from fetcher.web.reading.markdown.blocks import Blocks
from fetcher.web.reading.markdown.code import code_text
from fetcher.web.reading.markdown.elements import (
    BLOCKS,
    HEADINGS,
    ITEMS,
    LISTS,
    PLAIN,
    PREFORMATTED,
    SECTIONS,
    SILENT,
)
from fetcher.web.reading.markdown.formulas import formula
from fetcher.web.reading.markdown.inline import InlineRun
from fetcher.web.reading.markdown.links import Links
from fetcher.web.reading.markdown.notation import DELETIONS, is_struck, parts_from_next, script_marks
from fetcher.web.reading.markdown.notes import instead_of_power
from fetcher.web.reading.markdown.ordinals import Counting, begins_with_text, counting, integer
from fetcher.web.reading.markdown.rules import Close, done
from fetcher.web.reading.tables.cell_labels import label
from fetcher.web.reading.tables.cells import IN_CELLS, in_lines, plain
from fetcher.web.reading.tables.grids import Grid, survey
from fetcher.web.reading.tables.pipes import pipe_table
from fetcher.web.reading.tables.screen_copies import without_copies
from fetcher.web.reading.tables.slots import MAX_SLOTS, SlotBudget
from fetcher.web.reading.tree import Article

_LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,32})", re.ASCII)


def render(article: Article) -> str:
    """The article as Markdown that ends with one newline; an empty article is that newline alone."""
    return _Writer(article).write()


class _Writer:
    def __init__(self, article: Article) -> None:
        self.article = article
        tree = article.tree
        self._tags, self._texts, self._ends = tree.tags, tree.texts, tree.ends
        self._attribute = tree.attribute
        self.skipped = article.skipped or bytearray(len(tree.tags))
        self._links = Links(article.base)
        self._flow, self._flat, self._in_cell = _RULES[article.mode]
        self._grids: dict[int, Grid] | None = None
        self._room = SlotBudget(MAX_SLOTS)
        self._blocks = Blocks()
        self.run = InlineRun()

    def write(self) -> str:
        self._walk(self.article.root, self._ends[self.article.root], self._flow)
        self._flush()
        return f"{self._blocks}\n"

    def _walk(self, node: int, end: int, rules: "dict[str, _Rule]") -> None:
        tags, texts, ends, skipped, text = self._tags, self._texts, self._ends, self.skipped, self.run.text
        closings: list[tuple[int, Close]] = [(end, done)]
        due = end
        while node < end:
            if node >= due:
                closings.pop()[1]()
                due = closings[-1][0]
            elif skipped[node]:
                node = ends[node]
            elif not (tag := tags[node]):
                text(texts[node])
                node += 1
            elif (rule := rules.get(tag)) is None:
                node += 1
            elif (close := rule(self, node)) is done:
                node = ends[node]
            else:
                if close:
                    due = ends[node]
                    closings.append((due, close))
                node += 1
        while closings:
            closings.pop()[1]()

    def _flush(self) -> None:
        """Ends the paragraph at hand."""
        if self.run.pieces and (text := escape.paragraph(self.run.take())):
            self._blocks.add(text)

    def _line(self, node: int) -> str:
        """An element's content as a run without blocks."""
        self._walk(node + 1, self._ends[node], self._flat)
        return self.run.take()

    def _section(self, _node: int) -> Close:
        self._flush()
        return self._flush

    def _heading(self, node: int) -> Close:
        self._flush()
        if text := escape.heading(self._line(node)):
            self._blocks.add("#" * int(self._tags[node][1]) + " " + text)
        return done

    def _divider(self, _node: int) -> Close:
        self._flush()
        if self._blocks:  # at the very top it would read as front matter
            self._blocks.add("---")
        return done

    def _preformatted(self, node: int) -> Close:
        self._flush()
        if (text := code_text(self.article, node)).strip():
            self._blocks.add(escape.fence(text, self._language(node)))
        return done

    def _language(self, node: int) -> str:
        """The language that a code block's classes name (SRD FR-WF-EXT-CODE-01)."""
        for inner in range(node, min(node + 3, self._ends[node])):
            if self._tags[inner] and (found := _LANGUAGE.search(self._attribute(inner, "class") or "")):
                return found[1]
        return ""

    def _table(self, node: int) -> Close:
        self._flush()
        if self._grids is None:
            self._grids = self._survey()
        grid = self._grids.get(node)
        if grid is None or grid.is_layout:
            return self._flush
        if grid.caption is not None and (caption := escape.paragraph(self._line(grid.caption))):
            self._blocks.add(caption)
        cells = {cell: self._cell(cell) for row in grid.rows for cell in row}
        if any(cells.values()):
            self._blocks.add(pipe_table(self.article.tree, grid, cells, self._room))
        return done

    def _survey(self) -> dict[int, Grid]:
        grids = survey(self.article)
        if self.article.mode is not ReadingMode.SRD:
            self.article = without_copies(self.article, grids)
            self.skipped = self.article.skipped
        return grids

    def _cell(self, node: int) -> str:
        self._walk(node + 1, self._ends[node], self._in_cell)
        text = escape.cell(self.run.take())
        if text or self.article.mode is ReadingMode.SRD:
            return text
        return escape.cell(label(self.article, node))

    def _quote(self, _node: int) -> Close:
        self._flush()
        self._blocks.open_quote()
        return self._leave

    def _list(self, node: int) -> Close:
        self._flush()
        ordered = self._tags[node] == "ol"
        start = _ordinal(self._attribute(node, "start"))
        self._blocks.open_list(Counting(number=1 if start is None else start) if ordered else None)
        return self._leave

    def _counted_list(self, node: int) -> Close:
        self._flush()
        self._blocks.open_list(counting(self.article.tree, node, self.skipped))
        return self._leave

    def _definitions(self, _node: int) -> Close:
        self._flush()
        self._blocks.open_definitions()
        return self._leave

    def _item(self, node: int) -> Close:
        self._flush()
        self._blocks.open_item(_ordinal(self._attribute(node, "value")))
        return self._leave

    def _counted_item(self, node: int) -> Close:
        self._flush()
        style = (
            self._attribute(node, "type") if begins_with_text(self.article.tree, node, self.skipped) else "1"
        )
        self._blocks.open_item(integer(self._attribute(node, "value")), style)
        return self._leave

    def _leave(self) -> None:
        self._flush()
        self._blocks.close()

    def _term(self, _node: int) -> Close:
        self._flush()
        return self._end_term

    def _end_term(self) -> None:
        self._flush()
        self._blocks.tighten()

    def _border(self, _node: int) -> Close:
        """What is left of a block's edges where blocks cannot be."""
        self.run.space()
        return self.run.space

    def _break(self, _node: int) -> Close:
        """A plain newline: it survives trimming, and both the model and Slack show it as it is."""
        run = self.run
        run.unspace()
        if run.pieces and run.pieces[-1] == escape.BREAK:
            self._flush()  # two in a row are how old pages part paragraphs
        else:
            run.pieces.append(escape.BREAK)
        return done

    def _flat_break(self, _node: int) -> Close:
        self.run.space()
        return done

    def _span(self, node: int) -> Close | None:
        return self._open(node, *_SPANS[self._tags[node]])

    def _anchor(self, node: int) -> Close | None:
        href = self._attribute(node, "href")
        url = "" if href is None else self._links.resolve(href)
        return self._open(node, escape.LINK, escape.link_end(url)) if url else None

    def _open(self, node: int, opening: str, closing: str) -> Close | None:
        filled = self._ends[node] > node + 1
        return self.run.close if filled and self.run.open(opening, closing) else None

    def _image(self, node: int) -> Close:
        alt = escape.clean(self._attribute(node, "alt") or "").strip()
        if alt and not self.run.in_code:
            url = self._links.resolve(self._attribute(node, "src") or "")
            is_page = url.partition("#")[0] == self._links.resolve("")  # so is a picture without a source
            self.run.pieces.append(escape.image(alt, url) if url and not is_page else alt)
        return done

    def _deletion(self, node: int) -> Close | None:
        if not is_struck(self.article.tree, node):
            return None
        close = self._open(node, escape.STRIKE, escape.STRIKE_END)
        if close is None or not parts_from_next(self.article, node):
            return close
        return partial(self._part, close)

    def _struck_span(self, node: int) -> Close | None:
        has_style = "style" in self.article.tree.attributes[node]  # as few have: most are done at once
        return self._deletion(node) if has_style else None

    def _part(self, close: Close) -> None:
        close()
        self.run.space()

    def _script(self, node: int) -> Close | None:
        if said := instead_of_power(self.article, node):
            self.run.pieces.append(said)
            return done
        opening, closing = script_marks(self.article.tree, node, self.run.last)
        if opening:
            self.run.pieces.append(opening)
        return partial(self.run.pieces.append, closing) if closing else None

    def _formula(self, node: int) -> Close:
        self.run.text(formula(self.article, node))
        return done

    def _quotation(self, _node: int) -> Close:
        self._end_quotation()
        return self._end_quotation

    def _end_quotation(self) -> None:
        self.run.pieces.append('"')

    def _reading(self, _node: int) -> Close:
        """Ruby text, in brackets behind what it annotates."""
        self.run.unspace()
        self.run.pieces.append("(")
        return self._end_reading

    def _end_reading(self) -> None:
        self.run.unspace()
        if self.run.pieces[-1:] == ["("]:
            self.run.pieces.pop()
        else:
            self.run.pieces.append(")")

    def _silence(self, _node: int) -> Close:
        return done


def _ordinal(text: str | None) -> int | None:
    """A list number; Markdown knows no negative ones, and nine digits at most."""
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


_SPANS = (
    dict.fromkeys(("strong", "b"), (escape.STRONG, escape.STRONG_END))
    | dict.fromkeys(("em", "i"), (escape.EMPHASIS, escape.EMPHASIS_END))
    | dict.fromkeys(DELETIONS, (escape.STRIKE, escape.STRIKE_END))
    | dict.fromkeys(("code", "kbd", "samp", "tt", "pre"), (escape.CODE, ""))
)

_Rule = Callable[[_Writer, int], Close | None]


def _all(names: Iterable[str], rule: _Rule) -> dict[str, _Rule]:
    return dict.fromkeys(names, rule)


_INLINE = (
    _all(_SPANS, _Writer._span)
    | _all(SILENT, _Writer._silence)
    | {"a": _Writer._anchor, "img": _Writer._image, "q": _Writer._quotation, "rt": _Writer._reading}
)

_FLOW = (
    _INLINE
    | _all(SECTIONS, _Writer._section)
    | _all(HEADINGS, _Writer._heading)
    | _all(LISTS, _Writer._list)
    | _all(ITEMS, _Writer._item)
    | _all(PREFORMATTED, _Writer._preformatted)
    | {"blockquote": _Writer._quote, "dl": _Writer._definitions, "dt": _Writer._term}
    | {"table": _Writer._table, "hr": _Writer._divider, "br": _Writer._break}
)

_FLAT = _all(BLOCKS, _Writer._border) | {"br": _Writer._flat_break} | _INLINE
"""The rules where blocks cannot be: in headings and in the cells of a table."""

_READABLE: dict[str, _Rule] = (
    _all(DELETIONS, _Writer._deletion)
    | {"span": _Writer._struck_span}
    | _all(("sup", "sub"), _Writer._script)
    | {"math": _Writer._formula}
)
"""What people read otherwise than the SRD has it."""

_IN_LINES = {tag: in_lines(rule) for tag, rule in (_all(PLAIN, plain) | _INLINE | _READABLE).items()}
_CELL: dict[str, _Rule] = {**_IN_LINES, **IN_CELLS}
"""The rules in the cells of a table as people read it."""

_COUNTED: dict[str, _Rule] = {"ol": _Writer._counted_list, "li": _Writer._counted_item}

_RULES = {
    ReadingMode.SRD: (_FLOW, _FLAT, _FLAT),
    ReadingMode.ARTICLE: (_FLOW | _READABLE | _COUNTED, _FLAT | _READABLE, _CELL),
}
