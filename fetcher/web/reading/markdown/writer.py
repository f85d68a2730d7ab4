"""Writes an article as Markdown (SRD FR-WF-13a to 13d).

The writer walks over the article's nodes once, in document order. An element's rule writes its beginning and
returns what is to be done at its end; open elements wait on an explicit stack. Inline content gathers in an
`InlineRun`. Where a block begins or ends, the run is taken and added to `Blocks`. The tables at the end of
this module say which rule an element has, and where.
"""

import re
from collections.abc import Callable, Mapping
from itertools import chain

from fetcher.codes import ReadingMode
from fetcher.web.reading.markdown import escape
from fetcher.web.reading.markdown.blocks import Blocks, counting, number_in
from fetcher.web.reading.markdown.elements import BLOCKS, HEADINGS, ITEMS, LISTS, PREFORMATTED, SECTIONS
from fetcher.web.reading.markdown.inline import Close, InlineRun, done, in_turn
from fetcher.web.reading.markdown.inline_rules import INLINE, READABLE, code_text, write_spaces
from fetcher.web.reading.markdown.links import Links
from fetcher.web.reading.tables.cells import IN_CELLS, label
from fetcher.web.reading.tables.grids import Grid, survey
from fetcher.web.reading.tables.pipes import pipe_table
from fetcher.web.reading.tables.slots import MAX_SLOTS, SlotBudget
from fetcher.web.reading.tree import Article

_LANGUAGE = re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,32})", re.ASCII)


def render(article: Article) -> str:
    """The article as Markdown that ends with one newline; an empty article is that newline alone."""
    return _Writer(article).write()


def plain_texts(article: Article) -> Callable[[int], str]:
    """Gives the text of a cell or caption in lines, without Markdown; nested tables are left out."""
    return _Writer(article, plain=True).take_plain_lines


