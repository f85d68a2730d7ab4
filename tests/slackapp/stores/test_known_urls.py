"""A thread's record: the URLs that were read in it, as long as the thread lives."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from slackapp.stores.claims import MOST_URL_CHARS, MOST_URLS
from tests.fakes.dynamodb import FUTURE

NOW = FUTURE + 0.25
DAY = 86_400.0
THREAD = "known:T1:C1:1768046400.000100"
PAGE, NEXT, OTHER = "https://a.example/?x=1&region=jp", "https://a.example/2", "https://b.example/日本"


def add_urls(store, *urls, name=THREAD, now=NOW, expires_at=NOW + DAY):
    store.add_known_urls(name, urls, now=now, expires_at=expires_at)


def test_what_was_learned_last_comes_first_each_once(store):
    add_urls(store, PAGE, NEXT)
    add_urls(store, OTHER, PAGE)
    assert store.known_urls(THREAD, now=NOW) == (OTHER, PAGE, NEXT)
    assert store.known_urls("known:T1:C1:other", now=NOW) == ()


@pytest.mark.parametrize(("later", "known"), [(DAY - 1, (PAGE,)), (DAY + 1, ())])
def test_a_record_lives_as_long_as_it_is_told(store, later, known):
    add_urls(store, PAGE)
    assert store.known_urls(THREAD, now=NOW + later) == known


def test_a_record_that_has_expired_is_begun_anew(store):
    add_urls(store, PAGE, expires_at=NOW + 1)
    add_urls(store, NEXT, now=NOW + 10, expires_at=NOW + DAY)
    assert store.known_urls(THREAD, now=NOW + 11) == (NEXT,)


def test_a_record_has_its_bounds(store):
    """The newest stay, in number and in bytes."""
    urls = [f"https://a.example/{number}" for number in range(MOST_URLS + 5)]
    add_urls(store, *urls)
    assert store.known_urls(THREAD, now=NOW) == tuple(urls[:MOST_URLS])
    add_urls(store, *(f"https://b.example/{number}{'日' * 2000}" for number in range(MOST_URLS)))
    kept = store.known_urls(THREAD, now=NOW)
    assert 10 < len(kept) < MOST_URLS
    assert len("".join(kept).encode()) <= MOST_URL_CHARS


def test_answers_at_the_same_moment_all_stay(store):
    """Two questions in one thread are answered side by side."""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: add_urls(store, f"https://a.example/{number}"), range(4)))
    assert sorted(store.known_urls(THREAD, now=NOW)) == [f"https://a.example/{number}" for number in range(4)]
