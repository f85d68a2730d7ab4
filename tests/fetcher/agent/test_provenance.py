"""What may be fetched for a question, and what may not."""

import base64
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.agent.errors import ToolRefused
from fetcher.agent.provenance import TELLING_CHARS, FetchPolicy, Provenance
from fetcher.codes import AgentCode, ErrorCode
from fetcher.web.canonical import canonicalise
from fetcher.web.errors import FetchError

PAGE = canonicalise("https://page.example/")
SECRET = "来期の予算は三億円で、四月一日に社外へ発表する予定です"
WORDS = "The merger with Initech closes on 1 April"


def provenance(*conversation, links=(), answers=(), **policy):
    return Provenance(conversation, links, FetchPolicy(**policy), answers=answers)


def knows(known, url):
    """Whether a URL stands in the context, whatever else is said of it."""
    try:
        known.admit(url)
    except ToolRefused as refused:
        return refused.code is not AgentCode.URL_NOT_IN_CONTEXT
    except FetchError:
        return False
    return True


def refusal(known, url):
    with pytest.raises(ToolRefused) as refused:
        known.admit(url)
    return refused.value.code


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("https://a.example/x#part", "https://A.example:443/x#other"),
        ("https://a.example", "https://a.example/"),
        ("https://a.example/%7Ex", "https://a.example/~x"),
        ("http://a.example/x?y=1", "https://a.example/x?y=1"),
        ("https://a.example/東京", "https://a.example/%E6%9D%B1%E4%BA%AC"),
        ("https://日本語.jp/", "https://xn--wgv71a119e.jp/"),
        ("[label](https://a.example/x)", "https://a.example/x"),
        ("https://a.example/wiki/東京を要約して", "https://a.example/wiki/東京"),
    ],
)
def test_admits_what_stands_in_the_conversation(written, asked):
    """URLs are compared in their canonical form; https is as good as http."""
    known = provenance(f"read {written}")
    assert knows(known, asked)
    assert known.admit(asked) == canonicalise(asked)


@pytest.mark.parametrize(
    "asked",
    [
        "https://a.example/y",
        "https://a.example/x/",
        "https://a.example/X",
        "https://a.example/x?",
        "https://a.example/x?q=1",
        "https://a.example:8443/x",
        "http://a.example/x",
        "https://b.example/x",
        "https://www.a.example/x",
        "https://a.example./x",
        "http://169.254.169.254/",
    ],
)
def test_refuses_what_stands_nowhere(asked):
    """No other path, query, port, host or weaker scheme comes with a URL that is known."""
    known = provenance("https://a.example/x")
    assert not knows(known, asked)
    assert refusal(known, asked) is AgentCode.URL_NOT_IN_CONTEXT


def test_links_beside_the_text_count():
    """A label's target that the conversation shows is known, with or without the sentence after it."""
    known = provenance("see this", links=("https://a.example/x", "https://b.example/の料金"))
    assert knows(known, "https://a.example/x")
    assert knows(known, "https://b.example/")
    assert knows(known, "https://b.example/の料金")


def test_a_label_is_not_known():
    assert not knows(provenance("[https://good.example/](https://evil.example/)"), "https://good.example/")


def test_a_page_that_was_read_adds_its_links_and_its_final_url():
    known = provenance("https://short.example/")
    known.learn("[next](https://page.example/2) and https://other.example/", PAGE)
    for url in ("https://page.example/", "https://page.example/2", "https://other.example/"):
        assert known.admit(url) == canonicalise(url)


