"""robots.txt: which group speaks to us, and what its rules say."""

import pytest

from fetcher.web.net.robots import ALLOW_ALL, parse, user_agent_token

TOKEN = "forge-webfetch"


def allowed(robots: str | bytes, target: str, token: str = TOKEN) -> bool:
    return parse(robots).allows(token, target)


def group(*rules: str) -> str:
    return "User-agent: *\n" + "\n".join(rules)


def test_t_wf_rob_01_disallows_a_path():
    """T-WF-ROB-01: a path under a Disallow rule is refused."""
    assert not allowed(group("Disallow: /private"), "/private/page")


def test_t_wf_rob_02_allows_what_no_rule_names():
    """T-WF-ROB-02: a path that no rule matches is allowed."""
    assert allowed(group("Disallow: /private"), "/public")


@pytest.mark.parametrize("rules", [("Allow: /p", "Disallow: /p"), ("Disallow: /p", "Allow: /p")])
def test_t_wf_rob_03_allow_wins_a_tie(rules):
    """T-WF-ROB-03: Allow beats a Disallow of the same length, in either order."""
    assert allowed(group(*rules), "/p")


@pytest.mark.parametrize(
    ("target", "verdict"),
    [("/a/b/c", True), ("/a/b", True), ("/a/bc", True), ("/a/x", False), ("/a", False), ("/b", True)],
)
def test_t_wf_rob_04_the_longest_match_wins(target, verdict):
    """T-WF-ROB-04: the longest matching pattern decides."""
    assert allowed(group("Disallow: /a", "Allow: /a/b"), target) is verdict


def test_wildcards_count_for_length():
    """FR-WF-ROBOTS-RULE-01: `/private/*` has 10 characters, and every one counts."""
    assert allowed(group("Disallow: /private/*", "Allow: /private/public/"), "/private/public/x")
    assert not allowed(group("Disallow: /private/*", "Allow: /private/"), "/private/x")
    assert not allowed(group("Disallow: /page$", "Allow: /page"), "/page")


def test_t_wf_rob_05_falls_back_to_the_star_group():
    """T-WF-ROB-05: without a group of our own the `*` group speaks; without that, nobody does."""
    assert not allowed("User-agent: other\nAllow: /\n\nUser-agent: *\nDisallow: /", "/x")
    assert allowed("User-agent: other\nDisallow: /", "/x")


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        ("/*.php", ["/index.php", "/a/b.php5?x"], ["/index.html", "/php"]),
        ("/*.php$", ["/index.php", "/a.php/b.php"], ["/index.php?x=1", "/index.phpx"]),
        ("/fish*", ["/fish", "/fishheads/y.html"], ["/Fish", "/catfish"]),
        ("/fish/$", ["/fish/"], ["/fish", "/fish/salmon"]),
        ("*", ["/", "/anything"], []),
        ("*/b*/c", ["/b/c", "/a/bb/x/c"], ["/c/b", "/b"]),
        ("/a*b*b$", ["/abb", "/ab-b"], ["/ab", "/abbc"]),
        ("/*$", ["/", "/x?y"], []),
        ("$", [], ["/", "/x"]),
        ("/a$b", ["/a$bc"], ["/a", "/ab"]),
        ("/*?session=", ["/p?session=1", "/?session="], ["/p?a=1", "/session="]),
        ("private", [], ["/private", "/a/private"]),
        ("/price-%24", ["/price-$"], ["/price-"]),
        ("/a-%2A.html", ["/a-*.html", "/a-%2a.html"], ["/a-x.html"]),
    ],
)
def test_t_wf_rob_10_wildcards_and_anchors(pattern, matching, other):
    """T-WF-ROB-10: `*` matches anything, a final `$` the end, and either can be escaped."""
    rules = group(f"Disallow: {pattern}")
    assert [target for target in matching if allowed(rules, target)] == []
    assert [target for target in other if not allowed(rules, target)] == []


@pytest.mark.parametrize(
    ("pattern", "target"),
    [
        ("/%7Ejoe", "/~joe"),
        ("/~joe", "/%7ejoe"),
        ("/a%3cd", "/a%3Cd"),
        ("/日本", "/%E6%97%A5%E6%9C%AC/x"),
        ("/%e6%97%a5", "/%E6%97%A5%E6%9C%AC"),
        ("/a b", "/a%20b"),
        ('/"q"', "/%22q%22"),
        ("/100%", "/100%"),
    ],
)
def test_percent_encoding_is_compared_in_normal_form(pattern, target):
    """FR-WF-08d: patterns and paths meet in one percent-encoding (RFC 9309 §2.2.2)."""
    assert not allowed(group(f"Disallow: {pattern}"), target)


def test_an_encoded_slash_is_not_a_slash():
    """Reserved characters stay as they are written."""
    assert allowed(group("Disallow: /a/b"), "/a%2Fb")