class _Writer:
    def __init__(self, article: Article, *, plain: bool = False) -> None:
        self.article = article
        self.links = Links(article.base)
        self.run = InlineRun(plain=plain)
        self._tags, self._ends = article.tree.tags, article.tree.ends
        self._in_flow, self._in_line, self._in_cell = _RULES[article.mode]
        self._grids: dict[int, Grid] | None = None
        self._slot_budget = SlotBudget(MAX_SLOTS)
        self._blocks = Blocks()

    def write(self) -> str:
        self._walk(self.article.root, self._ends[self.article.root], self._in_flow)
        self._end_paragraph()
        return f"{self._blocks}\n"

    def _walk(self, node: int, end: int, rules: "Mapping[str, _Rule]") -> None:
        tags, texts, ends, skipped = self._tags, self.article.tree.texts, self._ends, self.article.skipped
        add_text = self.run.add_text
        closings: list[tuple[int, Close]] = [(end, done)]
        next_end = end
        while node < end:
            if node >= next_end:
                closings.pop()[1]()
                next_end = closings[-1][0]
            elif skipped[node]:
                node = ends[node]
            elif not (tag := tags[node]):
                add_text(texts[node])
                node += 1
            elif (rule := rules.get(tag)) is None:
                node += 1
            elif (close := rule(self, node)) is done:
                node = ends[node]
            else:
                if close:
                    next_end = ends[node]
                    closings.append((next_end, close))
                node += 1
        while closings:
            closings.pop()[1]()

    def _end_paragraph(self) -> None:
        if self.run.pieces and (text := escape.paragraph(self.run.take())):
            self._blocks.add(text)

    def _take_line(self, node: int) -> str:
        """An element's content as a run without blocks."""
        self._walk(node + 1, self._ends[node], self._in_line)
        return self.run.take()

    def take_plain_lines(self, node: int) -> str:
        self._walk(node + 1, self._ends[node], self._in_cell)
        return escape.plain_lines(self.run.take()) or label(self.article, node)

    def open_section(self, _node: int) -> Close:
        if self.run.pieces:  # asked here too: sections are the most frequent blocks, and often empty
            self._end_paragraph()
        return self._end_paragraph

    def write_heading(self, node: int) -> Close:
        self._end_paragraph()
        if text := escape.heading(self._take_line(node)):
            self._blocks.add("#" * int(self._tags[node][1]) + " " + text)
        return done

    def write_thematic_break(self, _node: int) -> Close:
        self._end_paragraph()
        if self._blocks:  # at the very top it would read as front matter
            self._blocks.add("---")
        return done

    def write_code_block(self, node: int) -> Close:
        """A fence that names the language, if a class does (SRD FR-WF-EXT-CODE-01)."""
        self._end_paragraph()
        if (text := code_text(self.article, node)).strip():
            around = range(node, min(node + 3, self._ends[node]))
            classes = (self.article.tree.attribute(at, "class") or "" for at in around)
            language = next(filter(None, map(_LANGUAGE.search, classes)), None)
            self._blocks.add(escape.fence(text, language[1] if language else ""))
        return done

    def write_table(self, node: int) -> Close:
        """A pipe table with its caption above; a table that is layout is a section like others."""
        self._end_paragraph()
        is_srd = self.article.mode is ReadingMode.SRD
        if self._grids is None:
            self._grids = survey(self.article)
        grid = self._grids.get(node)
        if grid is None or grid.is_layout:
            return self._end_paragraph
        if grid.caption is not None and (caption := escape.paragraph(self._take_line(grid.caption))):
            self._blocks.add(caption)
        cells: dict[int, str] = {}
        for cell in chain.from_iterable(grid.rows):
            self._walk(cell + 1, self._ends[cell], self._in_cell)
            text = escape.cell(self.run.take())
            cells[cell] = text if text or is_srd else escape.cell(label(self.article, cell))
        if any(cells.values()):
            self._blocks.add(pipe_table(self.article.tree, grid, cells, self._slot_budget))
        return done

    def open_container(self, node: int) -> Close:
        """Begins a quote, a list or an item."""
        self._end_paragraph()
        tag, blocks = self._tags[node], self._blocks
        if tag == "blockquote":
            blocks.open_quote()
        elif tag == "dl":
            blocks.open_definitions()
        elif tag in ITEMS:
            blocks.open_item(number_in(self.article, node, "value"))
        else:
            blocks.open_list(counting(self.article, node))
        return in_turn(self._end_paragraph, blocks.close)

    def open_term(self, _node: int) -> Close:
        self._end_paragraph()
        return in_turn(self._end_paragraph, self._blocks.tighten)

    def break_line(self, _node: int) -> Close:
        """A plain newline: it survives trimming, and both the model and Slack show it as it is."""
        self.run.drop_space()
        if self.run.pieces and self.run.pieces[-1] == escape.BREAK:
            self._end_paragraph()  # old pages separate paragraphs by two breaks
        else:
            self.run.pieces.append(escape.BREAK)
        return done

    def break_to_space(self, _node: int) -> Close:
        self.run.add_space()
        return done


_Rule = Callable[[_Writer, int], Close | None]

_IN_FLOW: dict[str, _Rule] = {
    **INLINE,
    **dict.fromkeys(SECTIONS, _Writer.open_section),
    **dict.fromkeys(HEADINGS, _Writer.write_heading),
    **dict.fromkeys(LISTS | ITEMS | {"blockquote", "dl"}, _Writer.open_container),
    **dict.fromkeys(PREFORMATTED, _Writer.write_code_block),
    "dt": _Writer.open_term,
    "table": _Writer.write_table,
    "hr": _Writer.write_thematic_break,
    "br": _Writer.break_line,
}

_IN_LINE: dict[str, _Rule] = {
    **dict.fromkeys(BLOCKS, write_spaces),
    "br": _Writer.break_to_space,
    **INLINE,
}
"""The rules where blocks cannot be: in headings, in captions, and in the cells of the SRD's tables."""

_RULES: dict[ReadingMode, tuple[Mapping[str, _Rule], Mapping[str, _Rule], Mapping[str, _Rule]]] = {
    ReadingMode.SRD: (_IN_FLOW, _IN_LINE, _IN_LINE),
    ReadingMode.ARTICLE: ({**_IN_FLOW, **READABLE}, {**_IN_LINE, **READABLE}, IN_CELLS),
}
"""The rules in the flow of the page, in a line, and in the cells of a table."""
