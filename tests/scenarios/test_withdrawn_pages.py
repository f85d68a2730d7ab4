"""What a site does not let be kept is not kept, and what it has taken back is not shown from the cache."""

import asyncio
import sqlite3
import stat
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from fetcher.codes import Note, ReadingMode
from fetcher.settings import Settings, WebFetchSettings
from fetcher.web.errors import FetchError, HttpStatusError, RobotsDisallowed, UnsupportedContentType
from fetcher.web.net.media_types import Accept
from fetcher.web.pipeline import Pipeline
from tests.engine import engine, fetch, fetch_options
from tests.fakes import answers

PAGE = "http://shop.example/page"
FRESH = fetch_options(no_cache=True)
ARTICLE = fetch_options(mode=ReadingMode.ARTICLE)
FORBIDDEN = "User-agent: *\nDisallow: /page"


@pytest.fixture
def cached(tmp_path):
    return {"cache_dir": str(tmp_path / "cache")}


def _is_kept(internet, url, cached):
    """Whether the web is spared the second of two equal questions."""
    fetch(internet, url, **cached)
    return Note.CACHE_HIT in fetch(internet, url, **cached).notes


@pytest.mark.parametrize(
    ("headers", "kept"),
    [
        ({"Cache-Control": "no-store"}, False),
        ({"Cache-Control": "private"}, False),
        ({"Cache-Control": "max-age=60, NO-STORE"}, False),
        ({"Cache-Control": 'Private="Set-Cookie", max-age=60'}, False),
        ({"Cache-Control": "no-cache,no-store,must-revalidate"}, False),
        ({"Cache-Control": "no-store; max-age=0"}, False),
        ({"Cache-Control": 'max-age=0 "private"'}, False),
        ([("Cache-Control", "max-age=60"), ("cache-control", " no-store ")], False),
        ({"Vary": "*"}, False),
        ({"Vary": "Accept, *"}, False),
        ({}, True),
        ({"Cache-Control": "public, max-age=60"}, True),
        ({"Cache-Control": "no-cache, max-age=0, must-revalidate"}, True),
        ({"Cache-Control": "x-no-store, privately, =no-store"}, True),
        ({"Cache-Control": ",,"}, True),
        ({"Set-Cookie": "id=1", "Vary": "Cookie, Accept-Language", "Pragma": "no-cache"}, True),
    ],
)
def test_no_store_and_private_are_honoured(internet, cached, headers, kept):
    """E30; how long the rest is kept is the operator's to say (SRD FR-WF-16d)."""
    internet.page(PAGE, "<p>x</p>", headers=headers)
    assert _is_kept(internet, PAGE, cached) is kept


def test_nothing_of_a_page_that_may_not_be_stored_is_on_disk(internet, cached):
    internet.page(PAGE, "<p>s3cret</p>", headers={"Cache-Control": "no-store"})
    for wanted in (fetch_options(), ARTICLE, FRESH):
        assert fetch(internet, PAGE, wanted=wanted, **cached).notes == frozenset()
    assert [path for path in Path(cached["cache_dir"]).rglob("*") if path.is_file()] == []


def test_where_a_private_redirect_leads_to_is_not_remembered(internet, cached):
    """It may depend on who asks; the page there stands for itself."""
    private = {"Location": PAGE, "Cache-Control": "private"}
    internet.route("http://shop.example/me", answers.answer(status=302, headers=private))
    internet.page(PAGE, "<p>x</p>")
    assert not _is_kept(internet, "http://shop.example/me", cached)
    assert fetch(internet, PAGE, **cached).notes == {Note.CACHE_HIT}


def test_a_redirect_that_becomes_private_is_forgotten(internet, cached):
    internet.redirect("http://shop.example/me", PAGE)
    internet.page(PAGE, "<p>x</p>")
    assert _is_kept(internet, "http://shop.example/me", cached)
    private = {"Location": PAGE, "Cache-Control": "private"}
    internet.route("http://shop.example/me", answers.answer(status=302, headers=private))
    fetch(internet, "http://shop.example/me", wanted=FRESH, **cached)
    assert fetch(internet, "http://shop.example/me", **cached).notes == frozenset()


