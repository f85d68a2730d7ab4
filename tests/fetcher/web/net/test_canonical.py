"""The canonical form of SRD Appendix A, and every way in which a text is no URL of ours."""

import json
from ipaddress import IPv4Address, IPv6Address
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fetcher.web.errors import InvalidHost, InvalidScheme, InvalidUrl, UrlRejected
from fetcher.web.net.canonical import MAX_SHOWN_CHARS, MAX_URL_CHARS, canonicalise, resolve

BASE = canonicalise("https://example.com:8443/dir/page?q=1")


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("HTTPS://Example.COM/Page#section", "https://example.com/Page"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/a/../b", "https://example.com/b"),
        ("http://EXAMPLE.com:8080/", "http://example.com:8080/"),
        ("https://example.com/path?b=2&a=1", "https://example.com/path?b=2&a=1"),
    ],
)
def test_t_wf_det_02_examples_of_the_appendix(text, canonical):
    """T-WF-DET-02: the examples of Appendix A.3 have the canonical forms given there."""
    assert str(canonicalise(text)) == canonical


@pytest.mark.parametrize(
    ("host", "ascii_host"),
    [
        ("münchen.example", "xn--mnchen-3ya.example"),
        ("mu\u0308nchen.example", "xn--mnchen-3ya.example"),
        ("münich.example", "xn--mnich-kva.example"),
        ("日本語.jp", "xn--wgv71a119e.jp"),
        ("例え.jp", "xn--r8jz45g.jp"),
        ("日本語。ｊｐ", "xn--wgv71a119e.jp"),
        ("EXAMPLE.COM", "example.com"),
        ("ｅｘａｍｐｌｅ.com", "example.com"),
        ("faß.example", "xn--fa-hia.example"),
        ("example.com.", "example.com."),
        ("ex%61mple.com", "example.com"),
    ],
)
def test_hosts_become_ascii(host, ascii_host):
    """Host names take the ASCII form of the URL Standard (FR-WF-NORM-07), without transitional mappings."""
    url = canonicalise(f"https://{host}/")
    assert (url.host, url.address) == (ascii_host, None)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("http://a", "/"),
        ("http://a?x", "/?x"),
        ("http://a/?", "/?"),
        ("http://a/?#f", "/?"),
        ("http://a/#?f", "/"),
        ("http://a/x/", "/x/"),
        ("http://a//x", "//x"),
        ("http://a/./x/%2e%2E/y", "/y"),
        ("http://a/%2e%2e%2fetc", "/..%2Fetc"),
        ("http://a/%252e%252e/x", "/%252e%252e/x"),
        ("http://a/%7euser/%41%2d%5F", "/~user/A-_"),
        ("http://a/x%2fy%3f%23", "/x%2Fy%3F%23"),
        ("http://a/%e6%97%a5", "/%E6%97%A5"),
        ("http://a/日?日", "/%E6%97%A5?%E6%97%A5"),
        ("http://a/x y", "/x%20y"),
        ("http://a/100%", "/100%"),
        ("http://a/%zz", "/%zz"),
        ("http://a/?z=%7e&y=%26&a=%2b+&a=", "/?z=~&y=%26&a=%2B+&a="),
        ("http://a/@user", "/@user"),
        ("http://a/b\\c", "/b/c"),
    ],
)
def test_path_and_query(text, target):
    """Paths are resolved, only unreserved characters are decoded, and queries keep their order."""
    assert canonicalise(text).target == target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("http://a/%%341", "/%%341"),
        ("http://a/%4%31", "/%4%31"),
        ("http://a/%a%62c", "/%a%62c"),
        ("http://a/%%2f", "/%%2F"),
        ("http://a/%2%30%30", "/%2%300"),
    ],
)
def test_decoding_makes_no_new_escape(text, target):
    """A character is left encoded where, decoded, it would complete an escape that was never written."""
    assert canonicalise(text).target == target


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("http://a/", 80),
        ("https://a/", 443),
        ("http://a:443/", 443),
        ("http://a:/", 80),
        ("http://a:0080/", 80),
    ],
)
def test_port_is_always_known(text, port):
    """FR-WF-05f: a port that is not written is the scheme's own."""
    assert canonicalise(text).port == port


