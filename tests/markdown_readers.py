"""What readers of Markdown that are not ours find in a text.

`mistune` is another parser, and takes some texts otherwise than CommonMark does; its strikethrough is left
out, because it begins inside of code. `markdown-it-py` has here what our own reading leaves out: HTML blocks
and references, and no tables.
"""

import re
from typing import Any

import mistune
from markdown_it import MarkdownIt

BARE = re.compile(
    r"(?:[a-z0-9+.-]*://[^\s<>]|(?<![\w.@/-])www\.[a-z0-9]|(?<![\w/:])//[\w\[]|(?:mailto|https?):[\w\\])[^\s<>]*",
    re.IGNORECASE,
)
"""What a program takes for a URL that makes links of bare ones."""


def found_by_mistune(plugins, markdown):
    waiting: list[Any] = list(mistune.create_markdown(renderer=None, plugins=plugins)(markdown))
    for token in waiting:
        waiting += token.get("children") or ()
        url = (token.get("attrs") or {}).get("url")
        yield from [(token["type"], url)] if url is not None else []
        if token["type"] in ("text", "inline_html", "block_html"):
            yield token["type"], token["raw"]


def found_by_markdown_it(html, markdown):
    waiting = list(MarkdownIt("commonmark", {"html": html}).parse(markdown))
    for token in waiting:
        waiting += token.children or ()
        yield from ((token.type, str(token.attrs[name])) for name in ("href", "src") if name in token.attrs)
        if token.type in ("text", "html_block", "html_inline"):
            yield token.type, token.content


def found(markdown):
    """All that some reader links to, loads or takes for HTML, and the bare URLs in its words."""
    for reader, setting in (
        (found_by_mistune, []),
        (found_by_mistune, ["table", "url"]),
        (found_by_markdown_it, True),
        (found_by_markdown_it, False),
    ):
        for kind, text in reader(setting, markdown):
            if "html" in kind and text.strip() != "<br>":
                yield f"HTML: {text}"
            elif kind == "image":
                yield f"image: {text}"
            elif kind == "text":
                for url in BARE.findall(text):
                    yield url.lstrip("+.-0123456789").rstrip(".,:;!?'\"*_~`)]|\\")
            elif "html" not in kind:
                yield text
