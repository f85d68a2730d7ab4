"""What transformations and clippings leave of a box, as far as that can be told without laying it out."""

import math
import re
from collections.abc import Callable, Iterator
from operator import mul

from fetcher.web.reading.css.declarations import Declarations
from fetcher.web.reading.css.values.numbers import degrees, pixels, share, split_values
from fetcher.web.visibility import FAR

NO_ROOM = 2
"""Pixels on which no letter can be read."""
_THINNEST = 0.1
"""The scale under which text of ordinary size cannot be read."""
_MOST_FUNCTIONS = 40
_ALL = 98
"""Percent of a box that are as good as all of it."""
_EDGES = frozenset({"left", "right", "top", "bottom", "100%"})
_FUNCTION = re.compile(r"(?<![a-z\d-])([a-z][a-z\d-]*+)\(((?>[^()]++|\((?>[^()]++|\([^()]*+\))*+\))*+)\)")

_Row = tuple[float, float, float, float]
_Matrix = tuple[_Row, _Row, _Row, _Row]
_SAME: _Matrix = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))


def functions(value: str) -> Iterator[tuple[str, list[str]]]:
    """The functions in a value with their arguments."""
    for found in _FUNCTION.finditer(value):
        yield found[1], split_values(found[2])


def is_transformed_away(declared: Declarations) -> bool:
    """Whether a box is moved far out of sight, or made too small or too thin to be read."""
    if (matrix := _transformation(declared)) is None:
        return False
    (a, c, _, left), (b, d, _, top) = matrix[:2]
    squares, area = a * a + b * b + c * c + d * d, a * d - b * c
    # How much is left of a length in the direction that is squeezed most.
    thinnest = math.sqrt(max(0.0, (squares - math.sqrt(max(0.0, squares * squares - 4 * area * area))) / 2))
    return thinnest < _THINNEST or left <= -FAR or left >= 10 * FAR or top <= -FAR


def shows_back(declared: Declarations) -> bool:
    """Whether a box is turned so that its back would be seen."""
    if (matrix := _transformation(declared)) is None:
        return False
    (a, b, c, _), (d, e, f, _), (g, h, i, _) = matrix[:3]
    volume = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (a * e - b * d) * volume < 0


def _transformation(declared: Declarations) -> _Matrix | None:
    """What all transformations of a box together do; None without any."""
    steps: list[tuple[str, list[str]]] = []
    for name in ("translate", "rotate", "scale"):
        value = declared.get(name, "none")
        if value == "none":
            continue
        values = split_values(value)
        if name != "rotate":
            steps.append((name, values[:2]))
        elif len(values) == 2:
            steps.append((f"rotate{values[0]}", values[1:]))
        else:
            steps.append(("rotate" if len(values) == 1 else "rotate3d", values))
    steps += functions(declared.get("transform", ""))
    if not steps:
        return None
    matrix = _SAME
    for name, arguments in steps[:_MOST_FUNCTIONS]:
        columns = tuple(zip(*_matrix(name, arguments), strict=True))
        rows = [[sum(map(mul, row, column)) for column in columns] for row in matrix]
        first, second, third, fourth = ((row[0], row[1], row[2], row[3]) for row in rows)
        matrix = first, second, third, fourth
    return matrix


def _matrix(name: str, arguments: list[str]) -> _Matrix:
    """What a function does to a box; nothing where it is not understood."""
    if name.startswith("translate"):
        by = [*(pixels(each) or 0 for each in arguments), 0, 0]
        x, y = (0, by[0]) if name == "translatey" else (0, 0) if name == "translatez" else (by[0], by[1])
        return (1, 0, 0, x), (0, 1, 0, 0 if name == "translatex" else y), _SAME[2], _SAME[3]
    if name.startswith("scale"):
        by = [1 if (each := share(one)) is None else each for one in arguments]
        if not by or name == "scalez":
            return _SAME
        x, y = by[0], by[1] if len(by) > 1 else by[0]
        x, y = (x, 1) if name == "scalex" else (1, x) if name == "scaley" else (x, y)
        return (x, 0, 0, 0), (0, y, 0, 0), _SAME[2], _SAME[3]
    if name.startswith("rotate"):
        return _rotation(name, arguments)
    if name.startswith("skew"):
        turned = [math.tan(math.radians(degrees(each) or 0)) for each in arguments] + [0, 0]
        x, y = (0, turned[0]) if name == "skewy" else (turned[0], turned[1] if name == "skew" else 0)
        return (1, x, 0, 0), (y, 1, 0, 0), _SAME[2], _SAME[3]
    numbers = [pixels(each) or 0 for each in arguments]
    if name == "matrix" and len(numbers) == 6:
        a, b, c, d, left, top = numbers
        return (a, c, 0, left), (b, d, 0, top), _SAME[2], _SAME[3]
    if name == "matrix3d" and len(numbers) == 16:
        rows = [(numbers[at], numbers[at + 4], numbers[at + 8], numbers[at + 12]) for at in range(4)]
        return rows[0], rows[1], rows[2], rows[3]
    return _SAME