@pytest.mark.parametrize(
    ("text", "host", "address"),
    [
        ("http://192.0.2.1/", "192.0.2.1", IPv4Address("192.0.2.1")),
        ("http://0.0.0.0/", "0.0.0.0", IPv4Address("0.0.0.0")),
        ("http://[2001:DB8::0:1]:8080/", "[2001:db8::1]", IPv6Address("2001:db8::1")),
        ("http://[::ffff:10.0.0.1]/", "[::ffff:a00:1]", IPv6Address("::ffff:10.0.0.1")),
    ],
)
def test_literals_carry_their_address(text, host, address):
    """A host that is an address, plainly written, is known as one."""
    url = canonicalise(text)
    assert (url.host, url.address) == (host, address)


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("ftp://example.com/", "ftp"),
        ("file:///etc/passwd", "file"),
        ("javascript:alert(1)", "javascript"),
        ("data:text/html,x", "data"),
        ("ws://example.com/", "ws"),
        ("ftp://user:secret@example.com/", "ftp"),
        ("gopher://127.0.0.1:70/_x", "gopher"),
        ("localhost:8080", "localhost"),
        ("view-source:http://example.com/", "view-source"),
    ],
)
def test_t_wf_ssrf_01_rejects_other_schemes(text, scheme):
    """T-WF-SSRF-01: whatever is neither http nor https is `invalid_scheme`, before anything else is said."""
    with pytest.raises(InvalidScheme) as refused:
        canonicalise(text)
    assert refused.value.details == {"scheme": scheme}


@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "017700000001",
        "0x7f.1",
        "127.1",
        "1.1.1",
        "0",
        "0x",
        "0X7F.1",
        "4294967296",
        "256.1.1.1",
        "1.2.3.4.5",
        "1.2.3.256",
        "foo.0x4",
        "foo.09",
    ],
)
def test_t_wf_ssrf_06_rejects_numeric_hosts(host):
    """T-WF-SSRF-06: octal, hex, integer, short and overflowing forms of an address are `invalid_host`."""
    with pytest.raises(InvalidHost) as refused:
        canonicalise(f"http://{host}/")
    assert refused.value.details == {"host": host}


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1.",
        "①②⑦.0.0.1",
        "１２７.0.0.1",
        "127。0。0。1",
        "127．0．0．1",
        "%31%32%37.0.0.1",
        "127%2e0.0.1",
        "0x7f.0x0.0x0.0x1",
        "8\u00ad.8.8.8",
    ],
)
def test_t_wf_ssrf_14_compares_the_host_as_written(host):
    """T-WF-SSRF-14: a host that only the parser turns into an address is `invalid_host`, named as written."""
    with pytest.raises(InvalidHost) as refused:
        canonicalise(f"http://{host}:8080/x")
    assert refused.value.details["host"] == host.replace("\u00ad", "\ufffd")


@pytest.mark.parametrize("host", ["127.0.0.01", "010.0.0.1", "192.168.00.1", "1.1.1.001", "00.0.0.0"])
def test_t_wf_ssrf_16_rejects_leading_zeros(host):
    """T-WF-SSRF-16: an octet with a leading zero is `invalid_host`."""
    with pytest.raises(InvalidHost):
        canonicalise(f"http://{host}/")


@pytest.mark.parametrize(
    "text",
    [
        "https://user:secret@example.com/",
        "https://user@example.com/",
        "https://:secret@example.com/",
        "https://@example.com/",
        "https://:@example.com/",
        "https://user:secret@2130706433/",
        "https://user:secret@[fe80::1%25lo0]/",
        "https://user:sec@ret@example.com/",
        "https://user:sec\\ret@example.com/",
        "https://user:a\nsecret@example.com/",
        "https://user:se/cret@example.com/",
        "https://user:secret@256.1.1.1/",
        "http://good.example\\@evil.example/",
    ],
)
def test_t_wf_ssrf_15_rejects_userinfo(text):
    """T-WF-SSRF-15: a user name or password, even an empty one, is `invalid_url` and is not repeated."""
    with pytest.raises(InvalidUrl) as refused:
        canonicalise(text)
    told = json.dumps(refused.value.envelope())
    assert "cret" not in told
    assert "user:" not in told


