"""Facts in short blocks: a number with what it counts, a price, a date, a time, a telephone number.

Pages put them under names that mean furniture elsewhere: the state of a feature in a `notice`, the price
of a delivery in `shipping`. Such a block is content, unless it is a control or leads elsewhere.
"""

import re

from fetcher.web.extract import japanese
from fetcher.web.extract.page import Page
from fetcher.web.extract.wordlists import PRICE

LONGEST = 300
"""The weight up to which a block is short enough to be there for its fact."""

_FACT = re.compile(
    rf"""(?ix)
    {PRICE.pattern}
    | \d\s?(?:{japanese.UNITS})
    | \d\s?(?:%|°|(?:kg|g|mm|cm|m|km|ml|l|oz|lbs?|inch(?:es)?|ft|gb|mb|tb|w|v|hz|mah
        |(?:business\ |working\ )?days?|hours?|hrs?|minutes?|mins?|weeks?|months?|years?
        |am|pm|people|seats?)\b)
    | \d\d?[:\uff1a]\d\d
    | \d\.\d
    | \d{{4}}[-/.]\d\d?
    | \d{{2,5}}-\d{{1,4}}-\d{{3,4}} | \d{{3}}\)?[\ -]\d{{3}}-\d{{4}}
    | \b(?:jan|feb|mar|apr|may|june?|july?|aug|sep|sept|oct|nov|dec)[a-z]{{0,6}}+\.?\s\d
    | \d\s(?:jan|feb|mar|apr|may|june?|july?|aug|sep|sept|oct|nov|dec)
    """
)


def tells_fact(page: Page, index: int) -> bool:
    """Whether a block is short, mostly not linked, and has a fact in its text."""
    text = page.features.text_in(index)
    return (
        0 < text <= LONGEST
        and 2 * page.features.linked_in(index) < text
        and _FACT.search(page.text_of(index)) is not None
    )
