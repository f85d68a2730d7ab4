"""Reads selectors of CSS: those that are not understood never match.

A list with one invalid selector in it is invalid as a whole, as in browsers. States that come with the
mouse or the keyboard (`:hover`) never hold.
"""

import re
from collections.abc import Callable, Collection

from fetcher.web.reading.css import plain_text
from fetcher.web.reading.css.elements import Elements
from fetcher.web.reading.css.selectors import Compound, Selector, Test

LONGEST = 4_000
"""Characters of a selector; longer ones are not understood."""
_DEEPEST = 4
"""How deep selectors may stand in others."""
_ID, _CLASS, _TAG = 1_000_000, 1_000, 1

_NAME = r"(?:--|-?(?=[^\d-])|-?(?=[\udc00-\udc7f]))[-\w\u0080-\udc7f\ue000-\U0010ffff]++"
_ARGUMENT = r"\(((?>[^()]++|\((?>[^()]++|\((?>[^()]++|\([^()]*+\))*+\))*+\))*+)\)"
_PART = re.compile(
    rf"""(?P<combinator>\s*+[>+~]\s*+|\s++) | (?P<name>[.\#]{_NAME}) | (?P<tag>\*|{_NAME})
    | \[(?P<attribute>[^\[\]]*+)\] | (?P<element>::[-\w]++(?:{_ARGUMENT.replace("((", "((?:", 1)})?)
    | :(?P<state>[-\w]++)(?:{_ARGUMENT})?
    """,
    re.VERBOSE,
)
_ONE_CLASS = re.compile(r"\.(-?[a-zA-Z_][a-zA-Z\d_-]*+)")
_PLAIN = r"-?[a-zA-Z_][a-zA-Z\d_-]*+"
_ONE_PLAIN = rf"(?=[.\#a-zA-Z_-])(?>{_PLAIN})?+(?>[.\#]{_PLAIN})*+"
_IS_PLAIN = re.compile(rf"{_ONE_PLAIN}(?>(?:\s*+[>+~]\s*+|\s++){_ONE_PLAIN})*+")
_PLAIN_COMPOUND = re.compile(
    rf"(?<!\s)(\s*+[>+~]?+\s*+)(?=[.\#a-zA-Z_-])((?>{_PLAIN})?+)((?>[.\#]{_PLAIN})*+)"
)
_PLAIN_NAME = re.compile(rf"([.\#])({_PLAIN})")
_ATTRIBUTE = re.compile(rf"""\s*+({_NAME})\s*+(?:([~^$*|]?=)\s*+(?:"(\d++)"|({_NAME}))\s*+([iIsS])?\s*+)?""")
_NTH = re.compile(r"\s*+(?:(odd|even)|([-+]?\d*+)n(?:\s*+([-+])\s*+(\d++))?|([-+]?\d++))\s*+", re.IGNORECASE)

_AT_REST = frozenset(
    """
    hover active focus focus-within focus-visible target target-within visited fullscreen playing modal
    user-invalid user-valid popover-open autofill -webkit-autofill current past future -webkit-full-screen
    """.split()  # noqa: SIM905 - a table of words reads better than a list of strings
)
"""States that no element has before a person touches the page."""
_BY_ATTRIBUTE = {"checked": "checked", "disabled": "disabled", "required": "required", "open": "open"}
_OLD_ELEMENTS = frozenset({"before", "after", "first-line", "first-letter"})
_ELEMENTS = _OLD_ELEMENTS | frozenset(
    """
    backdrop checkmark column cue details-content file-selector-button grammar-error highlight marker part
    picker picker-icon placeholder scroll-button scroll-marker scroll-marker-group search-text selection
    slotted spelling-error target-text view-transition view-transition-group view-transition-image-pair
    view-transition-new view-transition-old
    """.split()  # noqa: SIM905 - as above
)
"""Pseudo-elements that Chromium knows; a list of selectors with another one is invalid."""
_KNOWN = frozenset(
    """
    has lang dir host host-context defined enabled optional read-only read-write placeholder-shown default
    indeterminate valid invalid in-range out-of-range scope paused state blank buffering muted
    """.split()  # noqa: SIM905 - as above
)
"""Others that browsers know."""
_OPERATORS: dict[str | None, Callable[[str, str], bool]] = {
    None: lambda _value, _wanted: True,
    "=": lambda value, wanted: value == wanted,
    "~=": lambda value, wanted: wanted in value.split(),
    "^=": lambda value, wanted: bool(wanted) and value.startswith(wanted),
    "$=": lambda value, wanted: bool(wanted) and value.endswith(wanted),
    "*=": lambda value, wanted: bool(wanted) and wanted in value,
    "|=": lambda value, wanted: value == wanted or value.startswith(f"{wanted}-"),
}
"""Whether the value of an attribute is as each operator says."""


