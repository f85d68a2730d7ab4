"""Whatever text comes from outside, no pattern of ours takes more than linear time on it.

A pattern that backtracks holds the interpreter's lock, so that no deadline helps: a quadratic one stops
everybody. Each compiled pattern of both packages meets strings that are made from its own parts: runs of
each of its characters, behind each beginning of a match, without the end that would complete it.
"""

import ast
import gc
import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import pytest

import fetcher
import slackapp
from fetcher.agent.files import csv_text
from fetcher.agent.files.file_names import safe_name
from fetcher.agent.offline.intent import intent_of
from fetcher.agent.safety.allowed_links import only_links, only_urls
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.safety.links import find_links
from fetcher.codes import ReadingMode
from fetcher.web.net import robots
from fetcher.web.net.canonical import attempted
from fetcher.web.net.media_types import charset_parameter, media_type
from fetcher.web.output.chunks import chunk
from fetcher.web.output.tokens import count
from fetcher.web.reading.extract import extract
from fetcher.web.reading.markdown.writer import render
from fetcher.web.reading.readers import as_html
from fetcher.web.search.passages import passages, table_headings
from fetcher.web.search.query_words import words
from slackapp.reply.blocks import markdown_nodes
from slackapp.thread import slack_text

SHORT, LONG = 1_000, 8_000
"""Lengths of two strings: the longer takes eight times as long in linear time, and 64 times in quadratic."""
MOST = 24
"""Times as long: between the two, with room for what else the machine does."""
NOTICED = 0.02
"""Seconds below which nothing is compared: quadratic time is above it, on any machine."""
TRIES = 3
CALLS = ("compile", "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn")
NAMES = {f"re.{name}" for name in CALLS}
EXEMPT = {
    "fetcher.agent.files.answer_files._STRING": "it meets only what the standard library's encoder wrote",
}
"""Patterns that never meet text from outside as it came, and why."""
SOURCES = [
    path for package in (fetcher, slackapp) for path in sorted(Path(package.__path__[0]).rglob("*.py"))
]


def _modules() -> Iterator[ModuleType]:
    for package in (fetcher, slackapp):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not found.name.endswith("__main__"):
                yield importlib.import_module(found.name)


def _patterns_in(value: Any, depth: int = 4) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
        return
    inner: Iterable[Any] = ()
    if isinstance(value, dict):
        inner = (*value.keys(), *value.values())
    elif isinstance(value, (tuple, list, set, frozenset)):
        inner = value
    elif isinstance(value, type) and value.__module__.partition(".")[0] in ("fetcher", "slackapp"):
        inner = [item for item in vars(value).values() if not isinstance(item, (type, dict))]
    for item in inner if depth else ():
        yield from _patterns_in(item, depth - 1)


@cache
def _all_patterns() -> dict[re.Pattern[Any], list[str]]:
    """Every pattern, and the names under which modules have it."""
    found: dict[re.Pattern[Any], list[str]] = {}
    for module in _modules():
        for name, value in vars(module).items():
            for pattern in _patterns_in(value):
                found.setdefault(pattern, []).append(f"{module.__name__}.{name}")
    for path in SOURCES:
        for call in _calls_in_functions(path):
            if ast.unparse(call.func) in NAMES and isinstance(call.args[0], ast.Constant):
                found.setdefault(re.compile(call.args[0].value), []).append(f"{path.stem}:{call.lineno}")
    return found


def _calls_in_functions(path: Path) -> Iterator[ast.Call]:
    for function in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield from (node for node in ast.walk(function) if isinstance(node, ast.Call))


def _uses(name: str) -> set[str]:
    """The methods that are called on a pattern: in its own module, else wherever its name stands."""
    module, _, last = name.rpartition(".")
    if not module:  # a pattern inside a function
        return set()
    own = Path(importlib.import_module(module).__file__ or "")
    return _calls_by_name(own).get(last) or set().union(
        *(_calls_by_name(path).get(last, ()) for path in SOURCES)
    )


@cache
def _calls_by_name(path: Path) -> dict[str, set[str]]:
    """The methods of patterns that a module calls, by the name of what it calls them on."""
    found: dict[str, set[str]] = {}
    calls = re.finditer(rf"\b(\w+)(?:\[[^\[\]\n]*\])?\.({'|'.join(CALLS[1:])})\b", path.read_text("utf-8"))
    for call in calls:
        found.setdefault(call[1], set()).add(call[2])
    return found


