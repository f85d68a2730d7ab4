"""Numbers and lengths of CSS, in about so many pixels, with what `calc()` and its like make of them."""

import re
from collections.abc import Mapping

NUMBER = r"[-+]?(?:\d++(?:\.\d++)?|\.\d++)(?:e[-+]?\d++)?"
_QUANTITY = re.compile(rf"({NUMBER})([a-z]++|%)?")
_TERM = re.compile(rf"\s*+(?:({NUMBER})([a-z]++|%)?+|(-?[a-z]++-?[a-z]*+)(\()?+|([-+*/(),]))\s*+")
_DEEPEST = 16
_LARGEST = 1e9

PIXELS: Mapping[str, float] = {
    "": 1, "px": 1, "pt": 1.333, "pc": 16, "in": 96, "cm": 37.8, "mm": 3.78, "q": 0.945,
    "em": 16, "rem": 16, "ex": 8, "rex": 8, "ch": 8, "rch": 8, "cap": 11, "rcap": 11, "ic": 16, "ric": 16,
    "lh": 19, "rlh": 19,
    **dict.fromkeys(("%", "vw", "vh", "vmin", "vmax", "vi", "vb"), 9),
    **dict.fromkeys(("svw", "svh", "lvw", "lvh", "dvw", "dvh"), 9),
    **dict.fromkeys(("cqw", "cqh", "cqi", "cqb", "cqmin", "cqmax"), 9),
}  # fmt: skip
"""About so many pixels are one of each unit; a share is one of the window's height."""
_ANGLES: Mapping[str, float] = {"deg": 1, "grad": 0.9, "rad": 57.29578, "turn": 360, "": 1}
_CONSTANTS = {"pi": 3.14159265, "e": 2.71828183, "infinity": _LARGEST, "-infinity": -_LARGEST, "nan": 0.0}


def pixels(value: str) -> float | None:
    """A length in about so many pixels, a number as it is; None for what is none."""
    return _calculated(value, PIXELS) if "(" in value or _QUANTITY.fullmatch(value) else None


def share(value: str) -> float | None:
    """A number, or a percentage as a part of 1."""
    return _calculated(value, {"": 1, "%": 0.01})


def degrees(value: str) -> float | None:
    return _calculated(value, _ANGLES)


def split_values(value: str) -> list[str]:
    """The parts of a value that white space or commas part outside of brackets."""
    if "(" not in value:
        return value.replace(",", " ").split()
    parts, depth, start = list[str](), 0, 0
    for at, sign in enumerate(value):
        if sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
        elif depth <= 0 and (sign == "," or sign.isspace()):
            parts.append(value[start:at])
            start = at + 1
    return [part for part in (*parts, value[start:]) if part]


def _bounded(number: float) -> float:
    return max(-_LARGEST, min(_LARGEST, number))


class _NotUnderstood(Exception):
    """What stands in a calculation is not understood."""


def _calculated(value: str, units: Mapping[str, float]) -> float | None:
    """What a number or a calculation is; None where it is not understood."""
    if not value:
        return None
    if found := _QUANTITY.fullmatch(value):
        factor = units.get(found[2] or "")
        return None if factor is None else _bounded(float(found[1]) * factor)
    tokens, at = list[re.Match[str]](), 0
    while at < len(value):
        if not (token := _TERM.match(value, at)):
            return None
        tokens.append(token)
        at = token.end()
    calculation = _Calculation(tokens, units)
    try:
        result = calculation.term(0)
        return _bounded(result) if calculation.is_done() else None
    except (_NotUnderstood, ZeroDivisionError, OverflowError):
        return None


class _Calculation:
    """Reads `calc()`, `min()`, `max()`, `clamp()` and `abs()` of constants, by their tokens."""

    def __init__(self, tokens: list[re.Match[str]], units: Mapping[str, float]) -> None:
        self._tokens = tokens
        self._units = units
        self._at = 0

    def is_done(self) -> bool:
        return self._at == len(self._tokens)

    def term(self, depth: int) -> float:
        if depth > _DEEPEST or self.is_done():
            raise _NotUnderstood
        number, unit, word, opens, sign = self._tokens[self._at].groups()
        self._at += 1
        if number:
            if (factor := self._units.get(unit or "")) is None:
                raise _NotUnderstood
            return _bounded(float(number) * factor)
        if sign == "(":
            return self._arguments(depth)[0]
        if word and not opens and depth and word in _CONSTANTS:
            return _CONSTANTS[word]
        if not opens:
            raise _NotUnderstood
        return self._function(word, self._arguments(depth))

    def _function(self, word: str, numbers: list[float]) -> float:
        match word, len(numbers):
            case "calc" | "-webkit-calc", 1:
                return numbers[0]
            case "min", _:
                return min(numbers)
            case "max", _:
                return max(numbers)
            case "clamp", 3:
                return max(numbers[0], min(numbers[1], numbers[2]))
            case "abs", 1:
                return abs(numbers[0])
        raise _NotUnderstood

    def _arguments(self, depth: int) -> list[float]:
        """The sums up to the bracket that closes."""
        found = [self._sum(depth + 1)]
        while (sign := self._peek()) == ",":
            self._at += 1
            found.append(self._sum(depth + 1))
        if sign not in (")", ""):  # what is open at the end is closed there
            raise _NotUnderstood
        self._at += 1 if sign else 0
        return found

    def _sum(self, depth: int) -> float:
        result = self._product(depth)
        while (sign := self._peek()) in ("+", "-"):
            self._at += 1
            result += self._product(depth) * (1 if sign == "+" else -1)
        return result

    def _product(self, depth: int) -> float:
        result = self.term(depth)
        while (sign := self._peek()) in ("*", "/"):
            self._at += 1
            result = result * self.term(depth) if sign == "*" else result / self.term(depth)
        return result

    def _peek(self) -> str:
        return "" if self.is_done() else self._tokens[self._at][5] or "number"
