"""Writes an answer's Markdown anew, so that each reader finds links to what is allowed, and no other link.

Readers of Markdown disagree: about HTML, tables, bare URLs, and what is code. So the blocks of an answer, as
`fetcher/markdown.py` reads them, are written in a form in which all agree: code has fences of its own in
each quote and item, a code span ends on its line, no line of a paragraph is a table's rule.

The words stay as the model has written them, except for what could be a link. A link to a page that was read
stays. Any other link is its label with the URL as code, and any other URL is code. `](` and `]:` are broken
up, so that brackets mean nothing and no reference is ever defined; `<` begins no tag; stray backticks become
quotes. The words between two pieces of code or links are looked at as a whole: parts of a URL may have joined
when something between them was taken out.
"""

import re
from collections.abc import Container, Iterable, Iterator
from itertools import takewhile
from string import ascii_letters, digits

from markdown_it.token import Token

from fetcher.agent.safety.links import bare_url_at
from fetcher.agent.safety.mentions import mentions_everyone, without_mentions
from fetcher.bare_urls import AUTHORITY, WITHOUT_AUTHORITY, WORLD_WIDE_WEB, last_scheme

_NO_CASE = re.ASCII | re.IGNORECASE
_NO_SCHEME = r"(?<![a-z0-9_/:：])//(?=\\?[a-z0-9_\[\x80-\U0010ffff])"
"""A link to another host as web pages write it; some readers of Markdown find such links in text."""
_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)"
    rf"|(?P<close>\](?:\(|(?!{AUTHORITY}):))"
    r"|(?P<bracket>[\[\]])"
    r"|(?P<angle><(?![\s0-9=\-\x80-\U0010ffff]|$))"
    r"|(?P<web>https?://)"
    rf"|(?P<other>(?:{AUTHORITY}|(?:{WITHOUT_AUTHORITY}|{WORLD_WIDE_WEB}|{_NO_SCHEME})(?=[^\s<>`|]))[^\s<>`|]*)",
    _NO_CASE,
)
_AUTHORITY = re.compile(AUTHORITY)
_REST_OF_URL = re.compile(r"[^\s<>`|]+")
_GOES_ON_IN_A_URL = re.compile(r"[/?#&=%+$@~_-]|[^\W_]", re.ASCII)
"""Behind a link: a careless reader of bare URLs would take it for a part of the link."""
_PLAIN_URL = re.compile(r"(?:[^\s()<>\\`|\"]|\([^\s()<>\\`|\"]*\))+")
"""A URL that every reader of Markdown reads alike."""
_ENTITY = re.compile(r"&#?\w+;")
_TRAILING = ")].,;:!?'\"*_~"
_EMPHASIS = re.compile("[*~]")
_WRITTEN_PLAIN = frozenset(ascii_letters + digits + ":/.@-_：／．。｡")
"""No letter of a URL or of a mention stays written as an entity or behind a backslash."""
_NEEDS_ESCAPE = re.compile(r"~~~|(?=[^-]*-)(?=[^|:]*[|:])[\s|:\->*+0-9.)]*$")
"""The beginning of a fence, or what some reader takes for a table's rule."""
_TICKS = re.compile("`+")
_CHANGES = {"`": "`\\", "[": "!\\"}
"""By how a piece begins: the characters before it that would change its meaning."""
_LANGUAGE = re.compile(r"[\w+#.-]*")


def written(tokens: Iterable[Token], allowed: Container[str]) -> str:
    """The Markdown of an answer's tokens, with links to what is allowed only."""
    lines, _ = _Writer(tokens, allowed).blocks("")
    return "\n".join(lines)