def _inner(op: Any, argument: Any) -> list[Any]:
    """The parts of a pattern that stand inside one of its parts."""
    if op is sre.BRANCH:
        return list(argument[1])
    if op in (sre.SUBPATTERN, sre.ASSERT, sre.ASSERT_NOT):
        return [argument[-1]]
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        return [argument[2]]
    return [argument] if op in (sre.IN, sre.ATOMIC_GROUP) else []


def _characters(tree: Any) -> Iterator[str]:
    """A character for each character or class that a pattern names."""
    for op, argument in tree:
        if op in (sre.LITERAL, sre.NOT_LITERAL):
            yield chr(argument)
        elif op is sre.RANGE:
            yield chr(argument[0])
        elif op is sre.CATEGORY:
            yield {sre.CATEGORY_DIGIT: "0", sre.CATEGORY_SPACE: " "}.get(argument, "a")
        elif op is sre.ANY:
            yield "x"
        for inner in _inner(op, argument):
            yield from _characters(inner)


def _samples(tree: Any) -> list[str]:
    """Texts that a pattern, or one branch of it, takes: each repetition once."""
    made = [""]
    for op, argument in tree:
        parts = [sample for inner in _inner(op, argument)[:6] for sample in _samples(inner)[:4]] or [""]
        if op is sre.LITERAL:
            parts = [chr(argument)]
        elif op in (sre.NOT_LITERAL, sre.ANY):
            parts = ["x"]
        elif op is sre.IN:
            parts = ["x"] if argument[0][0] is sre.NEGATE else [next(_characters(argument), "x")]
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            parts = [part * max(1, min(argument[0], 20)) for part in parts]
        elif op in (sre.ASSERT, sre.ASSERT_NOT):
            parts = [""]
        made = [sample + part for sample in made for part in parts[:4]][:8]
    return made


def _attacks(pattern: re.Pattern[Any]) -> list[tuple[str, str]]:
    """What strings are made of that would make a careless pattern look again and again: a beginning, and what
    is repeated after it."""
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    tree = parser.parse(
        text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    )
    characters = list(dict.fromkeys([*_characters(tree), " ", "a", "<"]))[:14]
    beginnings = list(
        dict.fromkeys(
            sample[:end] for sample in _samples(tree)[:3] for end in range(min(len(sample), 12) + 1)
        )
    )[:12]
    made = [(begin, char) for begin in beginnings for char in characters]
    made += [("", begin + char) for begin in beginnings if begin for char in ("", *characters[:6])]
    return list(dict.fromkeys(made))