def _rotation(name: str, arguments: list[str]) -> _Matrix:
    axis = {"rotatex": (1.0, 0.0, 0.0), "rotatey": (0.0, 1.0, 0.0)}.get(name, (0.0, 0.0, 1.0))
    if name == "rotate3d" and len(arguments) == 4:
        axis = (pixels(arguments[0]) or 0, pixels(arguments[1]) or 0, pixels(arguments[2]) or 0)
    angle = math.radians((degrees(arguments[-1]) if arguments else 0) or 0)
    length = math.hypot(*axis) or 1
    x, y, z = (part / length for part in axis)
    sine, cosine = math.sin(angle), math.cos(angle)
    rest = 1 - cosine
    return (
        (cosine + x * x * rest, x * y * rest - z * sine, x * z * rest + y * sine, 0),
        (y * x * rest + z * sine, cosine + y * y * rest, y * z * rest - x * sine, 0),
        (z * x * rest - y * sine, z * y * rest + x * sine, cosine + z * z * rest, 0),
        (0, 0, 0, 1),
    )


def is_clipped_away(declared: Declarations) -> bool:
    """Whether `clip` or `clip-path` leaves nothing of a box."""
    for name, arguments in functions(declared.get("clip", "")):
        if name == "rect" and _is_empty_rectangle(arguments):
            return True
    for name, arguments in functions(declared.get("clip-path", "")):
        if (is_empty := _SHAPES.get(name)) and is_empty(arguments):
            return True
    return False


def _is_empty_rectangle(sides: list[str]) -> bool:
    if len(sides) != 4:
        return False
    given = [pixels(side) for side in sides]
    top, right, bottom, left = (
        (0 if at in (0, 3) else math.inf) if side is None else side for at, side in enumerate(given)
    )
    return bottom - top <= NO_ROOM or right - left <= NO_ROOM or bottom <= 0 or right <= 0


def _is_empty_inset(arguments: list[str]) -> bool:
    sides = arguments[: arguments.index("round")] if "round" in arguments else arguments
    if not 0 < len(sides) <= 4:
        return False
    sides = [*sides, *(sides[at] for at in ((0, 0, 0), (0, 1), (1,), ())[len(sides) - 1])]
    return _is_all(sides[0], sides[2]) or _is_all(sides[1], sides[3])


def _is_all(one: str, other: str) -> bool:
    """Whether two sides of a box, cut off, leave nothing: by their percentages, or because they are far."""
    shares = [(share(side) or 0) * 100 if side.endswith("%") else 0 for side in (one, other)]
    lengths = [pixels(side) or 0 for side in (one, other) if not side.endswith("%")]
    return sum(shares) >= _ALL or sum(lengths) >= FAR


def _is_empty_round(arguments: list[str]) -> bool:
    """A circle or an ellipse without size, or outside of the box to the left or above."""
    at = arguments.index("at") if "at" in arguments else len(arguments)
    sizes, place = [pixels(each) for each in arguments[:at]], arguments[at + 1 :]
    if any(size is not None and size <= NO_ROOM / 2 for size in sizes):
        return True
    places = [pixels(each) for each in place]
    if "closest-side" in (arguments[:at] or ["closest-side"] if len(sizes) < 2 else ()) and any(
        each in _EDGES or length == 0 for each, length in zip(place, places, strict=True)
    ):
        return True
    if len(sizes) == 2 == len(place):
        for size, each, length in zip(arguments, place, places, strict=False):
            if size == "closest-side" and (each in _EDGES or length == 0):
                return True
    largest = max((size for size in sizes if size is not None), default=math.inf)
    return any(length is not None and length + largest <= 0 for length in places)


def _is_empty_polygon(arguments: list[str]) -> bool:
    given = [each for each in arguments if each not in ("nonzero", "evenodd")]
    numbers = [pixels(each) for each in given]
    if len(numbers) < 2 or len(numbers) % 2 or None in numbers:
        return False
    known = [each or 0 for each in numbers]
    xs, ys = known[::2], known[1::2]
    if max(xs) <= 0 or max(ys) <= 0:
        return True
    if any(all(map(_is_beyond, side)) for side in (given[::2], given[1::2])):
        return True
    area = sum(xs[at - 1] * ys[at] - xs[at] * ys[at - 1] for at in range(len(xs)))
    return abs(area) / 2 <= NO_ROOM


def _is_beyond(place: str) -> bool:
    """Whether a place is at the right or lower edge of a box or behind it."""
    return place.endswith("%") and (share(place) or 0) >= 1


_SHAPES: dict[str, Callable[[list[str]], bool]] = {
    "inset": _is_empty_inset,
    "circle": _is_empty_round,
    "ellipse": _is_empty_round,
    "polygon": _is_empty_polygon,
    "rect": _is_empty_rectangle,
    "xywh": lambda sides: (
        any((pixels(side) or 0) <= NO_ROOM for side in sides[2:4]) or any(map(_is_beyond, sides[:2]))
    ),
}
