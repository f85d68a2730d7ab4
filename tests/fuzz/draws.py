"""Values drawn from a fuzzer's bytes: structured input that every change of a byte changes a little."""

import copy
from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar("T")

ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 10**30, 0.5, float("nan"), "", " ", "x", "\ud800", "\x00", "U0BOT",
    "<@U0BOT>", "100.1", [], {}, [[]], [{}], [None], {"": None}, {"id": {}}, {"type": "text"},
)  # fmt: skip
"""What JSON can hold where something else belongs."""


class Draws:
    """Reads bytes from the front; at their end everything is zero and empty."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def number(self, most: int) -> int:
        """From 0 to `most`."""
        width = (most.bit_length() + 7) // 8
        return int.from_bytes(self._taken(width)) % (most + 1)

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self.number(len(choices) - 1)]

    def text(self, most: int = 255) -> str:
        """Any text that Python knows, lone surrogates included."""
        return self._taken(self.number(most)).decode("utf-8", "surrogateescape")

    def rest(self) -> str:
        return self._taken(self.left).decode("utf-8", "surrogateescape")

    def value(self) -> Any:
        """Something that JSON can hold."""
        return self.text() if self.number(1) else copy.deepcopy(self.pick(ODD_VALUES))

    def edited(self, document: Any) -> Any:
        """A copy of a JSON document, changed in a few places."""
        document = copy.deepcopy(document)
        for _ in range(self.number(7)):
            self._edit(document)
        return document

    def _edit(self, document: Any) -> None:
        holder, key = self.pick(list(_places(document)) or [(None, None)])
        if holder is None:
            return
        if isinstance(holder, dict) and self.number(3) == 0:
            del holder[key]
        else:
            holder[key] = self.value()

    def _taken(self, count: int) -> bytes:
        taken = self._data[self._at : self._at + count]
        self._at += len(taken)
        return taken


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Every place of a document that may be changed, as its holder and its key there."""
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        holder = waiting.pop()
        pairs = holder.items() if isinstance(holder, dict) else enumerate(holder)
        for key, value in pairs:
            found.append((holder, key))
            if isinstance(value, (dict, list)):
                waiting.append(value)
    return found
