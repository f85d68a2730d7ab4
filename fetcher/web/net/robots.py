"""robots.txt: text to rules, and what the rules say of a path (SRD §3.3.2, RFC 9309).

Groups are never merged (SRD FR-WF-ROBOTS-UA-01): one group answers for a token. Its rules are kept with
the longest pattern first, and `Allow` before `Disallow` of the same length, so that the first rule that
matches decides. A pattern is the list of texts between its `*`, found one after the other from the left:
no regular expression, so no pattern can be slow.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

DEFAULT_TOKEN = "forge-webfetch"  # noqa: S105 - a product's name, no secret


class RobotsRule(NamedTuple):
    """Rules sort by precedence: the longer pattern wins, then `Allow` (SRD FR-WF-ROBOTS-RULE-01)."""

    length: int
    allow: bool
    pattern: str
    """In normal form, with its `*` and final `$`."""

    def matches(self, target: str) -> bool:
        first, *others = self.pattern.removesuffix("$").split("*")
        if not target.startswith(first):
            return False
        if not self.pattern.endswith("$"):
            return _end_of(others, target, len(first)) is not None
        if not others:
            return target == first
        last = others.pop()
        position = _end_of(others, target, len(first))
        return position is not None and target.endswith(last) and position <= len(target) - len(last)


def _end_of(texts: list[str], target: str, position: int) -> int | None:
    """Where the last of the texts ends when each is taken at its first place after the one before."""
    for text in texts:
        found = target.find(text, position)
        if found < 0:
            return None
        position = found + len(text)
    return position


class RobotsGroup(NamedTuple):
    agents: tuple[str, ...]
    """The values of its `User-agent` lines, in lower case."""
    rules: tuple[RobotsRule, ...]

    def specificity(self, token: str) -> int:
        """The length of the longest `User-agent` value with the token in it, or 0."""
        return max((len(agent) for agent in self.agents if token in agent), default=0)

    def allows(self, target: str) -> bool:
        return next((rule.allow for rule in self.rules if rule.matches(target)), True)


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """A parsed robots.txt."""

    groups: tuple[RobotsGroup, ...]
    length: int
    """The file's characters: what matching takes is in proportion to them."""

    def allows(self, token: str, target: str) -> bool:
        """Whether a crawler called `token` may fetch a path with its `?query`."""
        group = self._group_for(token.lower())
        # RFC 9309 §2.2.2: /robots.txt itself is always allowed.
        return group is None or target == "/robots.txt" or group.allows(_normal_target(target))

    def _group_for(self, token: str) -> RobotsGroup | None:
        # `max` keeps the first of equals: file order breaks ties (SRD FR-WF-ROBOTS-UA-01).
        best = max(self.groups, key=lambda group: group.specificity(token), default=None)
        if best is not None and best.specificity(token):
            return best
        return next((group for group in self.groups if "*" in group.agents), None)


ALLOW_ALL = RobotsRules((), 0)


def user_agent_token(user_agent: str) -> str:
    """The token that a User-Agent header stands for (SRD FR-WF-ROBOTS-UA-TOKEN-01)."""
    product = user_agent.partition("/")[0]
    return re.sub(r"[^A-Za-z0-9_-]", "", product) or DEFAULT_TOKEN


def parse(text: str | bytes) -> RobotsRules:
    """Reads a robots.txt line by line; what is no directive is passed over (SRD FR-WF-09b).

    A file that is not UTF-8 allows everything.
    """
    if isinstance(text, bytes):
        try:
            text = text.decode()
        except UnicodeDecodeError:
            return ALLOW_ALL
    return RobotsRules(tuple(_groups(text.removeprefix("\ufeff"))), len(text))


_DIRECTIVE = re.compile(r"^[ \t]*(user-agent|allow|disallow)[ \t]*:([^\n#]*)", re.IGNORECASE | re.MULTILINE)


def _groups(text: str) -> Iterator[RobotsGroup]:
    agents: list[str] = []
    rules: set[tuple[str, str]] | None = None
    for name, value in _DIRECTIVE.findall(text.replace("\r", "\n")):
        field = name.lower()
        if field != "user-agent":
            rules = set() if rules is None else rules
            rules.add((field, value.strip()))
            continue
        if rules is not None:
            yield _group(agents, rules)
            agents, rules = [], None
        agents.append(value.strip().lower())
    yield _group(agents, rules or set())


def _group(agents: list[str], rules: set[tuple[str, str]]) -> RobotsGroup:
    # An empty pattern matches nothing.
    ordered = sorted((_rule(field == "allow", value) for field, value in rules if value), reverse=True)
    return RobotsGroup(tuple(agents), tuple(ordered))


def _rule(allow: bool, pattern: str) -> RobotsRule:
    """A `$` is an anchor only at the end, and otherwise the character itself."""
    body = pattern.removesuffix("$")
    anchor = pattern[len(body) :]
    normal = _normal(body).replace("$", "%24") + anchor
    return RobotsRule(len(pattern), allow, normal)  # SRD FR-WF-ROBOTS-RULE-01: as it is written


_TO_NORMALISE = re.compile(r"(?:%[0-9A-Fa-f]{2})+|[^A-Za-z0-9._~!$&()*+,;=:@/?#%\[\]-]+")


def _normal(text: str) -> str:
    """The one percent-encoding in which patterns and targets are compared (RFC 9309 §2.2.2)."""
    return _TO_NORMALISE.sub(_encode_all_but_unreserved, text)


def _encode_all_but_unreserved(found: re.Match[str]) -> str:
    return quote(unquote_to_bytes(found[0].encode("utf-8", "replace")), safe="")


def _normal_target(target: str) -> str:
    """RFC 9309 §2.2.3: `*` and `$` of a URL are matched by `%2A` and `%24` of a pattern."""
    return _normal(target).replace("*", "%2A").replace("$", "%24")