def _string(pattern: re.Pattern[Any], attack: tuple[str, str], size: int) -> Any:
    begin, unit = attack
    string = begin + unit * (size // len(unit)) + "\0"
    return string.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else string


def _seconds_of(work: Callable[[Any], object], text: Any) -> float:
    """The processor time, without that of a collection of all other tests' garbage."""
    gc.disable()
    try:
        start = time.thread_time()
        work(text)
        return time.thread_time() - start
    finally:
        gc.enable()


def _grows(work: Callable[[Any], object], short: Any, long: Any, most: int) -> bool:
    """Whether the longer text takes more than so many times as long, however often it is tried."""
    return all(
        (seconds := _seconds_of(work, long)) > NOTICED and seconds > most * _seconds_of(work, short)
        for _ in range(TRIES)
    )


def _as_used(pattern: re.Pattern[Any], uses: set[str]) -> Callable[[Any], object]:
    def work(string: Any) -> None:
        if not uses <= {"match", "fullmatch"} or not uses:
            pattern.subn(string[:0], string)
        if "match" in uses:
            pattern.match(string)
        if "fullmatch" in uses or not uses:
            pattern.fullmatch(string)

    return work


def _complaint(pattern: re.Pattern[Any], uses: set[str]) -> str:
    """What is wrong with a pattern: empty if it takes linear time."""
    work, attacks = _as_used(pattern, uses), _attacks(pattern)
    for attack in attacks:  # the shortest strings first: they find out what would take hours on longer ones
        if _grows(work, _string(pattern, attack, 11), _string(pattern, attack, 22), 100):
            return f"exponential: {attack}"
    worst = sorted(attacks, key=lambda attack: -_seconds_of(work, _string(pattern, attack, 400)))[:8]
    for attack in worst:
        if _grows(work, _string(pattern, attack, SHORT), _string(pattern, attack, LONG), MOST):
            return f"more than linear: {attack}"
    return ""


def test_every_pattern_takes_linear_time():
    """On what is worst for each pattern, in the ways in which it is used."""
    patterns = {pattern: names for pattern, names in _all_patterns().items() if names[0] not in EXEMPT}
    assert len(patterns) > 150
    complaints = {
        names[0]: _complaint(pattern, set().union(*map(_uses, names))) for pattern, names in patterns.items()
    }
    assert {name: said for name, said in complaints.items() if said} == {}


ENTRIES: dict[str, Callable[[str], object]] = {
    "chunk": lambda text: chunk(text, 400),
    "as_html": as_html,
    "count": count,
    "csv": lambda text: list(csv_text.parse(text)),
    "passages": lambda text: passages(text, 400),
    "find_links": find_links,
    "links_in": slack_text.links_in,
    "media_type": lambda text: (media_type(text, b""), charset_parameter(text)),
    "name": lambda text: safe_name(text, "text/csv"),
    "only_links": lambda text: only_links(text, ()),
    "only_urls": lambda text: only_urls(text, ()),
    "plain_label": plain_label,
    "robots": lambda text: robots.parse(text).allows("any", "/" + "a" * 2000),
    "slack": markdown_nodes.parse,
    "table_headings": table_headings,
    "words": words,
    "unwrapped": lambda text: slack_text.unwrapped(text, {}),
    "url": attempted,
    "intent_of": intent_of,
}
"""What reads foreign text in the process that serves everybody; pages have processes of their own."""

# fmt: off
PIECES = (
    "[", "](", "![", "](http://a/", "[](a \"", "`", "``` ", "~~~\n", "<", "<!--", "<a ", "<a '\"", "<http://a",
    "|", "| a |\n", "- ", "> ", "1. ", "  - a\n", "# ", "\\", "\\[", "*", "**a ", "*a_", "_", "&amp;", "&#",
    "http://", "http://a/(", "a@", "://", " ", "\n", "\t", "\r\n", "a", "0", "1.", "%", "..", "あ", "。",
    "「", "日", "e\u0301", "csv ", "User-agent: a\n", "Disallow: /*a\n", "*a", '"', "=", ";", ":", "/", "?",
)
# fmt: on


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_parser_takes_linear_time(entry):
    """Eight times as much text takes about eight times as long, whatever it repeats."""
    slow = [
        piece
        for piece in PIECES
        if _grows(ENTRIES[entry], piece * (SHORT * 2 // len(piece)), piece * (LONG * 2 // len(piece)), MOST)
    ]
    assert slow == []


BLOCKS = {
    "related": "<p>関連記事</p><i>テキスト</i>",
    "related headings": "<h2>関連記事</h2><i>x</i>",
    "wrapped headings": "<div><h2><span>関連記事</span></h2></div><i>x</i>",
    "nested headings": "<h2>関連記事</h2><i>x</i><div>",
    "ranking headings": "<h3>人気ランキング</h3><a href=/>x</a>",
    "nested rankings": f"{'<div>' * 400}人気ランキング{'</div>' * 400}<p>x</p>",
    "nested": "<div><p>x</p>",
    "cards": "<div class=c><a href=/a>x</a></div>",
    "leads": f"<h1>t</h1><p>{'川のほとりの町に、古い水車小屋がありました。' * 5}</p>",
    "dates": "<p>2026-05-03</p>",
    "controls": f"{'<div>' * 100}{'<a href=#>a</a>' * 50}{'</div>' * 100}",
    "tables": "<table><tr><th>Year<td>1957, in the summer<tr><th>a<td>b</table>",
}


@pytest.mark.parametrize("name", BLOCKS)
def test_every_page_takes_linear_time(name):
    """16 times as many blocks take about 16 times as long; a quadratic rule takes 256 times."""
    story = "<p>川のほとりの町に、古い水車小屋がありました。水は絶えず流れ、車は休まず回りました。</p>" * 20

    def read(blocks: str) -> None:
        html = f'<meta property="og:type" content="article"><article><h1>題</h1>{story}<div>{blocks}'
        render(extract(html, "https://example.jp/page", mode=ReadingMode.ARTICLE))

    unit = BLOCKS[name]
    assert not _grows(read, unit * (8_000 // len(unit) + 1), unit * (16 * (8_000 // len(unit) + 1)), 64)


@pytest.mark.parametrize("pattern", ["(a+)+$", r"\s*=", "<!--.*?-->", "(?:a|b)*c", "x[^<>]*>", r"\w+@"])
def test_a_careless_pattern_is_found_out(pattern):
    """What the test above would say of patterns that backtrack."""
    assert _complaint(re.compile(pattern, re.DOTALL), set())
