"""Pages of newspapers with their texts: the test data of the project fundus (github.com/flairNLP/fundus).

Its people wrote a parser for each paper by hand; what these find is taken for the truth. The data is not part
of this project: `FUNDUS=<a checkout of fundus> make bench` measures it too. Our rules were tuned on three of
every four pages; every fourth (3, 7, …, counted from 0) was only scored.
"""

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHECKOUT = os.environ.get("FUNDUS", "")
NAME = "fundus"
_IN_PAIRS = frozenset({"jp", "cn", "tw"})
"""The countries whose words are not written apart."""


def marked_pages(checkout: Path) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """Every page with the text that its paper's parser finds; a paper can have several, each by its day."""
    for parsed in sorted((checkout / "tests/resources/parser/test_data").glob("*/*.json")):
        folder, versions = parsed.parent, json.loads(parsed.read_text("utf-8"))
        days = sorted(folder.glob(f"{parsed.stem}_20*.html.gz"))
        addresses = json.loads((folder / "meta.info").read_text("utf-8"))
        for version, day in zip(sorted(versions), days, strict=True):
            body = versions[version].get("body")
            if not body:
                continue
            parts = list(body.get("summary") or ())
            for section in body["sections"]:
                parts += [*section["headline"], *section["paragraphs"]]
            yield (
                gzip.decompress(day.read_bytes()),
                {
                    "url": addresses[day.name]["url"],
                    "type": "article",
                    "lang": "ja" if folder.name in _IN_PAIRS else "",
                    "main_content": "\n\n".join(parts),
                },
            )
