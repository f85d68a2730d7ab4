"""What kind of page it is, told by what it says about itself and by its address.

The kind decides which words and headings count as boilerplate: comments are the content of a
forum and an appendix to an article, links are the content of a list and an aside in a story, and
the latest articles are the content of a site's front page and an aside anywhere else.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from fetcher.web.reading.extract import japanese
from fetcher.web.reading.tree import Tree


class PageKind(StrEnum):
    FORUM = "forum"
    COLLECTION = "collection"
    PRODUCT = "product"
    ARTICLE = "article"
    DOCUMENTATION = "documentation"
    HOME = "home"
    OTHER = "other"


PROSAIC = frozenset({PageKind.ARTICLE, PageKind.FORUM, PageKind.PRODUCT})
"""The kinds whose content is text, so that what is mostly links is not content."""

_JSON_TYPE = re.compile(rb'"@type"\s*+:\s*+\[?+\s*+"(?:https?://schema\.org/)?(\w+)"')
_ITEM_TYPE = re.compile(rb"""itemtype=["']https?://(?:www\.)?schema\.org/(\w+)""")
_FORUM_SOFTWARE = re.compile(r"(?i)discourse|phpbb|vbulletin|xenforo|flarum|nodebb|mybb|invision|discuz")
_CART = re.compile(rb"add[\s_-]?to[\s_-]?(?:cart|bag|basket)")

_DOCS_HOST = re.compile(r"(?i)^https?://(?:docs?|devdocs|developers?|api|man|wiki)\.")
_DOCS_URL = re.compile(
    r"(?i)^https?://(?:help|support|learn|reference|manual)\.|readthedocs|\.github\.io"
    r"|/(?:docs?|documentation|reference|manuals?|guides?|api|wiki|tutorials?)(?:/|$)"
)
_FORUM_URL = re.compile(
    r"(?i)^https?://[^/]*(?:forums?|community|discuss\w*|boards?|bbs|answers|chiebukuro|oshiete)\."
    r"|/(?:forums?|threads?|questions?|discussions?|comments|bbs|boards|qa)[/.?]"
    r"|/(?:view|show)_?(?:topic|thread)|/(?:topic|thread)s?[/-]\d|/t/(?:[^/]+/)?\d"
    r"|[?&;](?:topic|thread|tid)=\d"
)
_COLLECTION_URL = re.compile(
    r"(?i)/(?:[\w-]*collections?|[\w-]*categor(?:y|ies)|shop|c|browse|catalog|tags?|topics?)(?:/|$|\?)|/collection-"
)
_PRODUCT_URL = re.compile(r"(?i)/(?:products?|p|dp|items?|goods)/")
_ARTICLE_PATH = "/(?:blogs?|articles?|news|entry|columns?|archives)/"
_ARTICLE_URL = re.compile(
    rf"(?i)^(?>[^/\n]++|(?!{_ARTICLE_PATH})/)*+{_ARTICLE_PATH}(?:.*/)?[^/]{{8,}}/?$|/(?:19|20)\d\d/?[01]\d/"
)
_HOME_URL = re.compile(r"(?i)https?://[^/?]+/?(?:[a-z]{2}(?:[_-][a-z]{2})?/?)?(?:index\.\w+)?$")
"""The front page of a site, or of its edition in one language."""

_ARTICLES = frozenset(
    {"Article", "NewsArticle", "BlogPosting", "Report", "ReportageNewsArticle", "TechArticle"}
)
_THREADS = frozenset({"QAPage", "DiscussionForumPosting"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Clues:
    """What a page tells about its kind."""

    html: bytes
    url: str
    types: Counter[str]
    """The schema.org types it declares, in JSON-LD or as microdata, each with how often."""
    og_type: str
    generator: str
    """The software that made the page, by its own account."""

    @property
    def sells_one_thing(self) -> bool:
        return (
            bool(self.types.keys() & {"Product", "ProductGroup"})
            and bool(self.types.keys() & {"Offer", "AggregateOffer"})
            and "ItemList" not in self.types
            and not self.is_one_story  # which can be about a product
        )

    @property
    def calls_itself_an_article(self) -> bool:
        return self.og_type == "article" or bool(self.types.keys() & _ARTICLES)

    @property
    def is_one_story(self) -> bool:
        return sum(self.types[name] for name in _ARTICLES) == 1

    @property
    def is_a_collection(self) -> bool:
        # A story names the collections that it belongs to; a collection names no story, or several.
        names_itself = "CollectionPage" in self.types and not self.is_one_story
        return names_itself or self.og_type.endswith(".group")

    @property
    def has_a_cart(self) -> bool:
        # In lower case the pattern begins with plain letters, which are found many times as fast.
        return japanese.PUT_IN_CART in self.html or _CART.search(self.html.lower()) is not None


KINDS: tuple[tuple[PageKind, Callable[[Clues], object]], ...] = (
    (PageKind.FORUM, lambda clues: clues.types.keys() & _THREADS),
    (PageKind.DOCUMENTATION, lambda clues: _DOCS_HOST.search(clues.url)),
    (PageKind.FORUM, lambda clues: _FORUM_URL.search(clues.url) or _FORUM_SOFTWARE.match(clues.generator)),
    (PageKind.COLLECTION, lambda clues: clues.is_a_collection),
    (PageKind.PRODUCT, lambda clues: clues.sells_one_thing or clues.og_type in ("product", "og:product")),
    (
        PageKind.COLLECTION,
        lambda clues: (
            _COLLECTION_URL.search(clues.url)
            and not _PRODUCT_URL.search(clues.url)
            and not clues.calls_itself_an_article  # what a page declares counts more than its address
        ),
    ),
    (PageKind.PRODUCT, lambda clues: _PRODUCT_URL.search(clues.url) and clues.has_a_cart),
    (PageKind.ARTICLE, lambda clues: clues.calls_itself_an_article),
    (PageKind.DOCUMENTATION, lambda clues: _DOCS_URL.search(clues.url)),
    (PageKind.ARTICLE, lambda clues: _ARTICLE_URL.search(clues.url)),
    (PageKind.HOME, lambda clues: _HOME_URL.match(clues.url)),
)
"""The first that fits is the page's kind."""


def kind_of(html: bytes, url: str, tree: Tree) -> PageKind:
    types = Counter(declared(html, b'"@type"', _JSON_TYPE))
    types.update(declared(html, b"itemtype=", _ITEM_TYPE))
    meta: dict[str, str] = {}  # the first of each `<meta>` before the body
    for tag, attributes in zip(tree.tags, tree.attributes, strict=True):
        if tag == "body":
            break
        if tag == "meta" and (name := attributes.get("property") or attributes.get("name")):
            meta.setdefault(name.lower(), (attributes.get("content") or "").strip())
    clues = Clues(
        html=html,
        url=url,
        types=types,
        og_type=meta.get("og:type", "").lower(),
        generator=meta.get("generator", ""),
    )
    return next((kind for kind, fits in KINDS if fits(clues)), PageKind.OTHER)


def declared(html: bytes, beginning: bytes, pattern: re.Pattern[bytes]) -> Iterator[str]:
    """What the first group of a pattern holds wherever the pattern fits, which begins with a plain text."""
    # Looking for the beginning of a pattern as plain text is many times as fast as matching everywhere.
    at = html.find(beginning)
    while at >= 0:
        if found := pattern.match(html, at):
            yield found[1].decode()
        at = html.find(beginning, at + 1)