class _Writer:
    """Writes blocks, each as lines."""

    def __init__(self, tokens: Iterable[Token], allowed: Container[str]) -> None:
        self._tokens = iter(tokens)
        self._allowed = allowed

    def blocks(self, end: str) -> tuple[list[str], bool]:
        """The lines of the blocks up to a token of this type, and whether they are those of a tight item."""
        blocks: list[list[str]] = []
        tight = True
        for token in self._tokens:
            if token.type == end:
                break
            if token.type == "paragraph_open":
                tight = tight and token.hidden
            if block := self._block(token, nested=bool(end)):
                blocks.append(block)
        lines: list[str] = []
        for block in blocks:
            # A line right after a quote could be a part of it.
            if lines and not (tight and end == "list_item_close" and lines[-1][:1] != ">"):
                lines.append("")
            lines += block
        return lines, tight

    def _block(self, token: Token, *, nested: bool) -> list[str]:
        match token.type:
            case "inline":
                words = self._words(token, new_line="  \n").strip(" \t\n")
                lines = (line.lstrip(" \t") for line in words.split("\n"))
                return [f"\\{line}" if _NEEDS_ESCAPE.match(line) else line for line in lines]
            case "heading_open":
                return [f"{'#' * int(token.tag[1])} {self._line(next(self._tokens))}"]
            case "fence" | "code_block":
                return _fenced(token)
            case "hr":  # in an item other marks could be the mark of the item, or an underline
                return ["___" if nested else "---"]
            case "blockquote_open":
                lines_of_quote, _ = self.blocks("blockquote_close")
                return [f"> {line}" if line else ">" for line in lines_of_quote or [""]]
            case "bullet_list_open" | "ordered_list_open":
                return self._list(token.type.replace("open", "close"))
            case "table_open":
                return self._table()
        return []

    def _list(self, end: str) -> list[str]:
        items = []
        for token in self._tokens:
            if token.type == end:
                break
            lines, tight = self.blocks("list_item_close")
            mark = f"{token.info}{token.markup} "
            first, *rest = lines or [""]
            indented = (f"{' ' * len(mark)}{line}" if line else "" for line in rest)
            items.append(([f"{mark}{first}" if first else mark.rstrip(), *indented], tight))
        is_tight = all(tight for _, tight in items)
        lines = [line for item, _ in items for line in (*item, *([] if is_tight else [""]))]
        return lines if is_tight else lines[:-1]

    def _table(self) -> list[str]:
        rows: list[list[str]] = []
        rules: list[str] = []
        for token in self._tokens:
            match token.type:
                case "tr_open":
                    rows.append([])
                case "th_open":
                    align = str(token.attrs.get("style", "")).partition(":")[2]
                    rules.append({"left": ":---", "center": ":---:", "right": "---:"}.get(align, "---"))
                case "inline":
                    rows[-1].append(self._line(token).replace("|", "\\|"))
                case "table_close":
                    break
        width = max(map(len, rows))
        rules += ["---"] * (width - len(rules))
        cells = [[*row, *[""] * (width - len(row))] for row in (rows[0], rules, *rows[1:])]
        return [f"| {' | '.join(row)} |" for row in cells]

    def _line(self, token: Token) -> str:
        """The words of a heading or a cell."""
        return self._words(token, new_line="\n").strip(" \t\n").replace("\n", "<br>")

    def _words(self, token: Token, *, new_line: str) -> str:
        return _Words(self._allowed, new_line=new_line).written(token.children or ())


