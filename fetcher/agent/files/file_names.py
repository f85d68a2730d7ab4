"""File names that every system and Slack take; Japanese stays."""

import re
from collections.abc import Collection, Sequence
from itertools import count
from unicodedata import category, normalize

from fetcher.agent.files.workbooks import XLSX
from fetcher.agent.safety.mentions import without_mentions
from fetcher.text import well_formed
from fetcher.web.output.chunks.sentences import runs

EXTENSIONS = {
    "text/csv": ".csv",
    "application/json": ".json",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/tab-separated-values": ".tsv",
    "application/xml": ".xml",
    "application/yaml": ".yaml",
    XLSX: ".xlsx",
}
_LONGEST, _LONGEST_BYTES = 100, 240
"""Most file systems take 255 bytes, in which a Japanese character is three."""
_UNNAMED = "export"

_KNOWN = re.compile(r"\.(?:csv|docx?|html?|jsonl?|log|md|pdf|te?xt|tsv|xlsx?|xml|ya?ml)$", re.IGNORECASE)
"""Extensions that are replaced where they are wrong; any other dot belongs to the name."""
_RESERVED = re.compile(r'[/\\:*?"<>|]')
_DEVICE = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\xb9\xb2\xb3])\s*(?:\.|$)", re.IGNORECASE
)
_UNSEEN = frozenset({"Cc", "Cf"})
"""Controls, and formatting such as direction marks and zero-width characters."""
_NARROW_SPACE = re.compile("[^\\S\u3000]+")
_EDGES = " .\u3000"


def safe_name(name: str, mime_type: str) -> str:
    """A name for a file of this type, as near to the one given as is safe."""
    extension = EXTENSIONS.get(mime_type, ".txt" if mime_type.startswith("text/") else ".bin")
    text = _NARROW_SPACE.sub(" ", well_formed(name))  # line breaks are controls too, and leave a space
    seen = "".join(character for character in text if category(character) not in _UNSEEN)
    plain = _RESERVED.sub("_", _NARROW_SPACE.sub(" ", normalize("NFC", seen)))
    stem = _KNOWN.sub("", without_mentions(plain).rstrip(_EDGES)).strip(_EDGES)
    if _DEVICE.match(stem):
        stem = f"_{stem}"
    room, room_bytes, end = _LONGEST - len(extension), _LONGEST_BYTES - len(extension), 0
    for start, stop in runs(stem, 0, len(stem), size=1, most_extra=16):  # whole characters, as many as fit
        room_bytes -= len(stem[start:stop].encode())
        if stop > room or room_bytes < 0:
            break
        end = stop
    return (stem[:end].rstrip(_EDGES) or _UNNAMED) + extension


def distinct_name(name: str, taken: Collection[str]) -> str:
    """The name, numbered where others have it already; systems differ on upper and lower case."""
    others = {other.casefold() for other in taken}
    stem, dot, extension = name.rpartition(".")
    numbered = (f"{stem} ({number}){dot}{extension}" for number in count(2))
    return name if name.casefold() not in others else next(n for n in numbered if n.casefold() not in others)


def distinct_names(names: Sequence[str]) -> list[str]:
    """The names, with a number behind those that come again."""
    return [
        name if name not in names[:at] else f"{name} {names[:at].count(name) + 1}"
        for at, name in enumerate(names)
    ]
