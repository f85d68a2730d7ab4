"""Counts tokens of cl100k_base, offline (SRD FR-WF-14)."""

from functools import cache

from splintr import AnyTokenizer, Tokenizer

from fetcher.text import well_formed

LONGEST_TOKEN = 128
"""Bytes in the longest token of cl100k_base, a run of spaces."""


def count(text: str) -> int:
    """The number of tokens; special tokens in a page count as ordinary text."""
    try:
        return len(_tokenizer().encode_ordinary(text))
    except UnicodeEncodeError:
        return len(_tokenizer().encode_ordinary(well_formed(text)))


def count_up_to(limit: int, text: str) -> int:
    """The number of tokens, or `limit + 1` if the text is too long to be within the limit."""
    return limit + 1 if len(text) > limit * LONGEST_TOKEN else count(text)


@cache
def _tokenizer() -> AnyTokenizer:
    # Two threads may both make one at first use; that does no harm.
    return Tokenizer.from_pretrained("cl100k_base")
