"""The language in which people are spoken to; it belongs to the question that is being worked on.

It is held in a context variable. Tasks of asyncio and `asyncio.to_thread` take it along. A thread that is
started for a question is given a copy of the context (`reply/progress.py`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from functools import cache
from typing import TypeVar

T = TypeVar("T")
ChooseLanguage = Callable[[], "Language"]


class Language(StrEnum):
    """The languages that have a catalogue."""

    JAPANESE = "ja"
    ENGLISH = "en"

    @classmethod
    def of_locale(cls, locale: str) -> "Language":
        """English for `en-US`, `en-GB` and the like; Japanese for every other locale, and for none."""
        return cls.ENGLISH if locale.partition("-")[0] == cls.ENGLISH else cls.JAPANESE


_choose: ContextVar[ChooseLanguage] = ContextVar("language", default=lambda: Language.JAPANESE)


def current_language() -> Language:
    return _choose.get()()


def chosen(japanese: T, english: T) -> T:
    """Of a text in both languages, the one in the language of the question."""
    return english if current_language() is Language.ENGLISH else japanese


@contextmanager
def speaking(language: Language | ChooseLanguage) -> Iterator[None]:
    """Speak a language inside the block. A function is asked with the first message, and only once."""
    choose = cache(language) if callable(language) else lambda: language
    token = _choose.set(choose)
    try:
        yield
    finally:
        _choose.reset(token)
