"""Every pattern of ours matches the same on each Python 3.11.

Before CPython 3.11.5 (gh-106052, gh-100061) a possessive repeat of a group may go on at the wrong place:
`(?:ab?c)*+` takes the "a" of "ad". A repeat of one character or of an atomic group is right everywhere.
"""

import re
from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from tests.test_linear import _all_patterns, _inner

RIGHT = (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY, sre.ATOMIC_GROUP)


def _repeated_groups(tree: Any) -> Iterator[Any]:
    for op, argument in tree:
        if op is sre.POSSESSIVE_REPEAT and (len(argument[2]) != 1 or argument[2][0][0] not in RIGHT):
            yield argument[2]
        for inner in _inner(op, argument) if op is not sre.IN else []:
            yield from _repeated_groups(inner)


def _wrong(pattern: re.Pattern[Any]) -> bool:
    is_bytes = isinstance(pattern.pattern, bytes)
    text = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    flags = pattern.flags & ~re.UNICODE if is_bytes else pattern.flags
    return any(True for _ in _repeated_groups(parser.parse(text, flags)))


def test_possessive_repeats_take_one_character_or_an_atomic_group():
    patterns = _all_patterns()
    assert len(patterns) > 150
    assert {names[0] for pattern, names in patterns.items() if _wrong(pattern)} == set()
    assert _wrong(re.compile("(?:ab?c)*+"))
