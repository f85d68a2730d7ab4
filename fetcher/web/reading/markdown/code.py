"""The text of code blocks."""

from fetcher.web.reading.markdown.elements import BLOCKS, SILENT
from fetcher.web.reading.markdown.escape import verbatim
from fetcher.web.reading.tree import Article


def code_text(article: Article, node: int) -> str:
    """The exact text of a code block."""
    tree, pieces = article.tree, [""]
    node, end = node + 1, tree.ends[node]
    while node < end:
        tag = tree.tags[node]
        if article.skipped[node] or tag in SILENT:
            node = tree.ends[node]
            continue
        if not tag:
            pieces.append(verbatim(tree.texts[node]))
        elif tag == "br" or (tag in BLOCKS and pieces[-1] and pieces[-1][-1] != "\n"):
            pieces.append("\n")
        node += 1
    return "".join(pieces)
