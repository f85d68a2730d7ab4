"""The value of a table's cell, by which rows are compared: a date, a time of day, an amount or a number.

Cells are written for people: full-width digits, eras, `1万5,000円`, a triangle for minus, `500MB` beside
`2GB`. Values are compared only with values of their kind.
"""

import re
from dataclasses import dataclass
from unicodedata import normalize

from fetcher.agent import japanese_words as words

_ERA = re.compile(
    rf"(?P<era>{'|'.join(words.ERAS)})(?P<year>\d{{1,2}}|{words.FIRST_YEAR})年(?:(?P<month>\d{{1,2}})月(?:(?P<day>\d{{1,2}})日)?)?"
)
_DATES = [
    re.compile(r"(?<!\d)(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?"),
    re.compile(r"(?<!\d)(\d{4})([/.-])(\d{1,2})(?:\2(\d{1,2}))?(?!\d)"),
]
_DAYS = [
    re.compile(r"(?<!\d)(\d{1,2})月(?:(\d{1,2})日)?"),
    re.compile(r"(?<![\d/])(1[0-2]|0?[1-9])/(3[01]|[12]\d|0?[1-9])(?![\d/])"),
]
_TIMES = [
    re.compile(rf"(?P<late>{words.AFTER_NOON})?(?<!\d)(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?!\d)"),
    re.compile(
        rf"(?P<late>{words.AFTER_NOON})?(?<!\d)(?P<hour>\d{{1,2}})時(?!間)(?:(?P<minute>\d{{1,2}})分|(?P<half>半))?"
    ),
]
_POWER = "|".join(words.POWERS)
_FIGURE = r"\d+(?:\.\d+)?"
_NUMBER = re.compile(
    rf"(?P<sign>(?<!\w)[-\u2212\u2013\u25b2\u25b3]\s?[¥$€£]?\s?|[¥$€£]-)?"
    rf"(?P<number>(?:{_FIGURE}(?:{_POWER}))+(?:{_FIGURE})?|{_FIGURE})\s?(?P<unit>[a-z%]+|{'|'.join(words.DURATIONS)})?"
)
_TERM = re.compile(rf"({_FIGURE})({_POWER})?")
_SCALES = {
    "bytes": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12},
    "mass": {"mg": 1e-3, "g": 1.0, "kg": 1e3},
    "length": {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "km": 1e3},
    "duration": words.DURATIONS,
}
_THOUSANDS = re.compile(r",(?<=\d,)(?=\d{3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    kind: str
    parts: tuple[float, ...]
    """The largest first: year, month and day; hour and minute; one number of everything else."""
    number: float | None = None
    """The number as it is written, where it has a unit."""
    unit: str = ""

    def parts_against(self, bound: "Value", *, one_unit: bool) -> tuple[float, ...] | None:
        """What of the value a bound is compared with; None where they cannot be compared.

        A bound without a day takes in the whole month. A bare number bounds the year of a date, the hour of a
        time, and what has a unit only where `one_unit` says that all of it has the same.
        """
        if self.kind == bound.kind or (bound.kind == "number" and self.kind in ("date", "day", "time")):
            return self.parts[: len(bound.parts)]
        if bound.kind == "number" and one_unit and self.number is not None:
            return (self.number,)
        return None


def value_of(text: str) -> Value | None:
    """The first value of a cell: a date, perhaps with the time of day, else a time, else a number.

    A day without its year is of another kind. None where the cell has no value.
    """
    plain = _THOUSANDS.sub("", normalize("NFKC", text).lower())
    if era := _ERA.search(plain):
        year = 1 if era["year"] == words.FIRST_YEAR else int(era["year"])
        rest = [int(part) for part in (era["month"], era["day"]) if part]
        return Value(kind="date", parts=(words.ERAS[era["era"]] + year - 1, *rest))
    for kind, patterns in (("date", _DATES), ("day", _DAYS)):
        for pattern in patterns:
            if found := pattern.search(plain):
                parts = tuple(int(part) for part in found.groups() if part and part.isdigit())
                time = _time(plain[found.end() :]) if len(parts) == (3 if kind == "date" else 2) else None
                return Value(kind=kind, parts=(*parts, *(time.parts if time else ())))
    return _time(plain) or _number(plain)


def number(text: str) -> float | None:
    """The first number of a cell, with any unit; None if there is none."""
    found = _number(_THOUSANDS.sub("", normalize("NFKC", text).lower()))
    return (found.parts[0] if found.number is None else found.number) if found else None


def _time(text: str) -> Value | None:
    for pattern in _TIMES:
        if found := pattern.search(text):
            hour = int(found["hour"]) + (12 if found["late"] and int(found["hour"]) < 12 else 0)
            half = "half" in pattern.groupindex and found["half"]
            return Value(kind="time", parts=(hour, 30 if half else int(found["minute"] or 0)))
    return None


def _number(text: str) -> Value | None:
    found = _NUMBER.search(text)
    if found is None:
        return None
    terms = _TERM.findall(found["number"])
    amount = sum(float(figure) * words.POWERS.get(power, 1) for figure, power in terms)
    amount = -amount if found["sign"] else amount
    for kind, scales in _SCALES.items():
        if found["unit"] in scales:
            scaled = amount * scales[found["unit"]]
            return Value(kind=kind, parts=(scaled,), number=amount, unit=found["unit"])
    return Value(kind="number", parts=(amount,))
