"""Numbers, lengths and angles of CSS, also calculated ones; lengths in approximate pixels."""

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from fetcher.web.reading.css.values.math_functions import FUNCTIONS, LARGEST, bounded

LONGEST_REMEMBERED = 200
"""Characters of a value that is remembered with what it means."""
NUMBER = r"[-+]?(?:\d++(?:\.\d++)?|\.\d++)(?:e[-+]?\d++)?"
_QUANTITY = re.compile(rf"({NUMBER})([a-z]++|%)?")
_TERM = re.compile(rf"\s*+(?:({NUMBER})([a-z]++|%)?+|(-?[a-z][\w-]*+)(\()?+|((?<=\s)[-+](?=\s)|[*/(),]))\s*+")
_DEEPEST = 60
_SMALLEST_SHARES = ("min", "w", "h", "i", "b", "max")

PIXELS: Mapping[str, float] = {
    "": 1, "px": 1, "pt": 1.333, "pc": 16, "in": 96, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "em": 16, "rem": 16, "ex": 8, "rex": 8, "ch": 8, "rch": 8, "cap": 11, "rcap": 11, "ic": 16, "ric": 16,
    "lh": 19, "rlh": 19, "%": 9,
    **{f"{window}v{side}": 9 for window in ("", "s", "l", "d") for side in _SMALLEST_SHARES},
    **{f"cq{side}": 9 for side in _SMALLEST_SHARES},
}  # fmt: skip
"""About so many pixels are one of each unit; a share is one of the window's height."""
_ANGLES: Mapping[str, float] = {"deg": 1, "grad": 0.9, "rad": 57.29578, "turn": 360}
_UNITS = {**PIXELS, **_ANGLES}
_CONSTANTS = {"pi": 3.14159265, "e": 2.71828183, "infinity": LARGEST, "-infinity": -LARGEST, "nan": 0.0}
_NOT_READ = frozenset({"anchor", "anchor-size", "attr", "if", "random", "sibling-index", "sibling-count"})
"""Functions that browsers know and whose results are not known here."""

_OF_NUMBERS = frozenset({"sin", "cos", "tan", "sign", "pow", "sqrt", "log", "exp"})
_OF_ANGLES = frozenset({"asin", "acos", "atan", "atan2"})
"""Functions whose results are numbers, and angles; all others keep the kind of their arguments."""

PLAIN, LENGTH, PERCENT, MIXED, ANGLE, ANY = "number", "length", "percent", "mixed", "angle", "any"
"""Kinds of quantities; mixed is a sum of a length and a percentage, any is not known."""


class Quantity(NamedTuple):
    """A number with its kind: a length in pixels, an angle in degrees, a percentage as it is written."""

    number: float
    kind: str
    is_calculated: bool = False


def quantity(value: str) -> Quantity | None:
    """What a value is; None where it is not valid."""
    return _known_quantity(value) if len(value) <= LONGEST_REMEMBERED else _quantity(value)


def _quantity(value: str) -> Quantity | None:
    if found := _QUANTITY.fullmatch(value):
        return _measured(found[1], found[2] or "")
    if "(" not in value:
        return None
    at = 0
    tokens: list[re.Match[str]] = []
    while at < len(value):
        if not (token := _TERM.match(value, at)):
            return None
        tokens.append(token)
        at = token.end()
    calculation = _Calculation(tokens)
    try:
        result = calculation.term(0)
    except _NotRead:
        return Quantity(0, ANY, True)
    except (_Invalid, OverflowError, ValueError):
        return None
    return Quantity(bounded(result.number), result.kind, True) if calculation.is_done() else None


_known_quantity = lru_cache(8192)(_quantity)


def pixels(value: str) -> float | None:
    """A length in approximate pixels, a number as it is; None for all others."""
    found = quantity(value) if value else None
    if found is None or found.kind in (ANY, ANGLE):
        return None
    return found.number * PIXELS["%"] if found.kind == PERCENT else found.number


def share(value: str) -> float | None:
    """A number, or a percentage as a part of 1."""
    found = quantity(value) if value else None
    if found is None or found.kind not in (PLAIN, PERCENT):
        return None
    return found.number / 100 if found.kind == PERCENT else found.number


def degrees(value: str) -> float | None:
    found = quantity(value) if value else None
    return found.number if found and found.kind in (PLAIN, ANGLE) else None


def split_values(value: str) -> list[str]:
    """The parts of a value that white space or commas part outside of brackets."""
    if "(" not in value:
        return value.replace(",", " ").split()
    return [part for each in split_at(value, ",") for part in split_at(each, " ") if part]


def split_at(value: str, mark: str) -> list[str]:
    """The parts of a value between marks outside of brackets; a space is any white space."""
    if "(" not in value:
        return value.split() if mark == " " else [part.strip() for part in value.split(mark)]
    depth = start = 0
    parts: list[str] = []
    for at, sign in enumerate(value):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        elif depth <= 0 and (sign == mark or (mark == " " and sign.isspace())):
            parts.append(value[start:at].strip())
            start = at + 1
    parts.append(value[start:].strip())
    return [part for part in parts if part] if mark == " " else parts


