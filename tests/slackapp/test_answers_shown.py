"""What Slack shows of an answer is what a standard Markdown renderer shows.

`data/answers.md` has two hundred answers of the kind that Claude writes. Each goes the whole way, from the
model's words to the blocks. Two things differ on purpose: emphasis beside kana, where the standard leaves
its marks raw, and links: those to pages that were not read are no part of these answers, and letters that
stand right behind a link are set apart by a space.
"""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from fetcher.agent import only_links
from slackapp.playground.webapi import block_rules as slacks_rules
from slackapp.reply.answer_messages import MessageLimits, messages
from tests.slackapp.answers import answer
from tests.slackapp.structure import of_blocks, of_markdown, without_styles

ANSWERS = (Path(__file__).parent / "data" / "answers.md").read_text("utf-8").rstrip("\n").split("\n%%%\n")
AROUND = ("context", "context_actions")
WORDS = (
    *(
        "東京です。",
        "**太字**",
        "*斜体* と",
        "`code`",
        "~~取消~~",
        "[料金](https://a.example/p)。",
        "（税込）",
    ),
    *(
        " <https://a.example/x> ",
        "**a *b* c**",
        "snake_case",
        "***両方***",
        r"\*印\*",
        "&amp;",
        "1.5倍",
        "10~20",
    ),
    *(
        " ![図](https://a.example/i.png) ",
        ' [t](https://a.example/ "題")、',
        "上<br>下",
        "「**強調**」",
        "!",
        "_i_ ",
    ),
)
CODE = ("x = 1", "    y = 2", "", "# 印", "- 点", "| a |", "> 引用", "**", "\ttab")


class AllLinks:
    """Allows every link, and remembers it."""

    def __init__(self):
        self.seen = []

    def __contains__(self, url):
        self.seen.append(url)
        return True


def shown(markdown):
    """The structure of all blocks that an answer is shown as."""
    linked = AllLinks()
    text = only_links(markdown, linked)
    parts = messages(replace(answer(text, sources=()), read_urls=tuple(linked.seen)))
    for part in parts:
        slacks_rules.check(list(part.blocks))
    return of_blocks([block for part in parts for block in part.blocks if block["type"] not in AROUND])


def is_shown_alike(markdown):
    """Whether all is shown alike, styles included; otherwise the standard must have left marks raw."""
    got, wanted = shown(markdown), of_markdown(markdown)
    if got == wanted:
        return True
    assert without_styles(got) == without_styles(wanted)
    assert any(mark in str(wanted) for mark in ("*", "_", "~~"))
    return False


def test_there_are_two_hundred_different_answers():
    assert len(set(ANSWERS)) == 200


def test_an_answer_is_shown_as_a_standard_renderer_shows_it():
    """A few have emphasis that the standard leaves raw; all the others are alike in their styles as well."""
    assert sum(not is_shown_alike(markdown) for markdown in ANSWERS) == 6


class Writer:
    """Writes documents of nested blocks, each by a seed."""

    def __init__(self, seed):
        self._random = random.Random(seed)

    def document(self):
        return "\n\n".join("\n".join(self._block(3)) for _ in range(self._random.randint(1, 4)))

    def _words(self):
        return "".join(self._random.choices(WORDS, k=self._random.randint(1, 3))).strip()

    def _block(self, depth):
        kinds = [self._paragraph, self._heading, self._rule, self._code, self._table, self._indented]
        nested = [self._list, self._list, self._list, self._quote]
        return self._random.choice(kinds + nested if depth else kinds)(depth)

    def _blocks(self, depth):
        """A paragraph with other blocks after it, with or without blank lines where none is needed."""
        lines = self._paragraph(depth)
        for _ in range(self._random.randint(0, 2)):
            block = self._random.choice((self._paragraph, self._code, self._list, self._quote, self._table))
            lines += ["", *block(depth)]
        return lines

    def _paragraph(self, _):
        ends = ("", "  ", "\\")
        lines = [self._words() for _ in range(self._random.randint(1, 3))]
        return [*(line + self._random.choice(ends) for line in lines[:-1]), lines[-1]]

    def _heading(self, _):
        if self._random.random() < 0.3:
            return [self._words(), self._random.choice(("===", "---"))]
        return [f"{'#' * self._random.randint(1, 6)} {self._words()}"]

    def _rule(self, _):
        return [self._random.choice(("---", "***", "* * *", "___"))]

    def _code(self, _):
        fence = self._random.choice(("```", "~~~", "````"))
        return [fence + self._random.choice(("", "python", " sh")), *self._random.choices(CODE, k=4), fence]

    def _indented(self, _):
        return ["    a = 1", "", "        b = 2", "    c = 3"]

    def _table(self, _):
        width = self._random.randint(1, 4)
        cells = lambda size: f"| {' | '.join(self._words() for _ in range(size))} |"  # noqa: E731
        rule = "|".join(self._random.choices(("---", ":--", ":-:", "--:"), k=width))
        rows = [cells(self._random.randint(1, width)) for _ in range(self._random.randint(0, 3))]
        return [cells(width), f"|{rule}|", *rows]

    def _list(self, depth):
        number = self._random.choice((None, None, 1, 1, 3, 98))
        step = self._random.choice((0, 1, 1, 1, 2))
        bullet, space = self._random.choice("-*+"), " " * self._random.randint(1, 4)
        loose = self._random.random() < 0.4
        lines = []
        for place in range(self._random.randint(1, 4)):
            mark = bullet if number is None else f"{number + place * step}."
            box = self._random.choice(("", "", "", "[ ] ", "[x] ")) if number is None else ""
            first, *rest = self._blocks(depth - 1) if depth > 1 else self._paragraph(depth)
            indent = " " * len(mark + space)
            lines += [mark + space + box + first, *((indent + line).rstrip(" ") for line in rest)]
            lines += [""] if loose else []
        return lines

    def _quote(self, depth):
        lines = self._blocks(depth - 1) if depth > 1 else self._paragraph(depth)
        return [f"> {line}" for line in lines]


@pytest.mark.parametrize("start", range(0, 600, 50))
def test_nested_blocks_are_shown_as_a_standard_renderer_shows_them(start):
    """Six hundred documents, each made of blocks inside blocks."""
    for seed in range(start, start + 50):
        is_shown_alike(Writer(seed).document())


@pytest.mark.parametrize("start", range(0, 100, 25))
def test_no_word_is_lost_where_an_answer_is_split(start):
    """However small the parts are, together they say what one message would say, in its order."""
    whole, parts = (MessageLimits(room=size, blocks=size, tables=False) for size in (10**6, 60))
    for seed in range(start, start + 25):
        said = answer("\n\n".join(Writer(seed * 10 + place).document() for place in range(10)), sources=())
        (one,) = messages(said, whole)
        several = messages(said, parts)
        assert len(several) > 1
        assert "".join(map(words_of, several)) == words_of(one)


def words_of(message):
    texts = slacks_rules.texts([block for block in message.blocks if block["type"] not in AROUND])
    return "".join("".join(texts).split())
