"""What may be fetched for a question, and what may not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.links import find_links
from fetcher.agent.safety.provenance import (
    MOST_KNOWN,
    MOST_KNOWN_CHARS,
    MOST_SHOWN,
    FetchPolicy,
    Provenance,
    canonical_forms,
)
from fetcher.codes import AgentCode, ErrorCode
from fetcher.web.errors import FetchError
from fetcher.web.net.canonical import canonicalise

PAGE = canonicalise("https://page.example/")


def provenance(*conversation, links=(), known=(), **policy):
    """What people wrote in a conversation, and links besides."""
    written = [link for text in conversation for link in find_links(text, typed=True)]
    return Provenance([*written, *links], FetchPolicy(**policy), known=known)


def read(known, markdown, *, asked=PAGE, final=PAGE, shown=None):
    """A page was read, and the model was shown all of it, or just so much."""
    known.learn(asked, final, set(canonical_forms(find_links(markdown))))
    known.show(markdown if shown is None else shown)


def knows(known, url):
    """Whether a URL stands in the context, though other rules may refuse it."""
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
    """Links that were found before are known as they are."""
    known = provenance("see this", links=("https://a.example/x", "https://b.example/の料金"))
    assert knows(known, "https://a.example/x")
    assert not knows(known, "https://b.example/")
    assert knows(known, "https://b.example/の料金")


def test_a_label_is_not_known():
    assert not knows(provenance("[https://good.example/](https://evil.example/)"), "https://good.example/")


def test_a_page_that_was_read_adds_its_links_and_its_final_url():
    known = provenance("https://short.example/")
    read(known, "[next](https://page.example/2) and https://other.example/")
    for url in ("https://page.example/", "https://page.example/2", "https://other.example/"):
        assert known.admit(url) == canonicalise(url)


def test_only_links_that_the_model_was_shown_are_known():
    """What stands further down the page is not, before a passage with it is shown."""
    known = provenance("https://page.example/")
    page = "[a](https://page.example/a)\n\n[b](https://page.example/b)"
    read(known, page, shown="[a](https://page.example/a)")
    assert knows(known, "https://page.example/a")
    assert not knows(known, "https://page.example/b")
    known.show("[b](https://page.example/b)")
    assert knows(known, "https://page.example/b")


def test_what_is_shown_but_stands_on_no_page_is_not_known():
    """A passage that ends inside a link shows the beginning of a URL that was never written."""
    known = provenance("https://page.example/")
    read(known, "[a](https://page.example/articles/1)", shown="[a](https://page.example/art")
    assert not knows(known, "https://page.example/art")


def test_not_more_links_are_learned_than_ten_bits_choose_among():
    known = provenance("https://page.example/", max_fetches=9)
    read(known, "\n".join(f"https://page.example/{number}" for number in range(MOST_SHOWN + 1)))
    assert knows(known, f"https://page.example/{MOST_SHOWN - 1}")
    assert not knows(known, f"https://page.example/{MOST_SHOWN}")


def test_a_link_may_carry_all_kinds():
    """A follow-up to an article whose address is its title is a link like any other."""
    known = provenance("来期の予算は三億円で、四月一日に社外へ発表する予定です")
    link = "https://page.example/来期の予算は三億円で、四月一日に社外へ発表する予定です"
    read(known, f"[記事](<{link}>)")
    assert known.admit(link)


def test_the_threads_record_is_known():
    known = provenance("続けて", known=("https://read.example/", "no url", "http://old.example/x"))
    assert knows(known, "https://read.example/")
    assert knows(known, "https://old.example/x")
    assert not knows(known, "https://read.example/?q=x")


def test_the_record_is_what_was_read_and_what_an_answer_named_of_the_pages_links():
    """A URL of the answer's own making is not in it, however it is written."""
    known = provenance("https://page.example/", known=("https://before.example/",))
    read(known, "[a](https://page.example/a) [b](https://page.example/b?x=1&region=jp)")
    answer = (
        "2番目は `https://page.example/b?x=1&region=jp` です。https://evil.example/c/736563726574 "
        "[x](https://page.example/b?x=1&region=jp/736563)"
    )
    assert known.record(answer) == (
        "https://page.example/",
        "https://page.example/b?x=1&region=jp",
        "https://before.example/",
    )


