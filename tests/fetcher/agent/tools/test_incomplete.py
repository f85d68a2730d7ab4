"""What is missing of a page: tables that were cut, and what is behind a login."""

from datetime import UTC, datetime

import pytest

from fetcher.agent.tools.incomplete import found_again, leads_to_login, may_lack_rows
from fetcher.web.net.canonical import canonicalise
from fetcher.web.values import Document, FetchedPage, Table


def _table(*rows, caption="", header=("品", "円")):
    return Table(caption=caption, header=header, rows=rows)


PART = _table(("豆", "980"), ("茶", "5"))
WHOLE = _table(("豆", "980"), ("茶", "500"), ("水", "100"))
OTHER = _table(("机", "1"), header=("家具", "数"))


@pytest.mark.parametrize(
    ("number", "tables", "found"),
    [
        (1, [WHOLE], 1),
        (1, [OTHER, WHOLE], 2),  # a longer read sees one table more before it
        (2, [WHOLE, OTHER, _table(("豆", "980"), ("酒", "9"))], 1),  # two begin alike, equally near
        (1, [_table(("豆", "980", "a"), header=("品", "円", "注"))], 1),  # a later row is wider
        (1, [_table(("品", "円"), ("豆", "980"), header=("", ""))], 1),  # the first row was no header
        (1, [_table(("豆", "980"), caption="別の表")], None),
        (2, [OTHER], None),
        (1, [], None),
    ],
)
def test_a_table_is_found_again_by_its_name_and_beginning(number, tables, found):
    assert found_again(PART, number, tables) is (tables[found - 1] if found else None)


def test_the_last_table_of_a_cut_page_may_lack_rows():
    tables = (OTHER, PART)
    assert may_lack_rows(PART, tables, page_cut=True)
    assert not may_lack_rows(OTHER, tables, page_cut=True)
    assert not may_lack_rows(PART, tables, page_cut=False)
    assert may_lack_rows(Table(caption="", header=(), rows=(), cut=True), tables, page_cut=False)


@pytest.mark.parametrize(
    ("requested", "final", "leads"),
    [
        ("https://docs.example/d/1/edit", "https://accounts.example/v3/signin/identifier?continue=x", True),
        ("https://docs.example/d/1/edit", "https://accounts.example/ServiceLogin?service=wise", True),
        ("https://team.example/sites/a", "https://login.example/common/oauth2/authorize?x=1", True),
        ("https://wiki.example/x/AbC", "https://wiki.example/login.action?os_destination=x", True),
        ("https://a.example/wp-admin/post.php", "https://a.example/wp-login.php?redirect_to=x", True),
        ("https://a.example/x", "https://a.example/workspace-signin", True),
        ("https://a.example/login", "https://a.example/ja/login", False),  # the login is what was wanted
        ("https://a.example/x", "https://a.example/y/", False),
        ("https://a.example/x", "https://a.example/blog/ssor-loginfo", False),
        ("https://a.example/x", "https://a.example/x?next=/login", False),
    ],
)
def test_a_link_that_ends_where_people_sign_in_is_known_by_its_address(requested, final, leads):
    page = FetchedPage(
        requested_url=requested,
        final_url=canonicalise(final),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        document=Document(title="Sign in", markdown="Sign in"),
    )
    assert leads_to_login(page) is leads


def test_an_article_about_signing_in_is_no_login_page():
    page = FetchedPage(
        requested_url="https://go.example/x1",
        final_url=canonicalise("https://docs.example/identity/oauth2/overview"),
        fetched_at=datetime(2026, 1, 1, tzinfo=UTC),
        document=Document(title="OAuth 2.0", markdown="An app asks for a token. " * 200),
    )
    assert not leads_to_login(page)
