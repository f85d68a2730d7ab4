"""The report: a line for each finding, which can be attached to a bug since it holds no secret."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from slackapp.doctor.findings import Finding, Verdict

HIDDEN = "•••"
SECRET_NAME = re.compile(r"TOKEN|SECRET|PASSWORD|KEY|_PROXY$", re.IGNORECASE)
"""Variables whose values are hidden, ours and others'."""
SHORTEST = 6
"""Shorter values would hide half of the report."""
TOKEN = re.compile(r"\b(?:xox[a-z]-|xapp-|sk-ant-|AKIA|ASIA)[A-Za-z0-9-]+")


def lines(finding: Finding, hidden: "Redaction") -> list[str]:
    """A finding for the terminal."""
    advice = [f"    → {hidden.of(finding.advice)}"] if finding.advice else []
    return [f"{finding.verdict} {hidden.of(finding.said)}", *advice]


def last_line(findings: Iterable[Finding]) -> str:
    verdicts = [finding.verdict for finding in findings]
    bad, hints = verdicts.count(Verdict.BAD), verdicts.count(Verdict.HINT)
    if not bad:
        return "Nothing is wrong." + (f" {hints} hints." if hints > 1 else " 1 hint." if hints else "")
    return f"{bad} of {len(verdicts)} checks failed; → says what to do."


class Redaction:
    """Hides secrets of the environment, what looks like one, and the path of the home directory."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        secrets: set[str] = set()
        for value in (value for name, value in environ.items() if SECRET_NAME.search(name)):
            if "://" not in value:  # as a whole, and between commas
                secrets |= {value.strip(), *(part.strip() for part in value.split(","))}
                continue
            try:  # of a proxy's address only user and password
                address = urlsplit(value)
                parts = [part for part in (address.password, address.username) if part]
                secrets |= {*parts, *map(unquote, parts)}
            except ValueError:
                secrets.add(value)
        self._secrets = sorted(filter(lambda each: len(each) >= SHORTEST, secrets), key=len, reverse=True)
        self._home = str(Path.home()) if "HOME" in os.environ else ""

    def of(self, text: str) -> str:
        """The text without them, as one line."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        text = TOKEN.sub(HIDDEN, text)
        if len(self._home) > 1:
            text = text.replace(self._home, "~")
        return " ".join(text.split())
