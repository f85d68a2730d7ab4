"""Takes Slack's mentions out of text.

The names stay readable, and notify no one. Slack finds its marks in code too, and a backslash does not
stop it.
"""

import re

_EVERYBODY = re.compile(
    r"(?<![@＠])[@＠]++(?=(?:channel|here|everyone)(?![a-z0-9_]))"
    r"(?!(?<=[a-z0-9]@)[a-z]+\.[a-z])",  # name@here.example
    re.ASCII | re.IGNORECASE,
)
_CALL = re.compile(r"\\?<\\*[!@#](?P<name>[^<>|`\n]*+)(?:\|(?P<label>[^<>`\n]*+))?>")
_HALF_A_CALL = re.compile(r"<(?=\\*[!@#])")


def silent(text: str, *, trace: str = "") -> str:
    """The text without mentions; `trace` is what stays of an `@` that called everybody."""
    # A mention becomes its label, else its name, else a space.
    named = _CALL.sub(lambda call: (call["label"] or call["name"]).strip(" !@#\\") or " ", text)
    return _HALF_A_CALL.sub("< ", _EVERYBODY.sub(trace, named))


def calls_everybody(text: str) -> bool:
    return _EVERYBODY.search(text) is not None
