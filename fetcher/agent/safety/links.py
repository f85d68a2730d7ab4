"""Where the http(s) URLs in a person's or a page's text begin and end.

Brackets show where a URL ends: `[label](URL)` and `<URL>` are taken as they stand, and a label is never a
link, even if it looks like one. A bare URL ends before white space, quotes, Japanese
punctuation and a closing bracket that it has not opened; punctuation and emphasis at its end are the
sentence's own. Slack itself puts `<` and `>` around what it takes for a URL, with the Japanese that follows:
where there is raw Japanese in `<URL>`, it is read like a bare one.

Japanese needs no space between a URL and the sentence that goes on after it, yet raw Japanese may be
part of a path. What stands around the first Japanese character decides:

    before it              what follows                         readings
    a joint such as / =    a particle, then no hiragana         the ASCII part alone
    a joint                no hiragana at all: a name           all of it
    a joint                anything else                        each that is possible
    a letter or digit      hiragana: the sentence goes on       the ASCII part alone
    a letter or digit      anything else                        each that is possible
    other punctuation      anything                             the ASCII part alone

People also write a host without `https://`, or a scheme in full width (`bare_hosts.py`). Only their text is
searched for such links: a page that names a file or a host in passing has no link there.

Nothing is scanned more than a fixed number of times, so that hostile text takes linear time.
"""

import re
from dataclasses import dataclass
from itertools import chain

from fetcher.bare_urls import with_schemes
from fetcher.web.net.canonical import MAX_URL_CHARS
from fetcher.web.search.question_words import PARTICLES

MOST_LINKS = 5_000
"""More are never followed, and a hostile page could hold a million."""

_NO_CASE = re.ASCII | re.IGNORECASE  # without ASCII, "s" would match U+017F too

