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
        boilerplate_rules.drop_furniture,  # dev 48.5, more 14.3, snippets 10.7, ja 7.8
        boilerplate_rules.drop_feet,  # dev 0.1, more 0.0, snippets 1.3, ja 0.0
        hidden_text.drop_hidden_text,  # dev -0.9, more 1.6, snippets -5.1, ja 26.1
        class_names.drop_consent,  # dev 6.0, more 0.1, snippets 7.5, ja 14.4
    ),
    (
        content_root.choose_root,  # dev 0.2, more 1.2, snippets 1.0, ja 0.0
        content_root.settle_kind,  # dev 4.3, more 3.2, snippets 8.5, ja 89.5
        content_root.narrow_root,  # dev 1.8, more 2.0, snippets 16.6, ja 8.6
        class_names.drop_columns,  # dev 4.5, more 0.0, snippets 1.3, ja 0.0
        class_names.drop_named,  # dev 32.5, more 16.9, snippets 5.6, ja 10.0
        class_names.drop_after_story,  # dev 0.0, more 0.0, snippets 0.0, ja 0.0
        class_names.drop_inserts,  # dev 1.6, more 0.5, snippets 3.8, ja 0.0
    ),
    (
        content_root.climb_from_title,  # dev 2.9, more 2.3, snippets 0.0, ja 0.0
        body.drop_outsiders,  # dev 0.1, more 0.1, snippets 3.8, ja 36.9
        teasers.drop_teasers,  # dev 0.0, more 0.7, snippets 0.0, ja 8.6
        tails.cut_tails,  # dev -1.1, more 0.1, snippets 2.5, ja 0.0
        repeated_sections.drop_repeated_sections,  # dev 5.2, more 5.1, snippets 0.0, ja 7.3
        teasers.take_files_and_telephones_for_text,  # dev 0.0, more 0.0, snippets -1.3, ja 0.0
    ),
    (
        boilerplate_rules.start_at_title,  # dev 0.9, more 0.1, snippets 0.0, ja 0.1
        link_rules.drop_links,  # dev 2.2, more 2.0, snippets 3.5, ja -2.8
        link_rules.drop_menu_tables,  # dev 0.1, more 0.0, snippets 0.0, ja 0.0
        lines.drop_lines,  # dev 0.5, more 1.2, snippets 6.0, ja -1.3
        boilerplate_rules.drop_pictures,  # dev 24.3, more 13.2, snippets 2.5, ja 5.7
    ),
    (
        edges.keep_lead_and_tables,  # dev -0.3, more -0.3, snippets 13.6, ja -1.9
        contacts.keep_contact,  # dev 0.0, more 0.0, snippets 0.0, ja 0.0
    ),
    (
        heads.take_head,  # dev 0.1, more 0.5, snippets 1.3, ja 20.4
    ),
)
"""What is left out in one stage weighs nothing in the next.

Behind each rule stands what F1, times 1,000, loses without it on each corpus: `python -m bench.rules 4`
(every fourth page). `keep_contact` is for pages of city halls, which these corpora lack: whom to ask.
"""


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
