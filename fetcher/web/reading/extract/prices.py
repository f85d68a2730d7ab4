"""The price that a product's page declares: where the page shows it, it is read."""

import re
from collections.abc import Iterator
from itertools import chain, islice

from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import PageKind, declared
from fetcher.web.reading.extract.wordlists import PRICE

_BEGINNING = b'rice"'
_IN_JSON = re.compile(rb'(?:(?<="p)|(?<="lowP))rice"\s*+:\s*+"?+(\d[\d.,]{0,15}+)')
"""What `"price"` and `"lowPrice"` are, from where both are the same: they are looked for in one go."""
_META = frozenset({"product:price:amount", "og:price:amount", "product:sale_price:amount"})
_NUMBER = re.compile(r"\d[\d.,]{0,15}+")
_NO_CENTS = re.compile(r"\.0+$")
_CENTS = re.compile(r"(.*)[.,](\d\d)")
_PRICED = re.compile(rf"{PRICE.pattern}|\b[A-Z]{{3}}\s?\d|\d\s?[A-Z]{{3}}\b")
"""A price as pages write it, with a sign or the code of its currency."""
_UNWRITTEN = frozenset({"button", "select", "textarea", "datalist", "noscript", "option", "title"})

MOST_DECLARED = 50
"""Prices that are looked for: a product has as many as it has variants."""
MOST_SHOWN = 50
"""Places that are looked at."""
LONGEST_BLOCK = 40
"""The length of a price with its currency and a word such as "incl. VAT"."""


def keep_price(page: Page) -> None:
    """Reads the declared price where the page shows it first below its title, if it was left out."""
    if page.kind is not PageKind.PRODUCT:
        return
    amounts = set[int]()  # those in JSON-LD, in `<meta>` and in microdata, in hundredths
    for found in islice(declared(page.html, _BEGINNING, _IN_JSON), MOST_DECLARED):
        amounts.update(_amounts(_NO_CENTS.sub("", found)))
    for index in page.with_any(("itemprop", "property")):
        attributes = page.tree.attributes[index]
        if attributes.get("itemprop") == "price" or attributes.get("property") in _META:
            amounts.update(_amounts(attributes.get("content") or ""))
    if not amounts or any(
        not page.skipped[at] for at in _shown(page, amounts, page.root, page.tree.ends[page.root])
    ):
        return
    title = page.titles[0] if page.titles else 0
    below_first = chain(_shown(page, amounts, title, len(page.tree.texts)), _shown(page, amounts, 0, title))
    for at in islice(below_first, MOST_SHOWN):
        if (block := _priced_block(page, at)) is not None:
            page.restore(block)
            return


def _shown(page: Page, amounts: set[int], start: int, end: int) -> Iterator[int]:
    """The texts between two nodes that show a declared amount."""
    for at, text in enumerate(page.tree.texts[start:end], start):
        if text and not amounts.isdisjoint(_amounts(text)):
            yield at


def _amounts(text: str) -> Iterator[int]:
    for found in _NUMBER.findall(text):
        number = found.rstrip(".,")
        cents = _CENTS.fullmatch(number)
        whole, rest = (cents[1], cents[2]) if cents else (number, "0")
        amount = int(re.sub(r"[.,]", "", whole) or 0) * 100 + int(rest)
        if amount:
            yield amount


def _priced_block(page: Page, text: int) -> int | None:
    """The largest short block around a text, if it is written as a price where it can be read."""
    tree, block = page.tree, text
    around = list(page.ancestors(text))
    if not _UNWRITTEN.isdisjoint(tree.tags[at] for at in around):
        return None
    for at in around:
        if tree.ends[at] - at > LONGEST_BLOCK or len(page.text_of(at)) > LONGEST_BLOCK:
            break
        block = at
    names = " ".join(tree.attribute(at, "class") or "" for at in (tree.parents[text], block)).lower()
    return block if "price" in names or _PRICED.search(page.text_of(block)) else None
