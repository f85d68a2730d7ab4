"""What a site does not let be kept is not kept, and what becomes of a copy that it has withdrawn."""

import asyncio
import stat
import tempfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from fetcher.codes import Note, ReadingMode
from fetcher.settings import Settings, WebFetchSettings
from fetcher.web.errors import FetchError, RobotsDisallowed
from fetcher.web.pipeline import Pipeline
from slackapp.run.wiring import open_agent_from
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


LATER = {
    "no-store": answers.answer("<p>new</p>", headers={"Cache-Control": "no-store"}),
    "another type": answers.answer("{}", headers={"Content-Type": "application/json"}),
    "a redirect that may not be stored": answers.answer(
        status=302, headers={"Location": "/other", "Cache-Control": "private"}
    ),
    "401": answers.answer("no", status=401),
    "403": answers.answer("no", status=403),
    "404": answers.answer("no", status=404),
    "410": answers.answer("no", status=410),
    "451": answers.answer("no", status=451),
    "500": answers.answer("no", status=500),
}


@pytest.mark.parametrize("forgets", [False, True])
@pytest.mark.parametrize("later", LATER)
def test_what_a_later_answer_does_to_a_cached_page(internet, cached, later, forgets):
    """SRD FR-WF-17b: nothing. E30: where a setting says so, a page that its site has withdrawn goes."""
    internet.redirect("http://short.example/a", PAGE)
    internet.page(PAGE, "<p>old</p>")
    internet.page("http://shop.example/other", "<p>new</p>")
    asked = (
        (PAGE, fetch_options()),
        (PAGE, ARTICLE),
        ("http://short.example/a", fetch_options()),
    )
    for url, wanted in asked:
        fetch(internet, url, wanted=wanted, **cached)
    internet.route(PAGE, LATER[later])
    with suppress(FetchError):
        fetch(internet, PAGE, wanted=FRESH, cache_forget_withdrawn=forgets, **cached)
    withdrawn = forgets and later in {"401", "403", "404", "410", "451"}
    internet.page(PAGE, "<p>back</p>")
    texts = {fetch(internet, url, wanted=wanted, **cached).document.markdown for url, wanted in asked}
    assert texts == {"back\n" if withdrawn else "old\n"}


def test_the_slack_app_forgets_what_is_withdrawn(monkeypatch):
    """E30: by default in the app; an operator's own word counts in the environment and in the file."""
    opened: list[bool] = []

    def record(_, web, __):
        opened.append(web.webfetch.cache_forget_withdrawn)

    monkeypatch.setattr("fetcher.agent.open_answerer", record)
    open_agent_from({})
    open_agent_from({"WEBFETCH_CACHE_FORGET_WITHDRAWN": "false"})
    assert opened == [True, False]
    assert not Settings().webfetch.cache_forget_withdrawn


@pytest.mark.parametrize("forgets", [False, True])
def test_a_page_that_robots_txt_forbids_meanwhile_is_not_served(internet, cached, clock, forgets):
    """Rules that are known and valid count; a hit asks nobody. The copy goes where a setting says so."""
    internet.page(PAGE, "<p>x</p>")
    internet.page("http://shop.example/other", "<p>y</p>")
    fetch(internet, PAGE, clock=clock, **cached)
    internet.robots("http://shop.example", FORBIDDEN)

    async def story():
        reader = engine(internet, clock=clock, cache_forget_withdrawn=forgets, **cached)
        before = await reader.fetch(PAGE, fetch_options())
        await reader.fetch("http://shop.example/other", fetch_options())  # learns the new rules
        asked = len(internet.web.requests)
        with pytest.raises(RobotsDisallowed):
            await reader.fetch(PAGE, fetch_options())
        assert len(internet.web.requests) == asked
        return before

    assert asyncio.run(story()).notes == {Note.CACHE_HIT}
    internet.robots("http://shop.example", "")
    assert (fetch(internet, PAGE, clock=clock, **cached).notes == {Note.CACHE_HIT}) is not forgets


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


@pytest.mark.parametrize(
    ("url", "settings", "hours", "kept"),
    [
        (PAGE + "?q=1", {}, 24 * 7 - 1, True),
        (PAGE + "?q=1", {}, 24 * 7 + 1, False),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 48}, 47, True),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 48}, 49, False),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 0}, 0, False),
        (PAGE + "?q=1", {"cache_query_ttl_hours": 480, "cache_ttl_days": 1}, 25, False),
        (PAGE, {"cache_query_ttl_hours": 0}, 24 * 6, True),
        (PAGE + "?", {"cache_query_ttl_hours": 0}, 24 * 6, True),
        ("http://shop.example/search?q=1", {"cache_query_ttl_hours": 24}, 25, False),
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
        settings = Settings(webfetch=WebFetchSettings(enabled=True))
        return Pipeline(settings, resolver=internet.resolver, dialer=internet.dialer)

    async def story():
        await default().fetch(PAGE, fetch_options())
        return await default().fetch(PAGE, fetch_options())

    assert asyncio.run(story()).notes == {Note.CACHE_HIT}
    [own] = [path for path in tmp_path.iterdir() if path != other]
    assert stat.S_IMODE(own.stat().st_mode) == 0o700
    assert list(other.iterdir()) == []
