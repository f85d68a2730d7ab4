"""What calls people in Slack, taken out of text.

The names stay readable and lose what makes them calls. Slack finds its marks in code too, and a backslash
does not stop it.
"""

import re

_EVERYBODY = re.compile(
    r"(?<![@\uff20])[@\uff20]++(?=(?:channel|here|everyone)(?![a-z0-9_]))"
    r"(?!(?<=[a-z0-9]@)[a-z]+\.[a-z])",  # somebody@here.example
    re.ASCII | re.IGNORECASE,
)
_CALL = re.compile(r"\\?<\\*[!@#](?P<name>[^<>|`\n]*+)(?:\|(?P<label>[^<>`\n]*+))?>")
_HALF_A_CALL = re.compile(r"<(?=\\*[!@#])")


def silent(text: str, *, trace: str = "") -> str:
    """The text without mentions; `trace` is what stays of an `@` that called everybody."""
    return _HALF_A_CALL.sub("< ", _EVERYBODY.sub(trace, _CALL.sub(_name, text)))


def calls_everybody(text: str) -> bool:
    return _EVERYBODY.search(text) is not None


def _name(call: re.Match[str]) -> str:
    """What a mention shows: its label, else its name, else a space."""
    return (call["label"] or call["name"]).strip(" !@#\\") or " "
