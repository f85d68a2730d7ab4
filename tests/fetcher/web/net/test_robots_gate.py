"""robots.txt is asked before a page, per origin, and what cannot be asked is not guessed."""

import asyncio
import itertools
import logging
from datetime import timedelta
from typing import Any

import pytest

from fetcher.codes import Note
from fetcher.web.errors import RobotsDisallowed, RobotsUnavailable
from tests.engine import engine, fetch, fetch_options
from tests.fakes import answers, misbehaviour

PAGE = "http://shop.example/page"
ROBOTS = "http://shop.example/robots.txt"
FORBIDDEN = "User-agent: *\nDisallow: /"
OPEN: Any = {"robots": {"fail_open": True}}


@pytest.fixture
def site(internet):
    internet.page(PAGE, "<p>content</p>")
    return internet


def test_a_disallowed_page_is_not_requested(site):
    """SRD FR-WF-08: the page's path is checked before the page is asked for."""
    site.robots("http://shop.example", "User-agent: *\nDisallow: /page")
    with pytest.raises(RobotsDisallowed) as refused:
        fetch(site, PAGE)
    assert refused.value.details == {"path": "/page", "origin": "http://shop.example"}
    assert [request.target for request in site.web.requests] == ["/robots.txt"]


def test_the_query_is_part_of_what_is_matched(site):
    """SRD FR-WF-ROBOTS-PATH-01."""
    site.robots("http://shop.example", "User-agent: *\nDisallow: /*?session=")
    fetch(site, PAGE)
    with pytest.raises(RobotsDisallowed):
        fetch(site, PAGE + "?session=1")


@pytest.mark.parametrize("status", [204, 404, 400, 401, 403, 410, 429, 499])
def test_t_wf_rob_06_and_12_a_4xx_allows_everything(site, status):
    """T-WF-ROB-06, T-WF-ROB-12: SRD FR-WF-09 and 09c; no content is an empty file."""
    site.robots("http://shop.example", status)
    page = fetch(site, PAGE)
    assert page.notes == frozenset()


UNAVAILABLE = [
    answers.answer(status=500),
    answers.answer(status=503),
    answers.answer(status=206),
    answers.redirect("http://shop.example/robots.txt"),
    answers.redirect("http://[half"),
    misbehaviour.close_before_answer(),
    misbehaviour.garbage(),
    misbehaviour.truncated_chunked(FORBIDDEN),
]


@pytest.mark.parametrize("script", UNAVAILABLE)
def test_a_robots_txt_that_cannot_be_had_closes_the_site(site, script):
    """SRD FR-WF-09a."""
    site.route(ROBOTS, script)
    with pytest.raises(RobotsUnavailable) as refused:
        fetch(site, PAGE)
    assert refused.value.retryable
    assert refused.value.details["origin"] == "http://shop.example"
    assert site.web.count(PAGE) == 0


@pytest.mark.parametrize("script", UNAVAILABLE)
def test_or_opens_it_with_a_note_when_settings_say_so(site, script):
    site.route(ROBOTS, script)
    assert fetch(site, PAGE, **OPEN).notes == {Note.ROBOTS_UNAVAILABLE_FAIL_OPEN}


def test_t_wf_rob_07_a_timeout_closes_the_site(site):
    """T-WF-ROB-07: half of the time is spent on asking, and the answer is an error."""
    site.route(ROBOTS, misbehaviour.stall())
    with pytest.raises(RobotsUnavailable) as refused:
        fetch(site, PAGE, wanted=fetch_options(timeout_seconds=0.2))
    assert refused.value.details["error"] == "timeout"


def test_t_wf_rob_08_a_timeout_with_fail_open_leaves_time_for_the_page(site):
    """T-WF-ROB-08."""
    site.route(ROBOTS, misbehaviour.stall())
    page = fetch(site, PAGE, wanted=fetch_options(timeout_seconds=2), **OPEN)
    assert page.notes == {Note.ROBOTS_UNAVAILABLE_FAIL_OPEN}