def test_a_page_that_may_not_be_stored_any_more_takes_its_old_copy_with_it(internet, cached):
    internet.page(PAGE, "<p>old</p>")
    assert _is_kept(internet, PAGE, cached)
    internet.page(PAGE, "<p>new</p>", headers={"Cache-Control": "no-store"})
    fetch(internet, PAGE, wanted=FRESH, **cached)
    assert fetch(internet, PAGE, **cached).document.markdown == "new\n"


UNREAD = {
    "too large": answers.answer(b"x" * 2000, headers={"Cache-Control": "no-store"}),
    "broken off": answers.raw(answers.head(headers={"Cache-Control": "private"}, length=9000) + b"<p>half"),
    "no text": answers.answer(b"%PDF-1.7 ...", headers={"Cache-Control": "no-store", "Content-Type": None}),
    "never comes": answers.raw(answers.head(headers={"Cache-Control": "no-store"}, length=9), delay=9),
    "no such coding": answers.coded("rot13", b"x", {"Cache-Control": "no-store"}),
}


@pytest.mark.parametrize("script", UNREAD.values(), ids=UNREAD.keys())
def test_an_answer_that_cannot_be_read_still_says_that_it_may_not_be_stored(internet, cached, script):
    """Its headers are known before its body fails."""
    internet.redirect("http://short.example/a", PAGE)
    internet.page(PAGE, "<p>old</p>")
    assert _is_kept(internet, PAGE, cached)
    assert _is_kept(internet, "http://short.example/a", cached)
    internet.route(PAGE, script)
    with pytest.raises(FetchError):
        fetch(
            internet, PAGE, wanted=fetch_options(no_cache=True, timeout_seconds=2, max_bytes=1024), **cached
        )
    internet.page(PAGE, "<p>new</p>")
    assert fetch(internet, "http://short.example/a", **cached).document.markdown == "new\n"
    assert fetch(internet, PAGE, **cached).document.markdown == "new\n"


def test_so_does_one_that_nobody_waits_for_any_more(internet, cached):
    internet.page(PAGE, "<p>old</p>")
    assert _is_kept(internet, PAGE, cached)
    internet.route(PAGE, UNREAD["never comes"])

    async def story():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await engine(internet, **cached).fetch(PAGE, FRESH)
        await asyncio.get_running_loop().shutdown_default_executor()

    asyncio.run(story())
    internet.page(PAGE, "<p>new</p>")
    assert fetch(internet, PAGE, **cached).document.markdown == "new\n"


@pytest.mark.parametrize("accept", Accept)
def test_a_page_that_has_become_something_else_is_not_served_any_more(internet, cached, accept):
    """Whether or not this caller reads what it is now."""
    internet.page(PAGE, "<p>old</p>")
    assert _is_kept(internet, PAGE, cached)
    internet.page(PAGE, "{}", headers={"Content-Type": "application/json"})
    with suppress(UnsupportedContentType):
        fetch(internet, PAGE, wanted=fetch_options(no_cache=True, accept=accept), **cached)
    internet.page(PAGE, "<p>new</p>")
    assert fetch(internet, PAGE, **cached).document.markdown == "new\n"


def test_a_page_that_now_leads_to_what_may_not_be_stored_is_not_served_any_more(internet, cached):
    internet.page(PAGE, "<p>old</p>")
    assert _is_kept(internet, PAGE, cached)
    internet.page("http://shop.example/member", "<p>new</p>", headers={"Cache-Control": "no-store"})
    internet.redirect(PAGE, "http://shop.example/member")
    fetch(internet, PAGE, wanted=FRESH, **cached)
    assert fetch(internet, PAGE, **cached).document.markdown == "new\n"


@pytest.mark.parametrize("status", [401, 403, 404, 410, 451])
def test_what_a_site_has_taken_back_is_not_served_to_others(internet, cached, status):
    """E30: a later request has learnt it; every reading of the page goes, and what led to it."""
    internet.redirect("http://short.example/a", PAGE)
    internet.page(PAGE, "<p>x</p>")
    for url, wanted in (
        (PAGE, fetch_options()),
        (PAGE, ARTICLE),
        ("http://short.example/a", fetch_options()),
    ):
        fetch(internet, url, wanted=wanted, **cached)
    internet.page(PAGE, "no", status=status)
    with pytest.raises(HttpStatusError):
        fetch(internet, PAGE, wanted=FRESH, **cached)
    for url, wanted in (
        (PAGE, fetch_options()),
        (PAGE, ARTICLE),
        ("http://short.example/a", fetch_options()),
    ):
        with pytest.raises(HttpStatusError):
            fetch(internet, url, wanted=wanted, **cached)


