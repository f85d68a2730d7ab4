"""Main-content detection: a pipeline of small rules over one measuring of the page (DECISIONS E17)."""

from fetcher.web.reading.extract import copies, names, prices, roots, rules
from fetcher.web.reading.extract.features import measure
from fetcher.web.reading.extract.hidden import unseen
from fetcher.web.reading.extract.kinds import kind_of
from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.panels import headings
from fetcher.web.reading.tree import Tree

STAGES = (
    (headings.find_labels, rules.drop_furniture, unseen.drop_unseen, names.drop_consent),
    (
        roots.choose_root,
        roots.settle_kind,
        roots.narrow_root,
        names.drop_named,
        names.drop_menus,
        names.drop_rankings,
    ),
    (roots.climb_from_title, rules.cut_tails, rules.drop_offers, copies.drop_copies),
    (rules.start_at_title, rules.drop_links, rules.drop_note_marks, rules.drop_pictures),
    (prices.keep_price,),
    (headings.head_panels,),
)
"""What is left out in one stage weighs nothing in the next."""


def read(html: bytes, url: str, tree: Tree) -> Page:
    """The page with its main content as the root and the rest skipped."""
    root = next(iter(tree.named("body")), 0)
    page = page_of(html, url, tree, root=root, skipped=bytearray(len(tree.tags)))
    for stage in STAGES:
        for rule in stage:
            rule(page)
        page.features.add_up(page.root)
    return page


def page_of(html: bytes, url: str, tree: Tree, *, root: int, skipped: bytearray) -> Page:
    """A page as it is before any rule."""
    return Page(
        html=html,
        url=url,
        tree=tree,
        kind=kind_of(html, url, tree),
        features=measure(tree),
        skipped=skipped,
        root=root,
    )