def test_t_wf_rob_09_each_origin_has_its_own_rules(site):
    """T-WF-ROB-09: scheme, host and port make an origin, and its robots.txt has no query (SRD FR-WF-08a)."""
    ports: Any = {"security": {"allowed_ports": [80, 443, 8080]}}
    urls = [
        "http://shop.example:8080/page?of=goods",
        "https://shop.example/page",
        "http://www.shop.example/page",
    ]
    for url in urls:
        site.page(url, "<p>content</p>")
    site.robots("http://shop.example", FORBIDDEN)

    async def story():
        reader = engine(site, **ports)
        with pytest.raises(RobotsDisallowed):
            await reader.fetch(PAGE, fetch_options())
        for url in urls:
            await reader.fetch(url, fetch_options())

    asyncio.run(story())
    asked = [request.url for request in site.web.requests if "robots" in request.target]
    assert asked == [
        "http://shop.example/robots.txt",
        "http://shop.example:8080/robots.txt",
        "https://shop.example/robots.txt",
        "http://www.shop.example/robots.txt",
    ]


def test_t_wf_rob_13_only_the_beginning_of_a_huge_file_counts(site, caplog):
    """T-WF-ROB-13: SRD FR-WF-ROBOTS-SIZE-01, a warning in the log and no note."""
    rules = "User-agent: *\nDisallow: /early\n" + "#" * 2000 + "\nDisallow: /page\n"
    site.robots("http://shop.example", rules)
    with caplog.at_level(logging.WARNING, "fetcher"):
        page = fetch(site, PAGE, robots={"max_robots_bytes": 1024})
    assert page.notes == frozenset()
    assert "robots.txt truncated at 1024 bytes" in caplog.messages
    with pytest.raises(RobotsDisallowed):
        fetch(site, "http://shop.example/early", robots={"max_robots_bytes": 1024})


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
def test_a_cut_file_loses_its_half_line_only(site, line_end):
    """Half of `/pagination` would forbid `/page`."""
    rules = ["User-agent: *", "Disallow: /early", "#" * 962, "Disallow: /pagination"]
    text = line_end.join(rules)
    cut = text[: text.index("/pag") + 4]
    settings = {"max_robots_bytes": max(1024, len(cut))}
    site.robots("http://shop.example", text + " " * 2000)
    fetch(site, PAGE, robots=settings)
    with pytest.raises(RobotsDisallowed):
        fetch(site, "http://shop.example/early", robots=settings)


def test_a_whole_file_that_ends_in_half_a_character_forbids_nothing(site):
    """SRD FR-WF-09b.3: it cannot be decoded; the same bytes cut by the limit can, as far as they go."""
    rules = b"User-agent: *\nDisallow: /page\n#" + b"\xe6\x97"
    site.robots("http://shop.example", rules)
    assert fetch(site, PAGE).document.markdown == "content\n"
    site.robots("http://shop.example", rules.replace(b"#", b"#" * 990) + b"\xa5" * 100)
    with pytest.raises(RobotsDisallowed):
        fetch(site, PAGE, robots={"max_robots_bytes": 1024})


def test_no_cache_asks_robots_txt_all_the_same(site):
    """SRD FR-WF-08h."""
    site.robots("http://shop.example", FORBIDDEN)
    with pytest.raises(RobotsDisallowed):
        fetch(site, PAGE, wanted=fetch_options(no_cache=True))


def test_the_token_is_the_settings_or_the_user_agents(site):
    """SRD FR-WF-ROBOTS-UA-TOKEN-01."""
    site.robots("http://shop.example", "User-agent: mybot\nDisallow: /\n\nUser-agent: *\nAllow: /")
    fetch(site, PAGE)
    with pytest.raises(RobotsDisallowed):
        fetch(site, PAGE, user_agent="MyBot/2.0")
    with pytest.raises(RobotsDisallowed):
        fetch(site, PAGE, robots={"user_agent_token": "mybot"})


@pytest.mark.parametrize(
    "target",
    [
        "http://other.example/robots.txt",
        "https://www.shop.example/robots.txt",
        "http://shop.example:8080/robots.txt",
        "https://shop.example:8443/robots.txt",
        "http://127.0.0.1/robots.txt",
    ],
)
def test_t_wf_rob_16_a_redirect_to_another_origin_is_no_answer(site, target):
    """T-WF-ROB-16: SRD FR-WF-ROBOTS-REDIR-02, and nothing is sent there."""
    site.redirect(ROBOTS, target)
    ports: Any = {"security": {"allowed_ports": [80, 443, 8080, 8443]}}
    with pytest.raises(RobotsUnavailable) as refused:
        fetch(site, PAGE, **ports)
    assert refused.value.details["error"] == "robots_cross_origin_redirect"
    assert [request.url for request in site.web.requests] == [ROBOTS]
    assert site.resolver.asked == ["shop.example"]


