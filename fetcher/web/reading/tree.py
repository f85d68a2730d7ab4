"""A parsed page as flat lists in document order, so that nothing ever recurses over it.

Node `i` and its descendants are the indices `i` to `ends[i] - 1`; a child's index is always
greater than its parent's. A text node has the empty tag and its characters in `texts`;
an element has its lower-case name in `tags` and an empty text.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import repeat

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError

from fetcher.codes import ReadingMode
from fetcher.web.errors import ExtractionFailed

MAX_NODES = 240_000
"""More than any page that people read has; so many can be read in a second."""

UNREAD = (
    *("script", "style", "template", "svg", "canvas"),
    *("iframe", "noembed", "noframes", "video", "audio"),
)
"""Elements whose content readers of the page never see as text."""

_PASSED_OVER = frozenset({*UNREAD, "link", "source", "track", "param", "-comment"})
"""Nodes that are not part of the tree: they say nothing to a reader, except drawings that have a name."""

TRIMMED_AT_EDGES = frozenset(
    """
    html head title meta link base body main article section nav header footer aside div p blockquote hr br
    h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table caption colgroup col thead tbody tfoot tr td th form fieldset
    figure figcaption details summary address option optgroup
    """.split()  # noqa: SIM905 - a table of words reads better than a list of strings
)
"""Elements at whose edges white space is never seen."""

_PREFORMATTED = frozenset({"pre", "textarea", "listing"})
_CELLS = frozenset({"td", "th"})
_NO_ATTRIBUTES: Mapping[str, str | None] = {}
_FOR_SCREENS = ("", "all", "screen")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tree:
    tags: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """The index of each node's parent; -1 for the root."""
    ends: list[int] = field(default_factory=list)
    attributes: list[Mapping[str, str | None]] = field(default_factory=list)
    with_attribute: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """The indices of the elements that have an attribute, by its name, as the page came."""
    styles: list[str] = field(default_factory=list)
    """The style sheets in the page that apply to screens without a condition."""
    _parser: LexborHTMLParser | None = None
    _by_address: dict[int, int] = field(default_factory=dict)
    """The index of each element by its place in the parser's memory."""
    _by_tag: dict[str, list[int]] = field(default_factory=dict)
    """The indices of the nodes with each tag; empty until one is asked for, and after a change."""

    def attribute(self, index: int, name: str) -> str | None:
        """An element's attribute; an attribute without a value is the empty string."""
        attributes = self.attributes[index]
        return (attributes[name] or "") if name in attributes else None

    def named(self, tag: str) -> list[int]:
        """The indices of the elements of one name, in order; those of the empty name are the texts."""
        if not self._by_tag:
            found = defaultdict[str, list[int]](list)
            for index, each in enumerate(self.tags):
                found[each].append(index)
            self._by_tag.update(found)
        return self._by_tag.get(tag, [])

    def matching(self, selector: str) -> list[int]:
        """The indices of the elements that a selector of CSS fits, as the page came; none for a wrong one."""
        if self._parser is None:
            return []
        try:
            found = self._parser.css(selector)
        except SelectolaxError:
            return []
        return [self._by_address[at.mem_id] for at in found if at.mem_id in self._by_address]

    def rename(self, index: int, tag: str) -> None:
        self.tags[index] = tag
        self.forget_places()

    def forget_places(self) -> None:
        """Has nodes looked for anew after their names or their order have changed."""
        self._by_tag.clear()

    def children(self, index: int) -> list[int]:
        """The indices of a node's children, in order."""
        found, child, end = [], index + 1, self.ends[index]
        while child < end:
            found.append(child)
            child = self.ends[child]
        return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Article:
    """The part of a page that is to be read: a subtree without what is skipped in it."""

    tree: Tree
    root: int
    skipped: bytearray
    """1 for each node that is left out together with its descendants."""
    closed: list[int] = field(default_factory=list)
    """The elements anywhere on the page that are not shown, and that no click seems to show."""
    head: list[int] = field(default_factory=list)
    """The title of a story and the lines with its day, which are not part of its text."""
    base: str
    """The absolute http(s) URL against which links are resolved (`<base href>` honoured)."""
    title: str | None = None
    language: str | None = None
    mode: ReadingMode = ReadingMode.ARTICLE
    """Whether it is written by the SRD's rules, or as people read it."""


