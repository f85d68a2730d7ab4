"""Figures that several measurements show."""

from collections.abc import Collection


def quantile(times: Collection[float], share: float) -> float:
    """The time within which a share of all times lies."""
    return sorted(times)[int(len(times) * share)]


def spread(ratios: Collection[float]) -> str:
    """The lowest and the highest ratio."""
    return f"{min(ratios):.2f} to {max(ratios):.2f}"
