"""RSS, Atom and RDF feeds as lists of dated entries with their links, the newest first."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape as as_html
from urllib.parse import urljoin
from xml.parsers import expat

from selectolax.lexbor import LexborHTMLParser

from fetcher.web.reading.decode import decode_text
from fetcher.web.reading.documents.written_html import written
from fetcher.web.reading.markdown.white_space import normalise
from fetcher.web.values import Document, Reading, ReadingContext, Table
from fetcher.wording import fixed_ja

_ENTRIES = frozenset({"item", "entry"})
_FIELDS = {
    "title": "title",
    "link": "link",
    "pubdate": "date",
    "published": "date",
    "updated": "date",
    "date": "date",
    "description": "summary",
    "summary": "summary",
    "encoded": "summary",
    "content": "summary",
    "subtitle": "summary",
    "tagline": "summary",
}
"""What the elements of all kinds of feeds mean, by their names without a prefix."""
_MOST_ENTRIES = 1000
_LONGEST_SUMMARY = 300
_LONGEST_FIELD = 200_000
_MAIL_DATE = re.compile(
    r"(?P<day>[0-9]{1,2}) (?P<month>[A-Za-z]{3})[a-z]* (?P<year>[0-9]{4}) "
    r"(?P<clock>[0-9]{2}:[0-9]{2}(?::[0-9]{2})?) ?(?P<zone>[+-][0-9]{4}|[A-Z]{1,4}|)"
)
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_ZONES = {"JST": "+0900", "EST": "-0500", "EDT": "-0400", "PST": "-0800", "PDT": "-0700"}
_BLOCK = re.compile(r"<(?:p|br|div|li|h[1-6]|td|th|tr|blockquote)\b", re.IGNORECASE)
_DECLARATION = re.compile(r"\A\s*+<\?xml[^>]*+(?<=\?)>")


@dataclass(slots=True, kw_only=True)
class Entry:
    title: str = ""
    link: str = ""
    date: str = ""
    summary: str = ""

    @property
    def when(self) -> datetime | None:
        """The date, which is in ISO's form or in that of mail, which RSS uses."""
        text = self.date[:100]
        mail = _MAIL_DATE.search(text)
        if mail and (month := _MONTHS.find(mail["month"].lower())) >= 0:
            zone = mail["zone"] if mail["zone"] not in ("", "GMT", "UTC", "UT", "Z") else "+0000"
            zone = zone if zone[0] in "+-" else _ZONES.get(zone, "+0000")
            clock = mail["clock"] if mail["clock"].count(":") == 2 else mail["clock"] + ":00"
            text = f"{mail['year']}-{month // 3 + 1:02}-{int(mail['day']):02}T{clock}{zone}"
        try:
            found = datetime.fromisoformat(text.strip())
        except ValueError:
            return None
        return found if found.tzinfo else found.replace(tzinfo=UTC)


@dataclass(slots=True, kw_only=True)
class Feed:
    title: str = ""
    description: str = ""
    entries: list[Entry] = field(default_factory=list)


class _Refused(Exception):
    """The feed declares entities, which feeds do not need and bombs are made of."""


def read_feed(body: bytes, context: ReadingContext) -> Reading:
    decoded = decode_text(body, context)
    try:
        document = feed_document(_parsed(_DECLARATION.sub("", decoded.text, count=1)), context.url)
    except (expat.ExpatError, _Refused):  # not quite XML: shown as it is
        document = Document(markdown=normalise(decoded.text))
    return Reading(document=document, media_type=context.media_type, fallback=decoded.fallback)


def _parsed(text: str) -> Feed:
    feed, about = Feed(), Entry()
    path: list[str] = []
    pieces: list[str] = []
    current = [about]

    def refuse(*_: object) -> None:
        raise _Refused

    def start(name: str, attributes: dict[str, str]) -> None:
        plain = name.rpartition(":")[2].lower()
        path.append(plain)
        pieces.clear()
        if plain in _ENTRIES:
            if len(feed.entries) >= _MOST_ENTRIES:
                raise _Refused
            feed.entries.append(Entry())
            current[0] = feed.entries[-1]
        elif plain == "link" and attributes.get("href") and attributes.get("rel", "alternate") == "alternate":
            current[0].link = current[0].link or attributes["href"]

    def end(_: str) -> None:
        plain = path.pop()
        meaning = _FIELDS.get(plain)
        told = "".join(pieces).strip()[:_LONGEST_FIELD]
        pieces.clear()
        is_direct = bool(path) and path[-1] in (_ENTRIES if current[0] is not about else ("channel", "feed"))
        if meaning and told and is_direct and not getattr(current[0], meaning):
            setattr(current[0], meaning, told)
        if plain in _ENTRIES:
            current[0] = about

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = pieces.append
    parser.EntityDeclHandler = refuse
    parser.Parse(text.encode("utf-8", "replace"), True)
    feed.title, feed.description = about.title, about.summary
    return feed


def feed_document(feed: Feed, url: str) -> Document:
    """A list that people can read, and a table that can be exported."""
    dated = sorted(
        feed.entries, key=lambda entry: entry.when or datetime.min.replace(tzinfo=UTC), reverse=True
    )
    title = _plain(feed.title)
    html = [f"<h1>{as_html(title)}</h1><p>{as_html(_plain(feed.description))}</p><ul>"]
    rows = []
    for entry in dated:
        when = f"{entry.when:%Y-%m-%d %H:%M}" if entry.when else entry.date[:40]
        name, summary = _plain(entry.title), _plain(entry.summary)
        name = name or summary[:60] or entry.link
        linked = f'<a href="{as_html(entry.link)}">{as_html(name)}</a>' if entry.link else as_html(name)
        brief = "" if summary == name else summary[:_LONGEST_SUMMARY]
        html.append(f"<li>{as_html(when)} {linked}{'<br>' if brief else ''}{as_html(brief)}</li>")
        cells = (when, name, urljoin(url, entry.link))
        rows.append(tuple(" ".join(cell.split()) for cell in cells))
    markdown, _ = written("".join([*html, "</ul>"]), url)
    table = Table(caption=title, header=fixed_ja.FEED_COLUMNS, rows=tuple(rows))
    return Document(markdown=markdown, title=title or None, tables=(table,) if rows else ())


def _plain(text: str) -> str:
    """The words of a text that may hold markup."""
    if "<" in text or "&" in text:
        text = LexborHTMLParser(_BLOCK.sub(r" \g<0>", f"<body>{text}")).text()
    return " ".join("".join(each for each in text if each.isprintable() or each.isspace()).split())
