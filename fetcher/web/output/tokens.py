"""Counting tokens as cl100k_base does, offline (SRD FR-WF-14)."""

from functools import cache

from splintr import AnyTokenizer, Tokenizer

from fetcher.text import well_formed

LONGEST_TOKEN = 128
"""Bytes in the longest token of cl100k_base, a run of spaces."""


def count(text: str) -> int:
    """The number of tokens; what looks like a special token in a page is ordinary text."""
    try:
        return len(_tokenizer().encode_ordinary(text))
    except UnicodeEncodeError:
        return len(_tokenizer().encode_ordinary(well_formed(text)))


def count_up_to(limit: int, text: str) -> int:
    """The number of tokens, or `limit + 1` for a text so long that it cannot be within the limit."""
    return limit + 1 if len(text) > limit * LONGEST_TOKEN else count(text)


@cache
def _tokenizer() -> AnyTokenizer:
    # Two threads may both build one at first use; either is good, and both encode without state of ours.
    return Tokenizer.from_pretrained("cl100k_base")