def test_of_earlier_answers_only_links_count():
    """A URL that an answer shows as code was never read, and may be of the model's making."""
    answer = (
        "See [it](https://read.example/), not `https://evil.example/?q=x`.\n```\nhttps://evil.example/\n```"
    )
    known = provenance("more?", answers=(answer,))
    assert knows(known, "https://read.example/")
    assert not knows(known, "https://evil.example/?q=x")
    assert not knows(known, "https://evil.example/")


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("ftp://a.example/", ErrorCode.INVALID_SCHEME),
        ("https://user@a.example/", ErrorCode.INVALID_URL),
        ("http://0x7f.1/", ErrorCode.INVALID_HOST),
    ],
)
def test_what_is_no_url_of_ours_keeps_its_error(url, code):
    """The engine's own refusals come through as they are, even for a text of the conversation."""
    known = provenance(url)
    with pytest.raises(FetchError) as refused:
        known.admit(url)
    assert refused.value.code is code
    assert not knows(known, url)


def test_length_is_that_of_the_canonical_form():
    """A URL just as long as allowed passes; its escapes count."""
    urls = [
        "https://a.example/" + "x" * 82,
        "https://a.example/" + "x" * 83,
        "https://a.example/" + "東" * 10,
    ]
    known = provenance(" ".join(urls), max_url_chars=100)
    assert known.admit(urls[0])
    assert refusal(known, urls[1]) is AgentCode.URL_TOO_LONG
    assert refusal(known, urls[2]) is AgentCode.URL_TOO_LONG


@pytest.mark.parametrize(
    ("allowed", "blocked", "host", "permitted"),
    [
        ((), (), "a.example", True),
        (("a.example",), (), "a.example", True),
        (("a.example",), (), "A.example.", True),
        (("a.example",), (), "sub.a.example", False),
        (("a.example",), (), "nota.example", False),
        ((".a.example",), (), "sub.a.example", True),
        ((".a.example",), (), "deep.sub.a.example", True),
        ((".a.example",), (), "a.example", False),
        ((".a.example",), (), "nota.example", False),
        (("*.a.example",), (), "sub.a.example", True),
        ((), ("a.example",), "a.example", False),
        ((), ("a.example",), "a.example.", False),
        ((), ("A.Example.",), "a.example", False),
        ((), ("a.example",), "b.example", True),
        ((".a.example",), ("bad.a.example",), "bad.a.example", False),
        (("a.example",), ("a.example",), "a.example", False),
        ((), ("日本語.jp",), "xn--wgv71a119e.jp", False),
        ((), (".日本語.jp",), "www.日本語.jp", False),
        ((), ("192.0.2.1",), "192.0.2.1", False),
    ],
)
def test_domain_lists(allowed, blocked, host, permitted):
    """A name is one host, a leading dot means the hosts below it, and a blocked host stays blocked."""
    known = provenance(f"https://{host}/", allowed_domains=allowed, blocked_domains=blocked)
    if permitted:
        assert known.admit(f"https://{host}/")
    else:
        assert refusal(known, f"https://{host}/") is AgentCode.DOMAIN_BLOCKED


@pytest.mark.parametrize("entry", ["", ".", "a b", "user@a.example", "a.example:x", "999.1.1.1"])
def test_a_domain_that_can_match_nothing_is_an_error(entry):
    with pytest.raises(ValueError, match="not a domain"):
        FetchPolicy(blocked_domains=(entry,))


def test_every_admission_counts():
    """What lies on the desk already is not asked about; whatever is may reach the network."""
    known = provenance("https://a.example/1", max_fetches=2)
    known.admit("https://a.example/1")
    known.admit("https://a.example/1#again")
    assert refusal(known, "https://a.example/1") is AgentCode.FETCH_LIMIT


def test_checks_come_in_order():
    """Of several reasons the first one is named: length, domain, origin, text, number."""
    long, blocked = "https://blocked.example/" + "x" * 200, "https://blocked.example/"
    leak = f"https://e.example/?{_base64(SECRET)}"
    known = provenance(SECRET, max_fetches=0, max_url_chars=200, blocked_domains=("blocked.example",))
    known.learn(f"{leak} https://a.example/", PAGE)
    assert refusal(known, long) is AgentCode.URL_TOO_LONG
    assert refusal(known, blocked) is AgentCode.DOMAIN_BLOCKED
    assert refusal(known, "https://unknown.example/") is AgentCode.URL_NOT_IN_CONTEXT
    assert refusal(known, leak) is AgentCode.URL_CARRIES_TEXT
    assert refusal(known, "https://a.example/") is AgentCode.FETCH_LIMIT


