"""Text that can leave the process, and JSON that comes from outside."""

import json
import math
import re
from typing import Any, NoReturn

_SURROGATE = re.compile(r"[\ud800-\udfff]")


def well_formed(text: str, replacement: str = "\N{REPLACEMENT CHARACTER}") -> str:
    """The text with surrogate pairs joined and lone surrogates replaced, so that UTF-8 can encode it.

    JSON can escape half of a pair, and scripts can write one into a page. Two replacements are in use: U+FFFD
    for text that a model or a tokenizer reads, as decoders give it, and "?" for text in Slack, in the stores
    and in replies to callers, where earlier versions have written it.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return _SURROGATE.sub(replacement, joined)
    return text


def strict_json(text: str) -> Any:
    """The value of a JSON text; raises ValueError also for NaN, Infinity and numbers that Python reads as
    infinite: they could not be written again."""

    def refuse(number: str) -> NoReturn:
        raise ValueError(f"{number} is not a number of JSON, or is out of bounds")

    def finite(number: str) -> float:
        return value if math.isfinite(value := float(number)) else refuse(number)

    return json.loads(text, parse_constant=refuse, parse_float=finite)