def test_the_record_has_its_bounds():
    """What was read last comes first; too many and too long URLs are left out."""
    before = tuple(f"https://before.example/{number}" for number in range(MOST_KNOWN))
    known = provenance("https://page.example/", known=before)
    read(known, "")
    assert known.record("") == ("https://page.example/", *before[:-1])
    long = tuple(f"https://before.example/{number}{'x' * 1900}" for number in range(MOST_KNOWN))
    assert sum(map(len, provenance("", known=long).record(""))) <= MOST_KNOWN_CHARS


def test_three_fetches_a_question_go_to_hosts_that_no_person_named():
    """Where a page sends the model; the hosts of people's links are free, with or without `www.`."""
    known = provenance("https://page.example/")
    links = [f"https://{name}.example/{name}" for name in "abcd"]
    read(known, " ".join([*links, "https://www.page.example/1", "https://page.example/2"]))
    for link in links[:3]:
        assert known.admit(link)
    assert refusal(known, links[3]) is AgentCode.UNNAMED_HOST_LIMIT
    assert refusal(known, links[0]) is AgentCode.UNNAMED_HOST_LIMIT
    assert known.admit("https://www.page.example/1")
    assert known.admit("https://page.example/2")


def test_a_host_that_a_persons_link_leads_to_is_named():
    """A person posts a short link; a short link of a page names no host."""
    known = provenance("https://short.example/x", max_unnamed_fetches=0)
    read(
        known,
        "https://site.example/2",
        asked=canonicalise("https://short.example/x"),
        final=canonicalise("https://site.example/1"),
    )
    assert known.admit("https://site.example/2")
    read(
        known,
        "https://far.example/2",
        asked=canonicalise("https://site.example/2"),
        final=canonicalise("https://far.example/1"),
    )
    assert refusal(known, "https://far.example/2") is AgentCode.UNNAMED_HOST_LIMIT


def test_hosts_that_redirects_lead_to_count_once_a_fetch():
    """Only where a page chose the link: a person's own link may lead anywhere."""
    known = provenance("https://short.example/x", max_unnamed_fetches=1)
    far, further = canonicalise("https://far.example/"), canonicalise("https://further.example/")
    read(known, "https://short.example/2")
    own = known.permission(known.admit("https://short.example/x"))
    for _ in range(3):
        own(far)
    linked = known.permission(known.admit("https://short.example/2"))
    linked(far)
    linked(further)
    with pytest.raises(ToolRefused, match="no person named"):
        known.permission(known.admit("https://short.example/2"))(further)


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
    """A page that is open already needs no admission; every other page does."""
    known = provenance("https://a.example/1", max_fetches=2)
    known.admit("https://a.example/1")
    known.admit("https://a.example/1#again")
    assert refusal(known, "https://a.example/1") is AgentCode.FETCH_LIMIT


def test_checks_come_in_order():
    """Of several reasons the first one is named: length, domain, origin, number, host."""
    long, blocked = "https://blocked.example/" + "x" * 200, "https://blocked.example/"
    policy = {"max_url_chars": 200, "blocked_domains": ("blocked.example",), "max_unnamed_fetches": 0}
    known = provenance(max_fetches=0, **policy)
    read(known, "https://a.example/")
    assert refusal(known, long) is AgentCode.URL_TOO_LONG
    assert refusal(known, blocked) is AgentCode.DOMAIN_BLOCKED
    assert refusal(known, "https://unknown.example/") is AgentCode.URL_NOT_IN_CONTEXT
    assert refusal(known, "https://a.example/") is AgentCode.FETCH_LIMIT
    known = provenance(max_fetches=1, **policy)
    read(known, "https://a.example/")
    assert refusal(known, "https://a.example/") is AgentCode.UNNAMED_HOST_LIMIT


URLS = st.builds(
    "{}://{}.example{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from("ab"),
    st.sampled_from(["", "/", "/x", "/x?", "/x?y", ":80/", ":443/x", "/東京", "/x#f"]),
)


@given(written=st.lists(URLS), linked=st.lists(URLS), asked=URLS)
def test_never_admits_what_is_not_known(written, linked, asked):
    """Just what stands somewhere is admitted, up to its canonical form and an https for an http."""
    known = Provenance(written, FetchPolicy())
    read(known, " ".join(f"<{url}>" for url in linked))
    stand = {str(canonicalise(url)) for url in (*written, *linked)}
    upgraded = {url.replace("http://", "https://") for url in stand}
    if str(canonicalise(asked)) in stand | upgraded:
        assert known.admit(asked) == canonicalise(asked)
    else:
        assert not knows(known, asked)
        assert refusal(known, asked) is AgentCode.URL_NOT_IN_CONTEXT