class _NotRead(Exception):
    """A calculation has a function whose result is not known."""


class _Invalid(Exception):
    """A calculation is not valid."""


def _measured(number: str, unit: str) -> Quantity | None:
    if (factor := _UNITS.get(unit)) is None:
        return None
    kind = PLAIN if not unit else PERCENT if unit == "%" else ANGLE if unit in _ANGLES else LENGTH
    return Quantity(bounded(float(number) * (1 if unit == "%" else factor)), kind)


class _Calculation:
    """Reads calculations of constants by their tokens."""

    def __init__(self, tokens: list[re.Match[str]]) -> None:
        self._tokens = tokens
        self._at = 0

    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    def term(self, depth: int) -> Quantity:
        if depth > _DEEPEST or self.is_done():
            raise _Invalid
        number, unit, word, opens, sign = self._tokens[self._at].groups()
        self._at += 1
        if number:
            if not (measured := _measured(number, unit or "")):
                raise _Invalid
            return measured
        if sign == "(":
            return self._arguments(depth)[0]
        if word in _NOT_READ:
            raise _NotRead
        if word and not opens and depth and word in _CONSTANTS:
            return Quantity(_CONSTANTS[word], PLAIN)
        if not opens or not (word in FUNCTIONS or word == "env"):
            raise _Invalid
        return self._function(word, depth)

    def _function(self, word: str, depth: int) -> Quantity:
        way = ""
        if word in ("env", "round") and not self.is_done() and not self._tokens[self._at][4]:
            way = self._tokens[self._at][3] or ""  # a name: of the environment, or of the way to round
        if way:
            self._at += 1
            if (after := self._sign()) != ",":
                if way.startswith("safe-area-inset-") and after in (")", ""):
                    return Quantity(0, LENGTH)
                raise _NotRead if word == "env" else _Invalid
        arguments = self._arguments(depth)
        if word == "env":
            return arguments[0]
        if word in ("sin", "cos", "tan") and arguments[0].kind == PLAIN:  # radians
            arguments = [Quantity(math.degrees(arguments[0].number), PLAIN), *arguments[1:]]
        kinds = {each.kind for each in arguments}
        if len(kinds) > 1:
            if not kinds <= {LENGTH, PERCENT, MIXED}:
                raise _Invalid
            arguments = [_in_pixels(each) for each in arguments]
        result = FUNCTIONS[word](way, [each.number for each in arguments])
        if result is None:
            raise _Invalid
        kind = PLAIN if word in _OF_NUMBERS else ANGLE if word in _OF_ANGLES else arguments[0].kind
        return Quantity(bounded(result), kind)

    def _arguments(self, depth: int) -> list[Quantity]:
        """The sums up to the bracket that closes."""
        found = [self._sum(depth + 1)]
        while (sign := self._sign()) == ",":
            found.append(self._sum(depth + 1))
        if sign not in (")", ""):  # what is open at the end is closed there
            raise _Invalid
        return found

    def _sum(self, depth: int) -> Quantity:
        result = self._product(depth)
        while (sign := self._peek()) in ("+", "-"):
            self._at += 1
            other = self._product(depth)
            one, two = result, other
            if one.kind != two.kind:
                if not {one.kind, two.kind} <= {LENGTH, PERCENT, MIXED}:
                    raise _Invalid
                one, two = _in_pixels(one), _in_pixels(two)
            result = Quantity(one.number + two.number * (1 if sign == "+" else -1), one.kind)
        return result

    def _product(self, depth: int) -> Quantity:
        result = self.term(depth)
        while (sign := self._peek()) in ("*", "/"):
            self._at += 1
            other = self.term(depth)
            if sign == "*" and PLAIN not in (result.kind, other.kind):
                raise _Invalid
            if sign == "*":
                kind = other.kind if result.kind == PLAIN else result.kind
                result = Quantity(bounded(result.number * other.number), kind)
            elif other.kind not in (PLAIN, result.kind):
                raise _Invalid
            else:
                kind = PLAIN if other.kind == result.kind else result.kind
                above = result.number
                over_zero = 0.0 if not above else LARGEST if above > 0 else -LARGEST
                result = Quantity(bounded(above / other.number) if other.number else over_zero, kind)
        return result

    def _peek(self) -> str:
        return "" if self.is_done() else self._tokens[self._at][5] or "number"

    def _sign(self) -> str:
        sign = self._peek()
        self._at += 1 if sign else 0
        return sign


def _in_pixels(given: Quantity) -> Quantity:
    number = given.number * PIXELS["%"] if given.kind == PERCENT else given.number
    return Quantity(number, MIXED)