_HIRAGANA = r"\u3041-\u309f"
# Iteration and closing marks, kana, Han, full-width letters and digits, half-width katakana.
_JAPANESE = (
    rf"\u3005-\u3007{_HIRAGANA}\u30a0-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    r"\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uff9f\U00020000-\U0003ffff"
)
# Controls, white space, quotes, and the punctuation of Japanese and of typography.
_ENDS = (
    r"\x00-\x20\x7f-\xa0<>\"`|\\\u00ab\u00bb\u1680\u180e\u2000-\u206f\u3000-\u3004\u3008-\u3020\u3030\u3036-\u3040"
    r"\ufe30-\ufe6f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
_BRACKETS = r"()\[\]{}"
_CLOSER = {"(": ")", "[": "]", "{": "}"}
_TRAILING = ".,;:!?'\"*_~([{"

_IN_HOST = rf"(?!https?://)[^{_ENDS}{_BRACKETS}/?#.]"
_ASCII_IN_HOST = rf"(?!https?://)[^{_ENDS}{_BRACKETS}{_JAPANESE}/?#.]"
# After a dot Japanese makes a label only from its first character on: `example.com` ends before it.
_HEAD = re.compile(
    rf"https?://(?:\[[0-9a-f:.]*\](?::[0-9]*)?|(?>{_IN_HOST})++"
    rf"(?>\.(?:(?=[{_JAPANESE}])(?>{_IN_HOST})++|(?>{_ASCII_IN_HOST})*+))*+)",
    _NO_CASE,
)
# A URL inside a URL belongs to it after a joint (an archive's path, a query's value).
_ASCII_STEP = re.compile(
    rf"(?>[^{_ENDS}{_BRACKETS}{_JAPANESE}h]++|h(?!ttps?://)|(?<=[/=?#&+:])h)++|[{_BRACKETS}]", _NO_CASE
)
_WIDE_STEP = re.compile(rf"(?>[^{_ENDS}{_BRACKETS}h]++|h(?!ttps?://))++|[{_BRACKETS}]", _NO_CASE)

_JOINTS = frozenset("/=&?#_-+:(")
_SOME_HIRAGANA = re.compile(f"[{_HIRAGANA}]")
_SOME_JAPANESE = re.compile(f"[{_JAPANESE}\u3000-\u3020\uff01-\uff0f]")
_PARTICLE = re.compile(rf"[{PARTICLES}](?![{_HIRAGANA}])")

_ESCAPED = re.compile(r"\\([_*~&])")
_WEB = re.compile(r"https?://", _NO_CASE)
_TOKEN = re.compile(
    r"(?P<escape>\\[\[\]<`\\])"
    r"|<(?P<angled>https?://[^\s<>|]++)(?:\|[^<>\n]*+)?>"
    r"|(?P<open>!?\[)"
    r"|\]\(\s*+(?:<(?P<quoted>[^<>\n]*+)>|(?P<target>(?>[^\s()<>]++|\([^\s()<>]*+\))*+))"
    r"(?>\s++(?:\"[^\"]*+\"|'[^']*+'|\([^()]*+\)))?+\s*+(?P<close>\))"
    r"|(?P<bracket>\])"
    r"|(?P<paragraph>\n[ \t]*+\n)"
    r"|(?P<bare>https?://)",
    _NO_CASE,
)


Readings = tuple[str, ...]
"""What one link may be, the shortest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BareUrl:
    """A URL that stands in text without brackets."""

    readings: Readings
    """Empty where the text only begins like a URL."""
    end: int
    """Where the text goes on after the longest reading."""


def find_links(text: str, *, typed: bool = False) -> tuple[str, ...]:
    """The http(s) URLs in plain text or Markdown, in order, each once, code included.

    Where a bare URL may end in several places, each reading is there, the shortest first. `typed` is for what
    people write: it also finds hosts without a scheme, and schemes in full width or with a slip.
    """
    return tuple(dict.fromkeys(chain.from_iterable(find_readings(text, typed=typed))))


def find_readings(text: str, *, typed: bool = False) -> tuple[Readings, ...]:
    """The same links, each with all its readings."""
    plain = unescaped(text)
    return tuple(_Finder(with_schemes(plain) if typed else plain).found)


def unescaped(text: str) -> str:
    """A text without the backslashes that Markdown puts before signs which stand in URLs too."""
    return _ESCAPED.sub(r"\1", text)


def likeliest_first(readings: Readings) -> Readings:
    """The readings in the order in which to try them.

    After a joint a name is more likely a page than a sentence that begins: the longest comes first there,
    and what ends at the joint, a folder or an empty search, last. Hiragana begins a sentence.
    """
    shortest, *longer = readings
    if not longer:
        return readings
    rest = longer[0][len(shortest) :]  # begins with the joint where a URL cannot end with it
    name = rest.lstrip("".join(_JOINTS))
    at_joint = shortest[-1] in _JOINTS or len(name) < len(rest)
    return readings[::-1] if at_joint and not _SOME_HIRAGANA.match(name) else readings


def bare_url_at(text: str, at: int) -> BareUrl:
    """The bare URL that begins at `at` with `http://` or `https://`."""
    scheme_end = text.index("//", at) + 2
    head = _HEAD.match(text, at)
    if head is None:
        return BareUrl(readings=(), end=scheme_end)
    open_brackets: dict[str, int] = {}
    end = wide = head.end()
    if text[wide : wide + 1] in ("/", "?", "#"):
        wide = _run(text, wide, _ASCII_STEP, open_brackets)
        end = _run(text, wide, _WIDE_STEP, open_brackets)
    readings = {text[at:cut].rstrip(_TRAILING): None for cut in _cuts(text, wide, end)}
    possible = tuple(reading for reading in readings if scheme_end - at < len(reading) <= MAX_URL_CHARS)
    return BareUrl(readings=possible, end=at + len(possible[-1]) if possible else end)


def _run(text: str, at: int, step: re.Pattern[str], open_brackets: dict[str, int]) -> int:
    """Where the steps end, at the latest before a closing bracket that nothing has opened."""
    while found := step.match(text, at):
        piece = found[0]
        if closer := _CLOSER.get(piece):
            open_brackets[closer] = open_brackets.get(closer, 0) + 1
        elif piece in (")", "]", "}"):
            if not open_brackets.get(piece):
                return at
            open_brackets[piece] -= 1
        at = found.end()
    return at


def _cuts(text: str, wide: int, end: int) -> tuple[int, ...]:
    """Where a URL may end whose raw Japanese runs from `wide` to `end`: the table above."""
    if wide == end:
        return (end,)
    hiragana = _SOME_HIRAGANA.search(text, wide, end)
    at_joint = text[wide - 1] in _JOINTS
    if at_joint:
        if hiragana is None:
            return (end,)
        sentence = _PARTICLE.match(text, wide, end) is not None
    else:
        sentence = not text[wide - 1].isalnum() or (hiragana is not None and hiragana.start() == wide)
    if sentence:
        return (wide,)
    return (wide, hiragana.start(), end) if hiragana else (wide, end)


class _Finder:
    """Walks through Markdown once; an inner link switches the brackets around it off, as Markdown has it."""

    def __init__(self, text: str) -> None:
        self.found: dict[Readings, None] = {}
        self._openings: list[tuple[int, bool]] = []
        """For each open bracket how many links came before it, and whether it is an image's."""
        at = 0
        while len(self.found) < MOST_LINKS and (token := _TOKEN.search(text, at)):
            at = token.end()
            match token.lastgroup:
                case "open":
                    self._openings.append((len(self.found), token[0] == "!["))
                case "close":
                    at = self._link(token)
                case "bracket" if self._openings:
                    self._openings.pop()
                case "paragraph":
                    self._openings.clear()
                    at = token.end() - 1
                case "angled":
                    wide = _SOME_JAPANESE.search(token["angled"])
                    readings = bare_url_at(token["angled"], 0).readings if wide else ()
                    if readings:
                        self.found.setdefault(readings)
                    else:
                        self._add(token["angled"])
                case "bare":
                    url = bare_url_at(text, token.start())
                    if url.readings:
                        self.found.setdefault(url.readings)
                    at = url.end

    def _link(self, token: re.Match[str]) -> int:
        if not self._openings:
            return token.start() + 1
        before_label, is_image = self._openings.pop()
        while len(self.found) > before_label:  # a label is never a link
            self.found.popitem()
        if not is_image:
            self._openings.clear()
        self._add(token["quoted"] or token["target"] or "")
        return token.end()

    def _add(self, url: str) -> None:
        if _WEB.match(url) and len(url) <= MAX_URL_CHARS:
            self.found.setdefault((url,))
