"""Bounds on a check's time, and the inputs that are made large for them."""

import time

import pytest

from tests.fuzz.bounds import LARGE, ONE_IN, at_most, is_multiplied, multiplied


def _compute(seconds):
    ends = time.thread_time() + seconds
    while time.thread_time() < ends:
        pass


def test_what_takes_too_long_fails():
    """Time spent computing counts."""
    with at_most(1):
        _compute(0.01)
    with pytest.raises(AssertionError, match="are allowed"), at_most(0.01):
        _compute(0.02)


def test_some_inputs_are_multiplied_and_always_the_same():
    """One in so many, by their bytes alone; nothing cannot be multiplied."""
    chosen = [number for number in range(2_000) if is_multiplied(str(number).encode())]
    assert 2_000 / ONE_IN / 2 < len(chosen) < 2_000 / ONE_IN * 2
    assert not is_multiplied(b"")
    assert multiplied(b"") == b""
    assert LARGE - 3 < len(multiplied(b"abc")) <= LARGE