def test_an_upgrade_to_https_on_the_same_host_is_followed(site):
    """E9: http to https, default ports only; the name is not resolved again."""
    site.redirect(ROBOTS, "https://shop.example/robots.txt")
    site.robots("https://shop.example", "User-agent: *\nDisallow: /page")
    with pytest.raises(RobotsDisallowed):
        fetch(site, PAGE)
    assert site.resolver.asked == ["shop.example"]


def test_a_redirect_within_the_origin_is_followed(site):
    """SRD FR-WF-ROBOTS-FETCH-01 and REDIR-02: the origin stays, whatever the path."""
    site.redirect(ROBOTS, "/rules/robots.txt")
    site.page("http://shop.example/rules/robots.txt", "User-agent: *\nDisallow: /page")
    with pytest.raises(RobotsDisallowed):
        fetch(site, PAGE)


@pytest.mark.parametrize(("redirects", "refusal"), [(5, RobotsDisallowed), (6, RobotsUnavailable)])
def test_five_redirects_are_followed_and_no_more(site, redirects, refusal):
    """SRD FR-WF-ROBOTS-FETCH-01: as many as a page may have."""
    hops = [ROBOTS, *(f"http://shop.example/{number}" for number in range(redirects))]
    for hop, target in itertools.pairwise(hops):
        site.redirect(hop, target)
    site.page(hops[-1], FORBIDDEN)
    with pytest.raises(refusal):
        fetch(site, PAGE)


def test_a_downgrade_from_https_is_not(site):
    site.page("https://shop.example/page", "x")
    site.redirect("https://shop.example/robots.txt", ROBOTS)
    with pytest.raises(RobotsUnavailable):
        fetch(site, "https://shop.example/page")


def _asked(site, *, fetches=2, between=lambda clock: None, clock, **settings):
    """How often robots.txt was asked for in the course of some fetches by one engine."""

    async def story():
        reader = engine(site, clock=clock, **settings)
        for _ in range(fetches):
            await reader.fetch(PAGE, fetch_options(no_cache=True))
            between(clock)

    asyncio.run(story())
    return site.web.count(ROBOTS)


@pytest.mark.parametrize("rules", ["User-agent: *\nDisallow: /x", "", 404, 403, "\xff\xfe garbage"])
def test_answers_are_remembered_allow_all_included(site, clock, rules):
    """SRD FR-WF-ROBOTS-CACHE-02 and 08h: `no_cache` does not forget them."""
    site.robots("http://shop.example", rules)
    assert _asked(site, clock=clock) == 1


def test_answers_are_asked_again_after_their_time(site, clock):
    """SRD FR-WF-08f, just inside and just outside."""
    hour = timedelta(hours=1)
    inside = _asked(
        site, clock=clock, between=lambda c: c.advance(hour - timedelta(seconds=1)), robots_cache_ttl_hours=1
    )
    assert inside == 1
    site.web.reset()
    site.page(PAGE, "x")
    outside = _asked(site, clock=clock, between=lambda c: c.advance(hour), robots_cache_ttl_hours=1)
    assert outside == 2


def test_a_cache_of_no_entries_remembers_nothing(site, clock):
    """SRD FR-WF-ROBOTS-CACHE-03."""
    assert _asked(site, clock=clock, robots_cache_entries=0) == 2


def test_t_wf_rob_17_a_fail_open_outcome_is_not_remembered(site, clock):
    """T-WF-ROB-17: SRD FR-WF-ROBOTS-CACHE-04."""
    site.robots("http://shop.example", 503)
    assert _asked(site, clock=clock, **OPEN) == 2


def test_the_least_recently_used_origin_is_forgotten_first(internet, clock):
    """SRD FR-WF-08g."""
    names = ["a", "b", "a", "c", "a", "b"]
    for name in set(names):
        internet.page(f"http://{name}.example/", "x")

    async def story():
        reader = engine(internet, clock=clock, robots_cache_entries=2)
        for name in names:
            await reader.fetch(f"http://{name}.example/", fetch_options())

    asyncio.run(story())
    counts = {name: internet.web.count(f"http://{name}.example/robots.txt") for name in set(names)}
    assert counts == {"a": 1, "b": 2, "c": 1}


def test_pages_read_side_by_side_share_one_question(site):
    urls = [f"http://shop.example/{number}" for number in range(4)]
    for url in urls:
        site.page(url, "x")

    async def story():
        reader = engine(site)
        await asyncio.gather(*(reader.fetch(url, fetch_options()) for url in urls))

    asyncio.run(story())
    assert site.web.count(ROBOTS) == 1