def test_t_wf_rob_11_groups_are_not_merged():
    """T-WF-ROB-11: of several groups for us the first speaks, and only it."""
    robots = "User-agent: forge-webfetch\nDisallow: /a\n\nUser-agent: Forge-WebFetch\nDisallow: /b\n"
    assert not allowed(robots, "/a")
    assert allowed(robots, "/b")
    stars = "User-agent: *\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n"
    assert not allowed(stars, "/a")
    assert allowed(stars, "/b")


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("forge-webfetch/1.0", "forge-webfetch"),
        ("My Bot_2/1.0 (+https://example.com/bot)", "MyBot_2"),
        ("NoVersion", "NoVersion"),
        ("/1.0", "forge-webfetch"),
        ("ボット/1.0", "forge-webfetch"),
        ("", "forge-webfetch"),
    ],
)
def test_t_wf_rob_14_token_is_the_product_of_the_user_agent(user_agent, token):
    """T-WF-ROB-14: without a configured token the product's name is taken."""
    assert user_agent_token(user_agent) == token


def test_t_wf_rob_15_longest_user_agent_value_wins():
    """T-WF-ROB-15: a group is as specific as the longest of its values that contain the token."""
    robots = (
        "User-agent: forge\nDisallow: /a\n\n"
        "User-agent: a-very-long-name-of-another\nUser-agent: forge-webfetch\nDisallow: /b\n"
    )
    assert allowed(robots, "/a", token="forge")
    assert not allowed(robots, "/b", token="forge")


def test_a_user_agent_value_must_contain_the_token():
    """FR-WF-08e: the token is looked for in the value, not the value in the token."""
    assert allowed("User-agent: forge\nDisallow: /", "/x")
    assert not allowed("User-agent: Mozilla (FORGE-WEBFETCH; x)\nDisallow: /", "/x")


@pytest.mark.parametrize(
    "robots",
    [
        "User-agent: a\nUser-agent: forge-webfetch\nDisallow: /",
        "User-agent: forge-webfetch\n\n# comment\nCrawl-delay: 5\nSitemap: https://e.com/s.xml\nDisallow: /",
        "User-agent: forge-webfetch\nCrawl-delay: 2\nUser-agent: b\nDisallow: /",
        "User-agent: forge-webfetch\nnonsense\n:::\nDisallow: / # all of it",
        "  USER-AGENT\t:  forge-webfetch  \r\n  dIsAlLoW  :  /  \r\n",
        "User-agent: forge-webfetch\rDisallow: /\r",
        "\ufeffUser-agent: forge-webfetch\nDisallow: /",
        b"\xef\xbb\xbfUser-agent: forge-webfetch\nDisallow: /",
        "Allow: /\nUser-agent: forge-webfetch\nDisallow: /",
    ],
)
def test_reads_a_group_line_by_line(robots):
    """FR-WF-09b: what is no directive neither ends a group nor spoils it."""
    assert not allowed(robots, "/x")


@pytest.mark.parametrize(
    "robots",
    [
        "",
        b"",
        b"\xff\xfeU\x00s\x00",
        b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /",
        "Disallow: /",
        "User-agent: *\nDisallow:",
        "User-agent: *",
        "<!DOCTYPE html><title>Not found</title>",
        "User-agent: forge-webfetch\nDisallow:\nUser-agent: *\nDisallow: /",
    ],
)
def test_allows_everything_where_nothing_is_said(robots):
    """FR-WF-09b: an empty, undecodable or ruleless file forbids nothing."""
    assert allowed(robots, "/x")


def test_a_whole_file_that_ends_in_half_a_character_is_no_utf_8():
    """SRD FR-WF-09b.3: what cannot be decoded allows everything."""
    assert allowed("User-agent: *\nDisallow: /private\nDisallow: /日本".encode()[:-1], "/private")


def test_robots_txt_itself_is_always_allowed():
    """RFC 9309 §2.2.2 allows the file itself."""
    assert allowed(group("Disallow: /"), "/robots.txt")
    assert not allowed(group("Disallow: /"), "/robots.txt?x")


def test_allow_all_allows_all():
    """FR-WF-09: the verdict for a missing file."""
    assert ALLOW_ALL.allows(TOKEN, "/")


@pytest.mark.parametrize(
    "rules",
    [
        "Disallow: " + "*a" * 250_000 + "b",
        "\n".join("Disallow: " + "*a" * 500 + f"b{number}" for number in range(500)),
        "Disallow:/b\n" * 40_000,
        "\n".join(f"Disallow:/{number}" for number in range(25_000)),
        "Disallow: /" + "%7e" * 160_000,
        "x" * 500_000,
    ],
    ids=["one long pattern", "many stars", "one rule again and again", "many rules", "escapes", "no line"],
)
def test_no_file_is_too_much(rules):
    """NFR: half a megabyte of malice is parsed and asked."""
    assert allowed(group(rules), "/" + "a" * 2000)
