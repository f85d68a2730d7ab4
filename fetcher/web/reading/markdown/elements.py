"""HTML elements by what they are to a reader."""

HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
LISTS = frozenset({"ul", "ol", "menu", "dir"})
ITEMS = frozenset({"li", "dd"})
PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext"})

SECTIONS = frozenset(
    {
        "address",
        "article",
        "aside",
        "body",
        "caption",
        "center",
        "details",
        "dialog",
        "div",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "frameset",
        "header",
        "hgroup",
        "html",
        "legend",
        "main",
        "nav",
        "option",
        "p",
        "search",
        "section",
        "summary",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
    }
)
"""Blocks without any other meaning."""

BLOCKS = HEADINGS | LISTS | ITEMS | PREFORMATTED | SECTIONS | {"blockquote", "dl", "dt", "hr", "table"}
"""Elements that begin on a line of their own."""

SILENT = frozenset(
    {
        "annotation",
        "annotation-xml",
        "applet",
        "area",
        "audio",
        "button",
        "canvas",
        "datalist",
        "embed",
        "head",
        "iframe",
        "input",
        "map",
        "meter",
        "noembed",
        "noframes",
        "noscript",
        "object",
        "progress",
        "rp",
        "script",
        "select",
        "style",
        "svg",
        "template",
        "textarea",
        "title",
        "video",
    }
)
"""Controls, media, code and fallbacks, whose content is not written."""

PLAIN = frozenset(
    {"abbr", "bdi", "cite", "data", "font", "ins", "label", "mark", "small", "span", "time", "u"}
)
"""Inline elements of which only the content is written."""
