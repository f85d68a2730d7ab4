"""Every pattern of ours matches the same on each Python 3.11.

Before CPython 3.11.5 (gh-106052, gh-100061) a possessive repeat of a group goes on at the place that the
matcher noted last, even if the group failed there: `(?:ab?c)*+` takes the "a" of "ad". The matcher notes a
place at each repeat, branch and lookaround, and not at plain characters. An atomic group that fails notes
the place where it began, so `(?>ab?c)*+` is right everywhere, and means the same.
"""

import re
from collections.abc import Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tests.test_linear import _all_patterns, _inner

REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
CHARACTERS = (sre.LITERAL, sre.NOT_LITERAL, sre.IN, sre.ANY)


class _Walk:
    """A way through the parts of a group, and whether the group may fail too late on it."""

    def __init__(self, taken: bool = False, noted: bool = False) -> None:
        self.taken = taken
        """The group may have taken something."""
        self.noted = noted
        """The matcher may have noted another place than the group's beginning."""
        self.late = False
        """The group may fail when another place is noted."""

    def through(self, tree: Any) -> "_Walk":
        for op, argument in tree:
            if op in (sre.SUBPATTERN, sre.ATOMIC_GROUP):
                self._group(op, argument)
            elif op is sre.BRANCH:
                self._branch(argument[1])
            elif op in REPEATS:
                self._repeat(op, argument)
            elif op in (sre.ASSERT, sre.ASSERT_NOT):
                self._lookaround(op, *argument)
            else:  # a character, a place such as `$`, what an earlier group took
                self.late |= self.noted
                self.taken |= op is not sre.AT
        return self

    def _group(self, op: Any, argument: Any) -> None:
        if op is sre.SUBPATTERN:
            self.through(argument[-1])
            return
        self.noted |= self.taken
        self.late |= self.noted and _may_fail(argument)
        self.taken = self.noted = True

    def _branch(self, branches: list[Any]) -> None:
        self.noted |= self.taken
        ways = [_Walk(self.taken, self.noted).through(branch) for branch in branches]
        self.taken = any(way.taken for way in ways)
        self.noted = any(way.noted for way in ways)
        self.late |= any(way.late for way in ways) and all(map(_may_fail, branches))

    def _repeat(self, op: Any, argument: Any) -> None:
        least, _, body = argument
        self.noted |= self.taken
        far = self.noted or (least > 1 and op is not sre.POSSESSIVE_REPEAT and not _is_one_character(body))
        self.late |= far and least > 0 and _may_fail(body)
        self.taken = self.noted = True

    def _lookaround(self, op: Any, direction: int, tree: Any) -> None:
        self.noted |= self.taken
        inner = _Walk(self.taken, self.noted).through(tree)
        if op is sre.ASSERT:  # it fails where its parts fail, and behind the place where it looks back
            self.late |= self.noted or inner.late or direction < 0
            self.noted |= direction > 0 and inner.taken
        else:  # it fails at the end of its parts, and goes on where one of them failed
            self.late |= self.noted or (direction > 0 and inner.taken)
            self.noted |= inner.late or direction < 0


def _may_fail(tree: Any) -> bool:
    for op, argument in tree:
        if op in REPEATS and argument[0] == 0:
            continue
        inner = _inner(op, argument) if op is not sre.IN else []
        if not inner or op in (sre.ASSERT, sre.ASSERT_NOT) or all(map(_may_fail, inner)):
            return True
    return False


def _is_one_character(tree: Any) -> bool:
    if len(tree) == 1 and tree[0][0] is sre.SUBPATTERN:
        return tree[0][1][0] is None and _is_one_character(tree[0][1][-1])
    return len(tree) == 1 and tree[0][0] in CHARACTERS


def _late_repeats(tree: Any) -> Iterator[Any]:
    """The possessive repeats of groups that may fail after the matcher noted another place."""
    for op, argument in tree:
        repeats_group = op is sre.POSSESSIVE_REPEAT and not _is_one_character(argument[2])
        if repeats_group and _Walk().through(argument[2]).late:
            yield argument[2]
        for inner in _inner(op, argument) if op is not sre.IN else []:
            yield from _late_repeats(inner)


def _complaints(pattern: re.Pattern[Any]) -> list[str]:
    is_bytes = isinstance(pattern.pattern, bytes)
    text = pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern
    tree = parser.parse(text, pattern.flags & ~re.UNICODE if is_bytes else pattern.flags)
    return [f"a possessive repeat of {str(group)[:200]}" for group in _late_repeats(tree)]


def test_every_pattern_matches_alike_on_each_python():
    patterns = _all_patterns()
    assert len(patterns) > 150
    complaints = {names[0]: _complaints(pattern) for pattern, names in patterns.items()}
    assert {name: said for name, said in complaints.items() if said} == {}


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:ab?c)*+",
        r"\d(?:\.\d+)?+",
        "(?:(?!C).)++",
        "(?:(?=ab)[^c])*+",
        "(?:(?<=a)b)*+",
        "(?:[^()]++|\\([^()]*+\\))*+",
        "(?:-color|-image)?+",  # two branches with one beginning: the branch stands behind it
        "(?>x(?:ab?c)*+)*+",
    ],
)
def test_a_repeat_that_fails_late_is_found_out(pattern):
    assert len(_complaints(re.compile(pattern))) == 1


@pytest.mark.parametrize(
    "pattern", ["[ab]*+", "(?:ab)*+", r"(?:[^\"\\]|\\.)*+", r"(?:\?\w*+)?+", "(?>ab?c)*+", "(?:all|screen)?+"]
)
def test_a_repeat_that_fails_at_its_beginning_is_right(pattern):
    assert _complaints(re.compile(pattern)) == []


def test_what_python_says():
    """The cure means the same, and this Python matches it right."""
    for cured, text, end in [
        ("(?>ab?c)*+", "acab", 2),
        (r"(?>\.\d+)*+", ".1.x", 2),
        ("(?>(?!C).)++", "ABC", 2),
        ("(?>-color|-image)?+", "-x", 0),
    ]:
        assert [found.end() for found in [re.match(cured, text)] if found] == [end], cured
