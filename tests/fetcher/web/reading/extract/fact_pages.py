"""A hundred small pages as sites write them, with the facts that people would ask of them.

Each file in `facts/` begins with a comment: the page's address, then a fact a line, as the page writes it.
"""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("facts")


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPage:
    name: str
    url: str
    html: str
    facts: tuple[str, ...]

    @property
    def kind(self) -> str:
        return self.name.partition("_")[0]


def fact_pages() -> list[FactPage]:
    return [_page(path) for path in sorted(FOLDER.glob("*.html"))]


def _page(path: Path) -> FactPage:
    comment, _, html = path.read_text("utf-8").partition("-->\n")
    url, *facts = comment.removeprefix("<!-- ").splitlines()
    return FactPage(name=path.stem, url=url, html=html, facts=tuple(facts))
