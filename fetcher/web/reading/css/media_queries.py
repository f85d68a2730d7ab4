"""Whether what stands in `@media` and its like holds on a large screen, with a mouse and with scripts."""

import re

from fetcher.web.reading.css.values.numbers import pixels, split_at

WIDTH, HEIGHT = 1280, 900
_RATIOS = frozenset({"resolution", "-webkit-device-pixel-ratio", "device-pixel-ratio"})
_CONDITION = re.compile(r"(?<![a-z])\(((?>[^()]++|(?<=[a-z])\([^()]*+\))++)\)")
_SIGNS = "\ue000\ue001\ue002"
_DEEPEST = 20
_ASPECT = re.compile(r"(\d++(?:\.\d++)?)\s*+(?:/\s*+(\d++(?:\.\d++)?))?")
_PER_PIXEL = {"dpi": 96.0, "dpcm": 37.8}
_TYPE = re.compile(r"\s*+(?:(not|only)\s++)?([a-z-]++)?")
_NAME_BEFORE = re.compile(r"\A\s*+(?!not\b)[\w-]++\s++(?=\(|not\b)")
_COMPARISON = re.compile(r"([<>]=?|=)")
_OPPOSITE = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}

_HOLDING = {
    "hover": ("hover", ""), "any-hover": ("hover", ""), "pointer": ("fine", ""), "any-pointer": ("fine", ""),
    "orientation": ("landscape",), "prefers-color-scheme": ("light",), "scripting": ("enabled",),
    "prefers-reduced-motion": ("no-preference",), "prefers-contrast": ("no-preference",),
    "prefers-reduced-transparency": ("no-preference",), "prefers-reduced-data": ("no-preference",),
    "forced-colors": ("none",), "inverted-colors": ("none",), "display-mode": ("browser",),
    "update": ("fast", ""), "color": ("",), "color-gamut": ("srgb", ""), "grid": ("0",), "monochrome": ("0",),
    "overflow-block": ("scroll",), "overflow-inline": ("scroll",), "dynamic-range": ("standard",),
    "-webkit-transform-3d": ("", "1"), "min-color": tuple("012345678"), "min-monochrome": ("0",),
    "min-color-index": ("0",),
}  # fmt: skip
"""The values with which each feature holds; the empty one where it stands alone."""


def media_hold(queries: str) -> bool:
    """Whether one of some media queries in lower case holds, as far as that is known."""
    for query in split_at(queries, ","):
        found = _TYPE.match(query)
        negated, kind = (found[1] == "not", found[2] or "") if found else (False, "")
        if kind == "not":  # before a bracket
            negated, kind = True, ""
        features = _features_hold(query[found.end() :] if found else query)
        if features is not None and (kind in ("", "all", "screen") and features) is not negated:
            return True
    return False


def container_holds(query: str) -> bool:
    """Whether a query about the size of a container would hold for the window."""
    query = _NAME_BEFORE.sub("", query)
    return "style(" not in query and _features_hold(query) is True


def supports_hold(condition: str) -> bool:
    """Whether browsers have what is asked for: mostly they do, and what lacks something is for old ones."""
    return not condition.strip().startswith("not")


def _features_hold(css: str) -> bool | None:
    """Whether all features hold, or with `or` one; None where one is not understood.

    Conditions in brackets are replaced by what they are, from inside out.
    """
    for _ in range(_DEEPEST):
        css, count = _CONDITION.subn(_judged, css)
        if not count:
            break
    words = css.split()
    if "not" in words and len(words) == 2:
        return {"\ue000": False, "\ue001": True}.get(words[1])
    found = [word for word in words if word not in ("and", "or")]
    if ("or" in words and "and" in words) or not {*found} <= {"\ue000", "\ue001"}:
        return None if found else True
    held = [word == "\ue000" for word in found]
    return any(held) if "or" in words else all(held)


def _judged(found: re.Match[str]) -> str:
    """A sign for whether a condition in brackets holds: yes, no, or not understood."""
    inner = found[1].strip()
    is_made = any(sign in inner for sign in _SIGNS)
    result = _features_hold(inner) if is_made else _feature_holds(inner)
    return f" {_SIGNS[2 if result is None else 0 if result else 1]} "


def _feature_holds(feature: str) -> bool | None:
    name, _, value = (part.strip() for part in feature.partition(":"))
    if "<" in feature or ">" in feature or "=" in feature:
        # `width >= 600px`, also the other way round or on both sides.
        parts = [part.strip() for part in _COMPARISON.split(feature)]
        if len(parts) not in (3, 5):
            return None
        first, sign, second, *others = parts
        if others:
            before, after = _compared(second, _OPPOSITE[sign], first), _compared(second, *others)
            return None if before is None or after is None else before and after
        is_forward = _size(first) is not None
        return _compared(first, sign, second) if is_forward else _compared(second, _OPPOSITE[sign], first)
    if name in _HOLDING:
        return value in _HOLDING[name]
    name = name.replace("min-", "").replace("max-", "")
    is_least, known = "min-" in feature, _size(name)
    given = _asked(name, value)
    if name in _RATIOS:
        unit = next(unit for unit in ("dppx", "dpi", "dpcm", "x", "") if value.endswith(unit))
        number = pixels(value.removesuffix(unit))
        given = None if number is None else number / _PER_PIXEL.get(unit, 1)
    if known is None:
        return None
    if given is None:
        return known > 0 if not value else None
    return known >= given if is_least else known <= given if "max-" in feature else known == given


def _size(name: str) -> float | None:
    if name in _RATIOS:
        return 1
    if name.endswith("aspect-ratio"):
        return WIDTH / HEIGHT
    return WIDTH if name.endswith(("width", "inline-size")) else HEIGHT if name.endswith("height") else None


def _asked(name: str, value: str) -> float | None:
    """The size or the ratio that a feature asks for."""
    if name.endswith("aspect-ratio") and (ratio := _ASPECT.fullmatch(value)):
        return float(ratio[1]) / (float(ratio[2] or 1) or 1)
    return pixels(value)


def _compared(name: str, sign: str, value: str) -> bool | None:
    known, given = _size(name), _asked(name, value)
    if known is None or given is None:
        return None
    return (
        (known < given and "<" in sign) or (known > given and ">" in sign) or (known == given and "=" in sign)
    )
