"""Whether a value of CSS is a quantity of some kind: a length, a share, an angle."""

from collections.abc import Callable

from fetcher.web.reading.css.values.numbers import ANGLE, ANY, LENGTH, MIXED, PERCENT, PLAIN, quantity

Check = Callable[[str], bool]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def measure(*kinds: str, least: float | None = None) -> Check:
    """A quantity of one of some kinds. A calculated one is never too small: browsers raise it."""

    def check(value: str) -> bool:
        found = quantity(value)
        if found is None:
            return False
        if found.kind == PLAIN and not found.number and not found.is_calculated and LENGTH in kinds:
            return True
        is_kind = found.kind in kinds or (found.kind == MIXED and {LENGTH, PERCENT} <= {*kinds})
        is_large = least is None or found.is_calculated or found.number >= least
        return found.kind == ANY or (is_kind and is_large)

    return check


def either(known: frozenset[str], check: Check | None = None) -> Check:
    return lambda value: value in known or (check is not None and check(value))


is_length = measure(LENGTH, PERCENT)
is_plain_length = measure(LENGTH)
is_positive = measure(LENGTH, PERCENT, least=0)
is_share = measure(PLAIN, PERCENT)
is_number = measure(PLAIN)
is_angle = measure(ANGLE)