def test_a_refusal_at_the_end_of_a_redirect_counts_for_the_page_there(internet, cached):
    internet.page(PAGE, "<p>x</p>")
    assert _is_kept(internet, PAGE, cached)
    internet.redirect("http://short.example/a", PAGE)
    internet.page(PAGE, "no", status=403)
    with pytest.raises(HttpStatusError):
        fetch(internet, "http://short.example/a", **cached)
    with pytest.raises(HttpStatusError):
        fetch(internet, PAGE, **cached)


@pytest.mark.parametrize("status", [400, 408, 418, 429, 500, 503])
def test_a_site_in_trouble_takes_nothing_back(internet, cached, status):
    internet.page(PAGE, "<p>x</p>")
    assert _is_kept(internet, PAGE, cached)
    internet.page(PAGE, "busy", status=status, headers={"Cache-Control": "no-store"})
    with pytest.raises(HttpStatusError):
        fetch(internet, PAGE, wanted=FRESH, **cached)
    assert fetch(internet, PAGE, **cached).notes == {Note.CACHE_HIT}


def test_a_page_that_robots_txt_forbids_meanwhile_is_not_served(internet, cached, clock):
    """Rules that are known and valid count; a hit asks nobody."""
    internet.redirect("http://shop.example/start", PAGE)
    internet.page(PAGE, "<p>x</p>")
    internet.page("http://shop.example/other", "<p>y</p>")
    fetch(internet, "http://shop.example/start", clock=clock, **cached)
    internet.robots("http://shop.example", FORBIDDEN)

    async def story():
        reader = engine(internet, clock=clock, **cached)
        before = await reader.fetch(PAGE, fetch_options())
        await reader.fetch("http://shop.example/other", fetch_options())  # learns the new rules
        asked = len(internet.web.requests)
        for url in (PAGE, "http://shop.example/start"):
            with pytest.raises(RobotsDisallowed):
                await reader.fetch(url, fetch_options())
        return before, asked

    before, asked = asyncio.run(story())
    assert before.notes == {Note.CACHE_HIT}
    assert len(internet.web.requests) == asked + 1  # the alias is gone with the page: `/start` is asked for
    with pytest.raises(RobotsDisallowed):
        fetch(internet, PAGE, clock=clock, **cached)


@pytest.mark.parametrize("forbidden", ["http://shop.example/start", PAGE])
def test_rules_count_for_the_address_asked_for_and_for_the_pages_own(internet, cached, clock, forbidden):
    """Either of them stops a hit, and no request is made to find that out."""
    internet.redirect("http://shop.example/start", PAGE)
    internet.page(PAGE, "<p>x</p>")
    internet.page("http://shop.example/other", "<p>y</p>")
    fetch(internet, "http://shop.example/start", clock=clock, **cached)
    path = forbidden.removeprefix("http://shop.example")
    internet.robots("http://shop.example", f"User-agent: *\nDisallow: {path}\n")

    async def story():
        reader = engine(internet, clock=clock, **cached)
        await reader.fetch("http://shop.example/other", fetch_options())  # learns the new rules
        asked = len(internet.web.requests)
        with pytest.raises(RobotsDisallowed):
            await reader.fetch("http://shop.example/start", fetch_options())
        assert len(internet.web.requests) == asked

    asyncio.run(story())


def test_rules_that_have_expired_forbid_nothing(internet, cached, clock):
    internet.robots("http://shop.example", "")
    internet.page(PAGE, "<p>x</p>")
    internet.page("http://shop.example/other", "<p>y</p>")

    async def story():
        reader = engine(internet, clock=clock, **cached)
        await reader.fetch(PAGE, fetch_options())
        internet.robots("http://shop.example", FORBIDDEN)
        clock.advance(timedelta(hours=25))
        return await reader.fetch(PAGE, fetch_options())

    assert asyncio.run(story()).notes == {Note.CACHE_HIT}


