"""Parses a robots.txt into rules, and applies them to a path (SRD §3.3.2, RFC 9309).

Groups are never merged (SRD FR-WF-ROBOTS-UA-01): one group decides for a token. Its rules are sorted with the
longest pattern first, and `Allow` before `Disallow` of the same length, so that the first rule that matches
decides. A pattern is split at its `*`, and its texts are searched one after the other from the left. This is
no regular expression, so that no pattern can be slow.
"""

import re
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

DEFAULT_TOKEN = "forge-webfetch"  # noqa: S105 - a product's name, not a secret
_DIRECTIVE = re.compile(r"^[ \t]*(user-agent|allow|disallow)[ \t]*:([^\n#]*)", re.IGNORECASE | re.MULTILINE)


class RobotsRule(NamedTuple):
    """Rules sort by precedence: the longer pattern wins, then `Allow` (SRD FR-WF-ROBOTS-RULE-01)."""

    length: int
    allow: bool
    pattern: str
    """In normal form, with its `*` and final `$`."""

    def matches(self, target: str) -> bool:
        """Whether the rule's pattern matches a path with its query, both in normal form."""
        first, *others = self.pattern.removesuffix("$").split("*")
        anchored = self.pattern.endswith("$")
        if not others:
            return target == first if anchored else target.startswith(first)
        if not target.startswith(first):
            return False
        last = others.pop() if anchored else ""
        position = len(first)
        for text in others:  # each at its first place after the one before
            found = target.find(text, position)
            if found < 0:
                return False
            position = found + len(text)
        return target.endswith(last) and position <= len(target) - len(last)


class RobotsGroup(NamedTuple):
    agents: tuple[str, ...]
    """The values of its `User-agent` lines, in lower case."""
    rules: tuple[RobotsRule, ...]

    def specificity(self, token: str) -> int:
        """The length of the longest `User-agent` value with the token in it, or 0."""
        return max((len(agent) for agent in self.agents if token in agent), default=0)


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """A parsed robots.txt."""

    groups: tuple[RobotsGroup, ...]
    length: int
    """The file's characters; the time for matching is in proportion to them."""

    def allows(self, token: str, target: str) -> bool:
        """Whether a crawler called `token` may fetch a path with its `?query`."""
        token = token.lower()
        # `max` takes the first of equals: file order breaks ties (SRD FR-WF-ROBOTS-UA-01).
        group = max(self.groups, key=lambda group: group.specificity(token), default=None)
        if group is None or not group.specificity(token):
            group = next((group for group in self.groups if "*" in group.agents), None)
        if group is None or target == "/robots.txt":  # RFC 9309 §2.2.2: always allowed
            return True
        # RFC 9309 §2.2.3: `*` and `$` of a URL are matched by `%2A` and `%24` of a pattern.
        normal = _normal(target).replace("*", "%2A").replace("$", "%24")
        return next((rule.allow for rule in group.rules if rule.matches(normal)), True)


ALLOW_ALL = RobotsRules((), 0)


def user_agent_token(user_agent: str) -> str:
    """The token in a User-Agent header (SRD FR-WF-ROBOTS-UA-TOKEN-01)."""
    product = user_agent.partition("/")[0]
    return re.sub(r"[^A-Za-z0-9_-]", "", product) or DEFAULT_TOKEN


def parse(text: str | bytes) -> RobotsRules:
    """Parse a robots.txt line by line; lines that are not directives are ignored (SRD FR-WF-09b).

    A file that is not UTF-8 allows everything.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return ALLOW_ALL
    groups: list[RobotsGroup] = []
    agents: list[str] = []
    rules: set[tuple[str, str]] | None = None
    for name, value in _DIRECTIVE.findall(text.removeprefix("\ufeff").replace("\r", "\n")):
        field = name.lower()
        if field != "user-agent":
            rules = set() if rules is None else rules
            rules.add((field, value.strip()))
            continue
        if rules is not None:
            groups.append(_group(agents, rules))
            agents, rules = [], None
        agents.append(value.strip().lower())
    return RobotsRules((*groups, _group(agents, rules or set())), len(text))


def _group(agents: list[str], rules: set[tuple[str, str]]) -> RobotsGroup:
    ordered = []
    for field, pattern in rules:
        if pattern:  # an empty one matches nothing
            body = pattern.removesuffix("$")  # `$` is an anchor only at the end
            normal = _normal(body).replace("$", "%24") + pattern[len(body) :]
            # SRD FR-WF-ROBOTS-RULE-01: the length is that of the pattern as it is written.
            ordered.append(RobotsRule(len(pattern), field == "allow", normal))
    return RobotsGroup(tuple(agents), tuple(sorted(ordered, reverse=True)))


_TO_NORMALISE = re.compile(r"(?:%[0-9A-Fa-f]{2})+|[^A-Za-z0-9._~!$&()*+,;=:@/?#%\[\]-]+")


def _normal(text: str) -> str:
    """The one percent-encoding in which patterns and targets are compared (RFC 9309 §2.2.2)."""
    return _TO_NORMALISE.sub(
        lambda found: quote(unquote_to_bytes(found[0].encode("utf-8", "replace")), safe=""), text
    )