class Invalid(Exception):
    """A list of selectors that browsers do not take."""


def parse(
    css: str, strings: list[str], *, folds: bool, depth: int = 0, unused: Collection[int] = ()
) -> list[Selector | None]:
    """The selectors of a list that is `plain`; None for each that matches no element or is not understood.

    Of those whose numbers are `unused`, it is enough to know that they are valid. Raises `Invalid`.
    """
    if depth > _DEEPEST:
        return []
    return [
        None
        if number in unused and _IS_PLAIN.fullmatch(one.strip())
        else _Parser(strings, folds=folds, depth=depth).selector(one)
        for number, one in enumerate(split(css))
    ]


def split(css: str) -> list[str]:
    if "(" not in css and "[" not in css:
        return css.split(",")
    depth = start = 0
    parts: list[str] = []
    for sign in re.finditer(r"[(\[\])\,]", css):
        if sign[0] == ",":
            if not depth:
                parts.append(css[start : sign.start()])
                start = sign.end()
        else:
            depth += 1 if sign[0] in "([" else -1
    return [*parts, css[start:]]


class _Parser:
    """Reads one selector."""

    def __init__(self, strings: list[str], *, folds: bool, depth: int) -> None:
        self._strings = strings
        self._folds = folds
        self._depth = depth
        self._weight = 0
        self._never = False
        """Whether it matches no element, or is not understood."""

    def selector(self, css: str) -> Selector | None:
        css = css.strip()
        if found := _ONE_CLASS.fullmatch(css):  # as many are
            given = found[1].lower() if self._folds else found[1]
            return Selector.of((Compound("*", frozenset(), frozenset((given,)), (), ()),), (), _CLASS)
        if len(css) > LONGEST:
            return None
        compounds: list[Compound] = []
        combinators: list[str] = []
        at = 0
        if _IS_PLAIN.fullmatch(css):  # tags, classes and ids only, as most are
            for combinator, tag, names in _PLAIN_COMPOUND.findall(css.lower() if self._folds else css):
                signs = _PLAIN_NAME.findall(names)
                ids = frozenset([name for sign, name in signs if sign == "#"])
                classes = frozenset([name for sign, name in signs if sign == "."])
                self._weight += sum([_ID if sign == "#" else _CLASS for sign, _ in signs])
                self._weight += _TAG if tag else 0
                compounds.append(Compound(tag.lower() or "*", ids, classes, (), ()))
                combinators.append(combinator.strip() or " ")
            return Selector.of(tuple(reversed(compounds)), tuple(reversed(combinators[1:])), self._weight)
        groups: list[list[re.Match[str]]] = [[]]
        while at < len(css):
            part = _PART.match(css, at)
            if part is None:
                raise Invalid
            at = part.end()
            if part.lastgroup == "combinator" or part["combinator"]:
                combinators.append(part["combinator"].strip() or " ")
                groups.append([])
            else:
                groups[-1].append(part)
        if not all(groups):
            raise Invalid
        compounds += [self._compound(group) for group in groups]
        if self._never:
            return None
        return Selector.of(tuple(reversed(compounds)), tuple(reversed(combinators)), self._weight)

    def _compound(self, parts: list[re.Match[str]]) -> Compound:
        tag = "*"
        ids: list[str] = []
        classes: list[str] = []
        attributes: list[str] = []
        tests: list[Test] = []
        for number, part in enumerate(parts):
            if name := part["name"]:
                given = plain_text.name(name[1:])
                self._weight += _ID if name[0] == "#" else _CLASS
                (ids if name[0] == "#" else classes).append(given.lower() if self._folds else given)
            elif part["tag"]:
                if number:
                    raise Invalid
                tag = plain_text.name(part["tag"]).lower()
                self._weight += _TAG if tag != "*" else 0
            elif part["attribute"] is not None:
                self._weight += _CLASS
                name, test = self._attribute(part["attribute"])
                attributes.append(name)
                tests.append(test)
            elif part["element"]:
                name = part["element"][2:].partition("(")[0].lower()
                if name not in _ELEMENTS and not name.startswith("-webkit-"):
                    raise Invalid
                self._never = True
            else:
                state = part["state"].lower()
                tests += self._state(state, part.groups()[-1] or None)
                tag = "html" if state == "root" and tag == "*" else tag
        return Compound(tag, frozenset(ids), frozenset(classes), tuple(attributes), tuple(tests))

    def _attribute(self, css: str) -> tuple[str, Test]:
        found = _ATTRIBUTE.fullmatch(css)
        if not found:
            if "|" in css:  # a namespace
                self._never = True
                return "", _never
            raise Invalid
        name, operator, number, word, flag = found.groups()
        name = plain_text.name(name).lower()
        wanted = plain_text.string(self._strings[int(number)]) if number else plain_text.name(word or "")
        folds = bool(flag) and flag in "iI"
        wanted = wanted.lower() if folds else wanted
        holds = _OPERATORS[operator]

        def test(elements: Elements, index: int) -> bool:
            here = elements.tree.attributes[index]
            if name not in here:
                return False
            value = here[name] or ""
            return holds(value.lower() if folds else value, wanted)

        return name, test

    def _state(self, state: str, argument: str | None) -> list[Test]:
        if state in _OLD_ELEMENTS:
            self._never = True
            return []
        if state in ("is", "where", "not", "matches", "-webkit-any") and argument is not None:
            return [self._inner(state, argument)]
        self._weight += _CLASS
        if state in _AT_REST:
            return [_never]
        if state in _BY_ATTRIBUTE:
            name = _BY_ATTRIBUTE[state]
            return [lambda elements, index: name in elements.tree.attributes[index]]
        if state in _PLAIN_STATES:
            return [_PLAIN_STATES[state]]
        if state.startswith("nth-") and argument is not None and (test := _nth(state, argument)):
            return [test]
        if state in _KNOWN or state.startswith(("-webkit-", "nth-")):
            self._never = True
            return []
        raise Invalid

    def _inner(self, state: str, argument: str) -> Test:
        """`:is()` and `:where()` forgive what is invalid in them, `:not()` does not."""
        inner: list[Selector] = []
        for one in [argument] if state == "not" else split(argument):
            try:
                inner += filter(None, parse(one, self._strings, folds=self._folds, depth=self._depth + 1))
            except Invalid:
                if state == "not":
                    raise
        if state == "not" and (self._depth >= _DEEPEST or len(inner) < len(split(argument))):
            self._never = self._never or "::" not in argument  # pseudo-elements match nothing
        if state != "where":
            self._weight += max((selector.weight for selector in inner), default=0)
        expected = state != "not"
        return lambda elements, index: any(each.fits(elements, index) for each in inner) is expected