def test_a_copy_goes_even_where_the_index_is_locked(internet, cached, monkeypatch, caplog):
    internet.page(PAGE, "<p>x</p>")
    assert _is_kept(internet, PAGE, cached)
    internet.page(PAGE, "no", status=403)

    def locked(*_, **__):
        busy = sqlite3.OperationalError("database is locked")
        busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
        raise busy

    monkeypatch.setattr("sqlite3.connect", locked)
    for wanted in (FRESH, fetch_options()):
        with pytest.raises(HttpStatusError):
            fetch(internet, PAGE, wanted=wanted, **cached)
    assert any(message.startswith("cache_index_failed") for message in caplog.messages)


@pytest.mark.parametrize(
    ("url", "settings", "hours", "kept"),
    [
        (PAGE + "?q=1", {}, 23, True),
        (PAGE + "?q=1", {}, 25, False),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 48}, 47, True),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 48}, 49, False),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 0}, 0, False),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 480, "cache_ttl_days": 1}, 25, False),
        (PAGE, {"cache_query_ttl_hours": 0}, 24 * 6, True),
        (PAGE + "?", {"cache_query_ttl_hours": 0}, 24 * 6, True),
        ("http://shop.example/search?q=1", {}, 25, False),
        ("http://shop.example/search?q=1", {"cache_query_ttl_hours": 0}, 0, False),
    ],
)
def test_urls_with_a_query_have_a_time_of_their_own(internet, clock, cached, url, settings, hours, kept):
    """Searches, rankings and prices are asked for by query; also where that leads to a plain URL."""
    internet.page(PAGE, "<p>x</p>")
    internet.redirect("http://shop.example/search", PAGE)
    page = fetch(internet, url, clock=clock, **settings, **cached)
    clock.advance(timedelta(hours=hours))
    again = fetch(internet, url, clock=clock, **settings, **cached)
    assert page.notes == frozenset()
    assert (Note.CACHE_HIT in again.notes) is kept


def test_the_first_user_of_a_machine_does_not_shut_out_the_second(internet, tmp_path, monkeypatch):
    """The SRD's directory may belong to somebody else; the default is one for each user."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    other = tmp_path / "forge-webfetch"
    other.mkdir()
    other.chmod(0o777)  # as good as somebody else's: it is not used
    internet.page(PAGE, "<p>x</p>")

    def default():
        settings = Settings(webfetch=WebFetchSettings())
        return Pipeline(settings, resolver=internet.resolver, dialer=internet.dialer)

    async def story():
        await default().fetch(PAGE, fetch_options())
        return await default().fetch(PAGE, fetch_options())

    assert asyncio.run(story()).notes == {Note.CACHE_HIT}
    [own] = [path for path in tmp_path.iterdir() if path != other]
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    assert list(other.iterdir()) == []


def test_every_error_leaves_other_pages_alone(internet, cached):
    internet.page(PAGE, "<p>x</p>")
    internet.page("http://shop.example/gone", "no", status=404)
    assert _is_kept(internet, PAGE, cached)
    with pytest.raises(FetchError):
        fetch(internet, "http://shop.example/gone", **cached)
    assert fetch(internet, PAGE, **cached).notes == {Note.CACHE_HIT}


def test_a_page_that_redirects_now_is_not_shown_from_its_old_copy(internet, cached):
    """A site that moves behind a login: no URL that led to the page leads to its old text."""
    internet.redirect("http://shop.example/old", PAGE)
    internet.page(PAGE, "<p>secret</p>")
    fetch(internet, "http://shop.example/old", **cached)
    internet.redirect(PAGE, "http://shop.example/login")
    internet.page("http://shop.example/login", "<p>sign in</p>")
    fetch(internet, PAGE, wanted=FRESH, **cached)
    for url in ("http://shop.example/old", PAGE):
        assert "secret" not in fetch(internet, url, **cached).document.markdown


def test_nor_is_one_in_the_middle_of_a_chain(internet, cached):
    internet.page(PAGE, "<p>secret</p>")
    fetch(internet, PAGE, **cached)
    internet.redirect("http://shop.example/start", PAGE)
    internet.redirect(PAGE, "http://shop.example/login")
    internet.page("http://shop.example/login", "<p>sign in</p>")
    fetch(internet, "http://shop.example/start", **cached)
    assert "secret" not in fetch(internet, PAGE, **cached).document.markdown
