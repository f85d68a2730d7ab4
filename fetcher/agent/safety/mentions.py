"""Takes Slack's mentions out of text.

The names stay readable, and notify no one. Slack finds its marks in code too, and a backslash does not
stop it.
"""

import re

_EVERYONE = re.compile(
    r"(?<![@＠])[@＠]++(?=(?:channel|here|everyone)(?![a-z0-9_]))"
    r"(?!(?<=[a-z0-9]@)[a-z]+\.[a-z])",  # name@here.example
    re.ASCII | re.IGNORECASE,
)
_MENTION = re.compile(r"\\?<\\*[!@#](?P<name>[^<>|`\n]*+)(?:\|(?P<label>[^<>`\n]*+))?>")
_HALF_A_MENTION = re.compile(r"<(?=\\*[!@#])")


def without_mentions(text: str, *, trace: str = "") -> str:
    """The text without mentions; `trace` replaces the `@` of a mention of everyone."""
    # A mention becomes its label, else its name, else a space.
    named = _MENTION.sub(lambda found: (found["label"] or found["name"]).strip(" !@#\\") or " ", text)
    return _HALF_A_MENTION.sub("< ", _EVERYONE.sub(trace, named))


def mentions_everyone(text: str) -> bool:
    return _EVERYONE.search(text) is not None
