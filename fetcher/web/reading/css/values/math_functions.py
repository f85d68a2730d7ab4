"""The functions of CSS that calculate with constants."""

import math
from collections.abc import Callable, Mapping

LARGEST = 1e9


def bounded(number: float) -> float:
    """A number that is not too large; what is not a number is 0, as browsers say."""
    return 0.0 if math.isnan(number) else max(-LARGEST, min(LARGEST, number))


def _rounded(way: str, numbers: list[float]) -> float | None:
    step = numbers[1] if len(numbers) == 2 else 1.0
    if len(numbers) > 2 or way not in ("", "nearest", "up", "down", "to-zero"):
        return None
    if not step:
        return 0.0
    steps = numbers[0] / step
    down, up = math.floor(steps), math.ceil(steps)
    nearest = math.floor(steps + 0.5)
    chosen = {"up": up, "down": down, "to-zero": int(steps)}.get(way, nearest)
    return chosen * step


def _of_one(made: Callable[[float], float]) -> Callable[[str, list[float]], float | None]:
    def result(way: str, numbers: list[float]) -> float | None:
        return made(numbers[0]) if len(numbers) == 1 and not way else None

    return result


def _of_two(made: Callable[[float, float], float]) -> Callable[[str, list[float]], float | None]:
    def result(way: str, numbers: list[float]) -> float | None:
        return made(*numbers) if len(numbers) == 2 and not way else None

    return result


FUNCTIONS: Mapping[str, Callable[[str, list[float]], float | None]] = {
    "calc": _of_one(lambda one: one),
    "-webkit-calc": _of_one(lambda one: one),
    "min": lambda _, numbers: min(numbers),
    "max": lambda _, numbers: max(numbers),
    "clamp": lambda _, numbers: max(numbers[0], min(numbers[1], numbers[2])) if len(numbers) == 3 else None,
    "abs": _of_one(abs),
    "sign": _of_one(lambda one: (one > 0) - (one < 0)),
    "round": _rounded,
    "mod": _of_two(lambda one, other: one % other if other else 0.0),
    "rem": _of_two(lambda one, other: math.fmod(one, other) if other else 0.0),
    "hypot": lambda _, numbers: math.hypot(*numbers),
    "sqrt": _of_one(lambda one: math.sqrt(one) if one >= 0 else 0.0),
    "pow": _of_two(lambda one, other: float(one**other) if one >= 0 and (one or other >= 0) else 0.0),
    "exp": _of_one(lambda one: math.exp(min(one, 20.0))),
    "log": lambda _, numbers: math.log(numbers[0]) if len(numbers) == 1 and numbers[0] > 0 else -LARGEST,
    "sin": _of_one(lambda one: math.sin(math.radians(one))),
    "cos": _of_one(lambda one: math.cos(math.radians(one))),
    "tan": _of_one(lambda one: math.tan(math.radians(one))),
    "asin": _of_one(lambda one: math.degrees(math.asin(max(-1.0, min(1.0, one))))),
    "acos": _of_one(lambda one: math.degrees(math.acos(max(-1.0, min(1.0, one))))),
    "atan": _of_one(lambda one: math.degrees(math.atan(one))),
    "atan2": _of_two(lambda one, other: math.degrees(math.atan2(one, other))),
}
"""Each function: of a way to round, if one is given, and of numbers; None for wrong arguments."""
