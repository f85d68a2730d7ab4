"""Main-content detection: a pipeline of small rules over one measuring of the page (decision E17)."""

from collections.abc import Callable

from fetcher.web.reading.extract import (
    boilerplate_rules,
    content_root,
    hidden_text,
    link_rules,
    repeated_sections,
)
from fetcher.web.reading.extract.features import measure
from fetcher.web.reading.extract.names import class_names
from fetcher.web.reading.extract.page import Page
from fetcher.web.reading.extract.page_kinds import kind_of
from fetcher.web.reading.extract.stories import body, contacts, edges, heads, lines, tails, teasers
from fetcher.web.reading.tree import Tree

STAGES: tuple[tuple[Callable[[Page], None], ...], ...] = (
    (
        boilerplate_rules.drop_furniture,
        boilerplate_rules.drop_feet,
        hidden_text.drop_hidden_text,
        class_names.drop_consent,
    ),
    (
        content_root.choose_root,
        content_root.settle_kind,
        content_root.narrow_root,
        class_names.drop_columns,
        class_names.drop_named,
        class_names.drop_after_story,
        class_names.drop_inserts,
    ),
    (
        content_root.climb_from_title,
        body.drop_outsiders,
        teasers.drop_teasers,
        tails.cut_tails,
        repeated_sections.drop_repeated_sections,
        teasers.take_files_and_telephones_for_text,
    ),
    (
        boilerplate_rules.start_at_title,
        link_rules.drop_links,
        link_rules.drop_menu_tables,
        lines.drop_lines,
        boilerplate_rules.drop_pictures,
    ),
    (edges.keep_lead_and_tables, contacts.keep_contact),
    (heads.take_head,),
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