@pytest.mark.parametrize("zone", ["%25lo0", "%lo0", "%25", "%"])
def test_zone_identifiers_are_refused(zone):
    """FR-WF-IPV6-ZONE-01: an IPv6 literal with a zone is `invalid_url`."""
    with pytest.raises(InvalidUrl, match="zone"):
        canonicalise(f"http://[fe80::1{zone}]/")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "example",
        "example.com/x",
        "//example.com/x",
        "http:",
        "http://",
        "http:///example.com",
        "http:/example.com",
        "http:example.com",
        "http:\\\\127.1\\x",
        "http:/\\example.com",
        "http://example.com\\x",
        "http://\\example.com",
        "http://exam\tple.com/",
        "http://example.com/a\nb",
        "ht\ntp://example.com/",
        "http://example.com/\r",
        "\x00http://example.com/",
        "http://example.com/\x1f",
        "http://example.com/\x7f",
        "\u3000http://example.com/",
        "httpſ://example.com/",
        "ｈttp://example.com/",
        "http：//example.com/",
        "http://exa mple.com/",
        "http://a：80/",
        "http://good.example＠evil.example/",
        "http://good.example／.evil.example/",
        "http://example.com%2F@x",
        "http://a%00b/",
        "http://example.com:99999/",
        "http://1.1.1.1:99999/",
        "http://example.com:x/",
        "http://a:80:80/",
        "http://:80/",
        "http://[::1/",
        "http://::1/",
        "http://[::1]x/",
        "http://[::256.0.0.1]/",
        "http://[v1.x]/",
        "http://example.com/\ud800",
        "ftp://256.1.1.1/",
        "http://a/" + "x" * MAX_URL_CHARS,
        "http://a/" + "\u65e5" * (MAX_URL_CHARS // 9),
    ],
)
def test_what_is_not_plainly_a_url_is_refused(text):
    """A text that does not stand as `http://host…` to a reader and a parser alike is `invalid_url`."""
    with pytest.raises(InvalidUrl):
        canonicalise(text)


def test_surrounding_spaces_are_harmless():
    """Plain spaces around a URL are dropped."""
    assert str(canonicalise("  https://example.com/ ")) == "https://example.com/"


def test_longest_url():
    """A URL of just the permitted length passes."""
    text = "http://a/".ljust(MAX_URL_CHARS, "x")
    assert str(canonicalise(text)) == text


@pytest.mark.parametrize(
    "text", ["http://\u202eexample.com:x/" + "y" * 500, "http://a\n\u2028b/", "http://a:x/\ud800"]
)
def test_refused_text_is_fit_for_a_log_line(text):
    """What an error repeats of a URL is short, printable and encodable."""
    with pytest.raises(InvalidUrl) as refused:
        canonicalise(text)
    shown = refused.value.details["url"]
    assert len(shown) <= MAX_SHOWN_CHARS
    assert shown.isprintable()
    assert shown.encode()


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("https://other.example/x#f", "https://other.example/x"),
        ("http://example.com/", "http://example.com/"),
        ("//other.example/x", "https://other.example/x"),
        ("/x", "https://example.com:8443/x"),
        ("x", "https://example.com:8443/dir/x"),
        ("../x", "https://example.com:8443/x"),
        ("?q=2", "https://example.com:8443/dir/page?q=2"),
        ("#f", "https://example.com:8443/dir/page?q=1"),
        ("/日本", "https://example.com:8443/%E6%97%A5%E6%9C%AC"),
        ("/a:b@c", "https://example.com:8443/a:b@c"),
        ("ſ:x", "https://example.com:8443/dir/%C5%BF:x"),
        (" /x ", "https://example.com:8443/x"),
    ],
)
def test_redirects_resolve_against_the_current_url(location, target):
    """FR-WF-07b: a Location, absolute or relative, becomes a canonical URL."""
    assert str(resolve(BASE, location)) == target


@pytest.mark.parametrize(
    ("location", "error"),
    [
        (None, InvalidUrl),
        ("", InvalidUrl),
        ("  ", InvalidUrl),
        ("/\\evil.example/x", InvalidUrl),
        ("\\\\evil.example\\x", InvalidUrl),
        ("///evil.example/x", InvalidUrl),
        ("/\t/evil.example/x", InvalidUrl),
        ("https:evil.example", InvalidUrl),
        ("https:/x", InvalidUrl),
        ("//user@evil.example/", InvalidUrl),
        ("//[fe80::1%25lo0]/", InvalidUrl),
        ("/x\r\nSet-Cookie: a=b", InvalidUrl),
        ("/\ud800", InvalidUrl),
        ("/" + "x" * MAX_URL_CHARS, InvalidUrl),
        ("//2130706433/", InvalidHost),
        ("http://0x7f.1/", InvalidHost),
        ("ftp://example.com/", InvalidScheme),
        ("javascript:alert(1)", InvalidScheme),
    ],
)
def test_redirects_are_refused_as_urls_are(location, error):
    """FR-WF-07e: a Location meets every check that a URL meets, and cannot change the host unnoticed."""
    with pytest.raises(error):
        resolve(BASE, location)