def _fenced(token: Token) -> list[str]:
    """Code with a fence that nothing in it ends."""
    code = without_mentions(token.content.removesuffix("\n"))
    longest = max(map(len, _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    language = _LANGUAGE.match(token.info.strip())
    return [fence + (language[0] if language else ""), *(code.split("\n") if code else ()), fence]


def _code(text: str) -> str:
    """A code span; its backticks are a run that is not in the text."""
    text = without_mentions(text)
    runs = {len(run) for run in _TICKS.findall(text)}
    ticks = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    padded = text[:1] + text[-1:]
    pad = " " if "`" in padded or (padded == "  " and text.strip()) else ""
    return f"{ticks}{pad}{text}{pad}{ticks}".replace("\n", " ")


class _Words:
    """Writes the words of one paragraph, heading or cell."""

    def __init__(self, allowed: Container[str], *, new_line: str) -> None:
        self._allowed = allowed
        self._new_line = new_line
        self._pieces: list[str] = []
        self._plain: list[str] = []
        """Words since the last link or code."""
        self._in_label = False
        self._after_link = False

    def written(self, tokens: Iterable[Token]) -> str:
        self._add(iter(tokens))
        self._write_plain(is_end=True)
        return "".join(self._pieces)

    def _add(self, tokens: Iterator[Token]) -> None:
        for token in tokens:
            match token.type:
                case "text":
                    self._plain.append(token.content)
                case "text_special":
                    self._plain.append(self._special(token))
                case "html_inline" if token.content.startswith("<!"):  # may be a mention
                    self._plain.append(token.content.replace("&", "&amp;"))
                case "code_inline" | "html_inline":
                    self._keep(_code(token.content))
                case "link_open":
                    self._add_link(token, [*takewhile(lambda each: each.type != "link_close", tokens)])
                case "softbreak" | "hardbreak" if self._in_label:
                    self._plain.append(" ")
                case "softbreak":
                    self._plain.append("\n")
                case "hardbreak":
                    self._plain.append(self._new_line)
                case _:  # the marks of emphasis
                    self._plain.append(token.markup)

    def _special(self, token: Token) -> str:
        """A character that was written as an entity or behind a backslash."""
        if token.info == "entity":
            is_plain = token.content in _WRITTEN_PLAIN
        else:  # `1\.` is no list
            before = self._plain[-1][-1:] if self._plain else ""
            is_plain = token.content in ":/" or (token.content == "." and before.isalpha())
        return token.content if is_plain else token.markup

    def _add_link(self, opening: Token, label: list[Token]) -> None:
        url = str(opening.attrs.get("href", ""))
        text = "".join(token.content for token in label)
        if opening.markup == "autolink" and text[:1] in ("!", "#"):  # a mention that looks like mail
            self._plain.append(f"<{text}>")
        elif opening.markup == "autolink":
            is_web = url.startswith(("http:", "https:"))
            self._keep(f"<{url}>" if self._may_link(url) else _code(url if is_web else f"<{text}>"))
        elif self._may_link(url):
            self._keep("[")
            self._in_label = True
            self._add(iter(label))
            self._write_plain(is_end=True)
            self._in_label = False
            self._write(f"]({url})")
            self._after_link = True
        elif not url.strip():
            self._add(iter(label))
            self._plain.append(" ")
        elif text.strip() in ("", url):
            self._keep(_code(url))
        else:
            self._add(iter(label))
            self._plain.append(" (")
            self._keep(_code(url))
            self._plain.append(")")

    def _write(self, text: str) -> None:
        if text:
            self._pieces.append(text)

    def _keep(self, piece: str) -> None:
        """Write a piece as it is, apart from what would change its meaning."""
        self._write_plain()
        if self._pieces and self._pieces[-1][-1] in _CHANGES.get(piece[0], "\\"):
            self._write(" ")
        self._write(piece)

    def _write_plain(self, *, is_end: bool = False) -> None:
        """Write the words so far; what could be a link in them is one to what is allowed, or is code."""
        text, at = without_mentions("".join(self._plain)), 0
        self._plain.clear()
        if text and self._after_link:
            self._write(" " if _GOES_ON_IN_A_URL.match(text) else "")
            self._after_link = False
        while token := _TOKEN.search(text, at):
            is_web = token.lastgroup == "web" or _AUTHORITY.match(token[0])
            # The letters before `://` may make it another scheme than the token says.
            scheme = last_scheme(text[at : token.start()]) if is_web else ""
            self._write(text[at : token.start() - len(scheme)])
            at = token.end()
            match token.lastgroup:
                case "web" if not scheme:
                    at = self._write_url(text, token.start(), is_end=is_end)
                case "web" | "other":
                    rest = _REST_OF_URL.match(text, token.start())
                    url = rest[0].rstrip(_TRAILING) if rest else token[0]
                    self._keep(_code(scheme + url))
                    at = token.start() + len(url)
                case "ticks":
                    self._write("'" * len(token[0]))
                case "close" | "angle":
                    self._write(f"{token[0][0]} {token[0][1:]}")
                case "bracket" if self._in_label:  # a URL that became code may have taken its counterpart
                    self._write(f"\\{token[0]}")
                case _:
                    self._write(token[0])
        self._write(text[at:])

    def _write_url(self, text: str, at: int, *, is_end: bool) -> int:
        """Write the bare URL that begins here; return where it ends."""
        url = bare_url_at(text, at)
        reading = next(filter(self._may_link, reversed(url.readings)), None)
        if reading is None:
            shown = url.readings[0] if url.readings else text[at : url.end]
            self._keep(_code(shown))
            return at + len(shown)
        end = at + len(reading)
        stands_alone = text[end] in " \t\n" if end < len(text) else is_end
        plain = reading.isascii() and not _EMPHASIS.search(reading)
        self._keep(reading if plain and stands_alone else f"<{reading}>")
        return end

    def _may_link(self, url: str) -> bool:
        plain = _PLAIN_URL.fullmatch(url) and not _ENTITY.search(url) and not mentions_everyone(url)
        # The fragment was not read, and the page's own script would see it on a click.
        return bool(plain) and "#" not in url and url in self._allowed