def _never(_elements: Elements, _index: int) -> bool:
    return False


def _nth(state: str, argument: str) -> Test | None:
    found = _NTH.fullmatch(argument)
    if not found or state not in ("nth-child", "nth-last-child", "nth-of-type", "nth-last-of-type"):
        return None
    word, step, sign, offset, alone = found.groups()
    if alone:
        every, first = 0, int(alone)
    elif word:
        every, first = 2, int(word.lower() == "odd")
    else:
        every = int(step) if step not in ("", "+", "-") else int(f"{step}1")
        first = int(f"{sign}{offset}") if offset else 0
    of_type, last = "of-type" in state, "last" in state

    def test(elements: Elements, index: int) -> bool:
        place = elements.place(index)
        nth, count = (place.nth_of_type, place.among_type) if of_type else (place.nth, place.among)
        at = (count - nth + 1 if last else nth) - first
        return at == 0 if not every else at % every == 0 and at // every >= 0

    return test


def _is_link(elements: Elements, index: int) -> bool:
    return elements.tree.tags[index] in ("a", "area") and "href" in elements.tree.attributes[index]


_PLAIN_STATES: dict[str, Test] = {
    "root": lambda elements, index: elements.tree.tags[index] == "html",
    "first-child": lambda elements, index: elements.place(index).nth == 1,
    "last-child": lambda elements, index: elements.place(index).nth == elements.place(index).among,
    "only-child": lambda elements, index: elements.place(index).among == 1,
    "first-of-type": lambda elements, index: elements.place(index).nth_of_type == 1,
    "last-of-type": lambda elements, index: (
        elements.place(index).nth_of_type == elements.place(index).among_type
    ),
    "only-of-type": lambda elements, index: elements.place(index).among_type == 1,
    "empty": lambda elements, index: elements.tree.ends[index] == index + 1,
    "link": _is_link,
    "any-link": _is_link,
}