def parse(html: str | bytes) -> Tree:
    """Parses text, or its UTF-8, as the HTML Standard does; comments and `UNREAD` elements are left out."""
    # Without events: they copy every `<option selected>` into `<selectedcontent>`, in time quadratic in the
    # number of options.
    parser = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)
    tree = Tree(_parser=parser)
    if parser.root is not None:
        _flatten(parser.root, tree)
    return tree


def _flatten(root: LexborNode, tree: Tree) -> None:  # noqa: C901 - one loop, for speed
    # This loop runs over all nodes of all pages. So it uses local names, reads the name of each kind of node
    # once, and calls the parser as little as possible.
    tags, texts, parents, ends, attributes = tree.tags, tree.texts, tree.parents, tree.ends, tree.attributes
    names, addresses, with_attribute = dict[int, str](), tree._by_address, tree.with_attribute
    node, parent, at_edge, preformatted, count = root, -1, True, False, 0
    open_: list[tuple[LexborNode, int, bool, bool]] = []
    for _ in repeat(None, MAX_NODES):
        if (tag := names.get(kind := node.tag_id)) is None:
            tag = names[kind] = "" if node.is_text_node else node.tag or "-"
        if not tag:
            text = node.text_content or ""
            # White space beside a block's edge is half of all text nodes, and is never seen.
            if not at_edge or preformatted or not text.isspace():
                tags.append("")
                texts.append(text)
                parents.append(parent)
                ends.append(count := count + 1)
                attributes.append(_NO_ATTRIBUTES)
                at_edge = False
        elif tag not in _PASSED_OVER:
            tags.append(tag)
            texts.append("")
            parents.append(parent)
            here = node.attributes or _NO_ATTRIBUTES
            attributes.append(here)
            addresses[node.mem_id] = count
            for name in here:  # now, while they are in the processor's cache
                with_attribute[name].append(count)
            ends.append(count := count + 1)
            at_edge = tag in TRIMMED_AT_EDGES
            if (below := node.first_child) is not None:
                open_.append((node, parent, at_edge, preformatted))
                node, parent, preformatted = below, count - 1, preformatted or tag in _PREFORMATTED
                continue
        elif tag == "svg" and (named := _name_of_drawing(node, tree, parent)):
            tags.append(tag)
            texts.append("")
            parents.append(parent)
            attributes.append(named)
            with_attribute[next(iter(named))].append(count)
            ends.append(count := count + 1)
        elif tag == "style" and (css := _style_sheet(node)):
            tree.styles.append(css)
        while (after := node.next) is None:
            if not open_:
                return
            ends[parent] = count
            node, parent, at_edge, preformatted = open_.pop()
        node = after
    raise ExtractionFailed(error=f"more than {MAX_NODES} nodes")


def _style_sheet(style: LexborNode) -> str:
    """The rules in a `style` element; empty for another language or media, and for one to choose."""
    attributes, first = style.attributes or _NO_ATTRIBUTES, style.first_child
    is_css = (attributes.get("type") or "text/css").strip().lower() == "text/css"
    media = (attributes.get("media") or "").strip().lower()
    return style.text() if first and is_css and media in _FOR_SCREENS and not attributes.get("title") else ""


def _name_of_drawing(svg: LexborNode, tree: Tree, parent: int) -> Mapping[str, str]:
    """What an `svg` is called for those who do not see it: its label or `title`; in a cell also its class."""
    attributes, first = svg.attributes or _NO_ATTRIBUTES, svg.first_child
    while first is not None and first.is_text_node:
        first = first.next
    name = attributes.get("aria-label") or ""
    if not name and first is not None and first.tag == "title":
        name = first.text().strip()
    if name:
        return {"aria-label": name}
    is_icon = parent > 0 and not _CELLS.isdisjoint((tree.tags[parent], tree.tags[tree.parents[parent]]))
    icon = attributes.get("class") if is_icon else ""
    return {"class": icon} if icon else {}
