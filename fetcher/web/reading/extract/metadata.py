"""What a page says about itself as a whole: title, language, base address."""

from operator import add

from fetcher.web.reading.markdown.links import absolute
from fetcher.web.reading.tree import Tree

_LONGEST_TITLE = 500
"""Characters of a title that are compared."""


def title_of(tree: Tree) -> str | None:
    """The first `<title>` with text, else the first `<h1>` (SRD FR-WF-13e); white space is collapsed."""
    return _first_text(tree, "title") or _first_text(tree, "h1")


def is_same_title(heading: str, title: str) -> bool:
    """Whether a heading says much the same as a page's title, which often has the site's name besides."""
    said = _pairs(heading)
    return len(said & _pairs(title)) >= 0.5 * len(said)


def repeats_title(heading: str, title: str) -> bool:
    """Whether a heading says a page's title once more, or almost."""
    said, wanted = _pairs(heading), _pairs(title)
    return len(said & wanted) >= max(0.7 * len(said), 0.4 * len(wanted))


def _pairs(text: str) -> set[str]:
    """The pairs of letters in a text, which tell how alike texts of any language are."""
    letters = "".join(filter(str.isalnum, text[:_LONGEST_TITLE].lower()))
    return set(map(add, letters, letters[1:]))


def _first_text(tree: Tree, wanted: str) -> str | None:
    for index in tree.named(wanted):
        text = " ".join("".join(tree.texts[index : tree.ends[index]]).split())
        if text:
            return text
    return None


def language_of(tree: Tree) -> str | None:
    """The `lang` of `<html>` as it stands, if it says anything (SRD FR-WF-13f)."""
    language = tree.attribute(0, "lang") if tree.tags else None
    return language if language and language.strip() else None


def base_of(tree: Tree, url: str) -> str:
    """The address that links are relative to: the first `<base href>` if it is http(s), else the page's."""
    for index in tree.named("base"):
        if (href := tree.attribute(index, "href")) is not None:
            return absolute(url, href) or url
    return url
