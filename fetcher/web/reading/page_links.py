"""The links of a whole page, with their labels and where they stand: menus lead to a site's other pages.

What people cannot see is left out. Links of the article stand in its Markdown too, in the same form.
"""

from fetcher.web.reading.extract.outside_article import hidden_nodes
from fetcher.web.reading.markdown.escape import clean, inline, squash
from fetcher.web.reading.markdown.links import Links
from fetcher.web.reading.tree import Article, Tree
from fetcher.web.values import Link, LinkPlace

MOST_LINKS = 300
MOST_CHARACTERS = 60_000
"""Of all labels and URLs together."""
MOST_FRAMES = 50
_LONGEST_LABEL = 80
_LONGEST_URL = 2000
_MOST_NODES = 40
"""Of a link that are read for its label."""

_FOOTERS = frozenset({"footer"})
_MENUS = frozenset({"nav", "header", "aside", "menu"})
_ROLES = {"navigation": LinkPlace.NAVIGATION, "banner": LinkPlace.NAVIGATION, "contentinfo": LinkPlace.FOOTER}


def page_links(article: Article) -> tuple[Link, ...]:
    """Each URL once, the navigation's first, then the footer's, then the content's, within the limits."""
    tree, hidden, links = article.tree, hidden_nodes(article), Links(article.base)
    end = tree.ends[article.root] if tree.ends else 0
    places = _places(tree)
    found: dict[str, Link] = {}
    for node in [*tree.named("a"), *tree.named("frame")]:
        is_frame = tree.tags[node] == "frame"
        reference = (tree.attribute(node, "src" if is_frame else "href") or "").strip()
        if hidden[node] or not reference or reference.startswith("#"):
            continue
        if is_frame:
            label = frame_label(tree, node)
        else:  # its text, else the text of its picture, else its name for screen readers
            nodes = range(node + 1, min(tree.ends[node], node + _MOST_NODES))
            text = squash(
                clean(" ".join(tree.texts[at] for at in nodes if tree.texts[at] and not hidden[at]))
            )
            pictures = (tree.attribute(at, "alt") for at in nodes if tree.tags[at] == "img")
            named = text or next(filter(None, pictures), "") or tree.attribute(node, "aria-label") or ""
            label = squash(clean(named))[:_LONGEST_LABEL]
        url = links.resolve(reference)
        if not label or not url or len(url) > _LONGEST_URL:
            continue
        in_article = article.root <= node < end and not article.skipped[node]
        place = places[node] or (LinkPlace.CONTENT if in_article else LinkPlace.NAVIGATION)
        if url not in found or (found[url].place is LinkPlace.CONTENT and place is not LinkPlace.CONTENT):
            found[url] = Link(label=label, url=url, place=place)
    order = list(LinkPlace)
    kept, room = list[Link](), MOST_CHARACTERS
    for link in sorted(found.values(), key=lambda link: order.index(link.place)):
        room -= len(link.label) + len(link.url)
        if room < 0 or len(kept) == MOST_LINKS:
            break
        kept.append(link)
    return tuple(kept)


def frames_as_links(article: Article) -> str:
    """A page that consists of frames, as a list of links to them; empty for other pages."""
    tree, links, lines = article.tree, Links(article.base), list[str]()
    for node in tree.named("frame")[:MOST_FRAMES]:
        if url := links.resolve((tree.attribute(node, "src") or "").strip()):
            lines.append(f"- [{inline(frame_label(tree, node))}]({url})\n")
    return "".join(lines)


def frame_label(tree: Tree, frame: int) -> str:
    """What a frame is called, for people or for scripts, else its address as the page writes it."""
    named = (tree.attribute(frame, attribute) for attribute in ("title", "name", "src"))
    return squash(clean(next(filter(None, named), "")))[:_LONGEST_LABEL]


def _places(tree: Tree) -> list[LinkPlace | None]:
    """For each node the innermost part of the page around it that is a menu or a footer."""
    places: list[LinkPlace | None] = []
    for node, (tag, parent) in enumerate(zip(tree.tags, tree.parents, strict=True)):
        place = places[parent] if parent >= 0 else None
        if tag in _FOOTERS:
            place = LinkPlace.FOOTER
        elif tag in _MENUS and place is None:
            place = LinkPlace.NAVIGATION
        elif tag and (role := tree.attribute(node, "role")):
            place = _ROLES.get(role.strip().lower(), place)
        places.append(place)
    return places