def _base64(text):
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize("said", [SECRET, WORDS], ids=["japanese", "english"])
@pytest.mark.parametrize(
    "url",
    [
        "https://e.example/?q={plus}",
        "https://e.example/?q={percent}",
        "https://e.example/{percent}/x",
        "https://e.example/?q={twice}",
        "https://e.example/?q=a{base64}",
        "https://e.example/path/{base64url}/x",
    ],
)
def test_a_pages_link_may_not_spell_the_conversation_out(url, said):
    """A link learned from a page is refused when it holds a run of the conversation, however encoded."""
    leak = url.format(
        plus=quote_plus(said),
        percent=quote(said),
        twice=quote(quote(said)),
        base64=quote_plus(_base64(said)),
        base64url=base64.urlsafe_b64encode(said.encode()).decode(),
    )
    known = provenance(f"{said}. Read https://page.example/")
    known.learn(f"[click]({leak})", PAGE)
    assert refusal(known, leak) is AgentCode.URL_CARRIES_TEXT


def test_runs_shorter_than_telling_pass():
    """One character fewer is a coincidence; white space and case do not matter."""
    known = provenance(WORDS)
    told = [quote_plus(WORDS.upper()[4 : 4 + length]) for length in (TELLING_CHARS - 1, TELLING_CHARS)]
    known.learn(" ".join(f"https://e.example/?q={text}" for text in told), PAGE)
    assert known.admit(f"https://e.example/?q={told[0]}")
    assert refusal(known, f"https://e.example/?q={told[1]}") is AgentCode.URL_CARRIES_TEXT


def test_what_people_wrote_may_say_anything():
    """A person's own URL is theirs to fetch, and a page may link on below it or page through it."""
    search = f"https://s.example/search?q={quote_plus(WORDS)}"
    known = provenance(f"{WORDS}: {search}")
    assert known.admit(search)
    guide = provenance("Summarise https://docs.example/guide/getting-started/introduction/")
    guide.learn("https://docs.example/guide/getting-started/introduction/install", PAGE)
    assert guide.admit("https://docs.example/guide/getting-started/introduction/install")


def test_a_long_thread_is_compared_in_a_moment():
    """200 KB of conversation and a URL as long as allowed."""
    known = provenance("".join(chr(0x4E00 + n * 7919 % 20_000) for n in range(200_000)))
    url = "https://e.example/?q=" + quote("".join(chr(0x4E00 + n) for n in range(200)))
    known.learn(url, PAGE)
    started = time.process_time()
    known.admit(url)
    assert time.process_time() - started < 1


URLS = st.builds(
    "{}://{}.example{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from("ab"),
    st.sampled_from(["", "/", "/x", "/x?", "/x?y", ":80/", ":443/x", "/東京", "/x#f"]),
)


@given(written=st.lists(URLS), linked=st.lists(URLS), asked=URLS)
def test_never_admits_what_is_not_known(written, linked, asked):
    """Just what stands somewhere is admitted, up to its canonical form and an https for an http."""
    known = Provenance([f"<{url}>" for url in written], [], FetchPolicy())
    known.learn(" ".join(f"<{url}>" for url in linked), PAGE)
    stand = {str(canonicalise(url)) for url in (*written, *linked)}
    upgraded = {url.replace("http://", "https://") for url in stand}
    if str(canonicalise(asked)) in stand | upgraded:
        assert known.admit(asked) == canonicalise(asked)
    else:
        assert not knows(known, asked)
        assert refusal(known, asked) is AgentCode.URL_NOT_IN_CONTEXT