fragments = st.sampled_from(
    [
        "%",
        "%4",
        "%41",
        "%2e",
        "%2F",
        "%25",
        "/",
        ".",
        "..",
        "//",
        "?",
        "#",
        "&",
        "=",
        "a",
        "1",
        "é",
        "日",
        " ",
        "\\",
        ":",
        "@",
    ]
)
tails = st.lists(fragments, max_size=12).map("".join)
hosts = st.sampled_from(
    ["example.com", "EXAMPLE.com.", "日本.jp", "1.2.3.4", "[::1]", "a:80", "a:443", "a_b"]
)


@given(scheme=st.sampled_from(["http", "https", "HTTP"]), host=hosts, tail=tails | st.text(max_size=12))
@example(scheme="http", host="a", tail="/%%341")
@example(scheme="http", host="a", tail="/?%2%35")
def test_t_wf_det_02_canonical_form_is_a_fixed_point(scheme, host, tail):
    """T-WF-DET-02: the canonical form of a canonical URL is itself."""
    try:
        url = canonicalise(f"{scheme}://{host}/{tail}")
    except UrlRejected:
        return
    assert canonicalise(str(url)) == url
    assert resolve(url, str(url)) == url


@given(text=st.text(max_size=40) | tails.map("http://".__add__))
def test_every_text_is_a_url_or_is_refused(text):
    """No text makes the parser fail in a way of its own, and every refusal can be told."""
    try:
        told = str(canonicalise(text))
    except UrlRejected as refused:
        told = json.dumps(refused.envelope(), ensure_ascii=False)
    assert told.encode()


authorities = st.text(alphabet="aZ0189xX.-_:@[]\\/?#!$&'()*+,;=~ \t", max_size=16)


@given(text=authorities.map("http://".__add__))
@example(text="http://1.2.3.4:80")
def test_an_ascii_host_is_fetched_as_written(text):
    """Of a host in ASCII, without escapes, the parser changes nothing but the case."""
    try:
        url = canonicalise(text)
    except UrlRejected:
        return
    if not isinstance(url.address, IPv6Address):
        assert text.lower().startswith(f"http://{url.host}")


@given(location=st.text(max_size=20) | tails)
def test_every_location_is_a_url_or_is_refused(location):
    """No Location makes resolving fail in a way of its own, and what it resolves to is canonical."""
    try:
        target = resolve(BASE, location)
    except UrlRejected:
        return
    assert canonicalise(str(target)) == target


MANY_CHARACTERS = "".join(map(chr, range(0x4E00, 0x4E00 + 5400)))
LONG_HOSTS = {
    "different characters": f"http://{MANY_CHARACTERS}/",
    "another scheme": f"ftp://{MANY_CHARACTERS}/",
    "without slashes": f"wss:{MANY_CHARACTERS}",
    "backslashes": f"http:\\\\{MANY_CHARACTERS}\\",
    "of the same scheme": f"//{MANY_CHARACTERS}",
    "after credentials": f"http://a:b@{MANY_CHARACTERS}",
    "before an escaped sign": f"http://{MANY_CHARACTERS}%40a/",
    "marks on one letter": "http://a" + "".join(chr(0x300 + at % 60) for at in range(8000)),
}


@pytest.mark.parametrize("text", LONG_HOSTS.values(), ids=LONG_HOSTS)
def test_a_host_that_no_name_can_be_is_not_encoded(text, monkeypatch):
    """The parser's time for it is quadratic, and a page may name thousands of them."""
    parser = Mock()
    monkeypatch.setattr("fetcher.web.net.canonical.ada_url.URL", parser)
    with pytest.raises(UrlRejected):
        canonicalise(text)
    with pytest.raises(UrlRejected):
        resolve(BASE, text)
    assert not parser.called


def test_the_longest_names_that_there_are_have_hosts():
    name = ".".join(["a" * 63] * 3 + ["a" * 61])
    assert canonicalise(f"http://{name}./").host == f"{name}."
    japanese = ".".join(["\u65e5\u672c\u8a9e" * 8] * 4)
    escaped = "".join(f"%{byte:02X}" for byte in japanese.encode())
    assert canonicalise(f"http://{escaped}/").host == canonicalise(f"http://{japanese}/").host


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:secret@host/", "http://[redacted]@host/"),
        ("http://us@er:sec@ret@host/", "http://[redacted]@host/"),
        ("secret:token@host", "[redacted]@host"),
        ("secret@host:80/", "[redacted]@host:80/"),
        ("http:\\\\user:secret@host", "http:\\\\[redacted]@host"),
        ("http:////user:sec/ret@host/", "http:////[redacted]@host/"),
    ],
)
def test_errors_show_a_url_without_its_credentials(text, shown):
    with pytest.raises(InvalidUrl) as refused:
        canonicalise(text + "\t")
    assert refused.value.details["url"] == shown + "\ufffd"
