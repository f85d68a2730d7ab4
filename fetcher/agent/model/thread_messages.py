"""Makes the messages that the model sees of a question and its thread."""

import re
from collections.abc import Iterable
from itertools import chain, dropwhile, groupby

from fetcher.agent.model import prompts
from fetcher.agent.model.contract import Block
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.safety.links import Readings, find_readings, likeliest_first
from fetcher.agent.safety.provenance import canonical_forms
from fetcher.agent.safety.quotes import AnswerUrls
from fetcher.agent.values import AskRequest, WrittenLinks
from fetcher.web.output.tokens import count

_QUOTED = re.compile(r"\s*>")

MOST_WRITTEN = 500
"""Links of a question and its thread that may be read."""

LINKS_SHOWN = 50
"""How many links the model is reminded of."""

QUESTION_SHARE = 0.75
"""How much of what the model may be sent a question may take."""


def messages(request: AskRequest, *, today: str, max_history_tokens: int) -> tuple[list[Block], bool]:
    """The thread's newest turns that fit, then the question; and whether the question had to be cut.

    The question is cut only where it alone would take most of what the model may be sent.
    """
    question = request.question
    most, tokens = int(QUESTION_SHARE * request.limits.input_tokens), count(question)
    if tokens > most:
        question = question[: len(question) * most // tokens]
    asked = prompts.question(
        author=plain_label(request.author, longest=80),
        text=question,
        links=tuple(dict.fromkeys([*links(request), *request.known_urls]))[:LINKS_SHOWN],
        files=tuple((plain_label(file.name), file.url) for file in request.files),
        today=today,
    )
    turns = [(False, asked)]
    room = max_history_tokens
    for turn in reversed(request.history):
        room -= count(turn.text)
        if room < 0:
            break
        author = plain_label(turn.author, longest=80)
        turns.insert(0, (turn.ours, turn.text if turn.ours else prompts.said(author, turn.text)))
    spoken = [(ours, text) for ours, text in turns if text.strip()]
    # A user speaks first, and neighbours of one role are one message: so the API takes them.
    spoken = list(dropwhile(lambda turn: turn[0], spoken))
    alternating = [
        {
            "role": "assistant" if ours else "user",
            "content": [{"type": "text", "text": "\n\n".join(text for _, text in group)}],
        }
        for ours, group in groupby(spoken, key=lambda turn: turn[0])
    ]
    return alternating, len(question) < len(request.question)


def links(request: AskRequest) -> tuple[str, ...]:
    """The links that people wrote: the question's first, then the thread's, newest first."""
    written = written_links(request)
    return tuple(dict.fromkeys(chain.from_iterable((*written.asked, *written.earlier))))


def written_links(request: AskRequest) -> WrittenLinks:
    """The same links with all their readings, MOST_WRITTEN at most. They are looked for only once."""
    if request.written:
        return request.written
    answers = AnswerUrls(turn.text for turn in request.history if turn.ours)
    asked = _found([request.question, *request.links], answers, MOST_WRITTEN)
    said = [turn.text for turn in reversed(request.history) if not turn.ours]
    return WrittenLinks(asked=asked, earlier=_found(said, answers, MOST_WRITTEN - len(asked)))


def _found(texts: Iterable[str], answers: AnswerUrls, most: int) -> tuple[Readings, ...]:
    found: dict[Readings, None] = {}
    for text in texts:
        if len(found) < most:
            found |= dict.fromkeys(find_readings(_own_words(text, answers), typed=True))
    return tuple(found)[:most]


def length(request: AskRequest) -> int:
    """How many characters the question, its links and its thread have."""
    texts = (request.question, *request.links, *(turn.text for turn in request.history))
    return sum(map(len, texts))


def links_to_read(request: AskRequest) -> dict[str, list[str]]:
    """The links that the offline reader reads: the question's own, else all that people wrote before.

    Where Japanese follows a URL, one link has several readings: they stand together, the likeliest first.
    """
    earlier = {file.url: [file.url] for file in request.files if not file.asked}
    return newest_links(request) or earlier | _with_readings(written_links(request).earlier)


def newest_links(request: AskRequest) -> dict[str, list[str]]:
    """The files and links of the newest message alone, with the readings of its links."""
    files = {file.url: [file.url] for file in request.files if file.asked}
    return files | _with_readings(written_links(request).asked)


def to_read_ahead(request: AskRequest) -> dict[str, list[str]]:
    """What the model is shown at once: files and links of the newest message, else the thread's files."""
    return newest_links(request) or {file.url: [file.url] for file in request.files}


def has_anything_to_read(request: AskRequest) -> bool:
    """Whether there is a link, a file or a record of pages, or an answer of ours that can be asked about."""
    return bool(
        request.files or links(request) or request.known_urls or any(turn.ours for turn in request.history)
    )


def _with_readings(links: Iterable[Readings]) -> dict[str, list[str]]:
    """Each page's link under a reading that no other link has; two spellings of one URL are one link."""
    found = dict.fromkeys(map(likeliest_first, links))
    doubtful = {readings[0] for readings in found if len(readings) > 1}
    # Where a doubtful link leads there first, the plain one need not be read as well.
    plain = {readings[0] for readings in found if len(readings) == 1} - doubtful
    named: dict[str, list[str]] = {}
    for readings in found:
        if len(readings) == 1:
            free = [*plain.intersection(readings)]
        else:  # where none is free, each of its readings is read as another link
            free = [reading for reading in readings if reading not in named and reading not in plain]
        for name in free[:1]:
            named[name] = list(readings)
    pages: dict[tuple[str, ...], str] = {}
    for name, ways in named.items():
        pages.setdefault(tuple(canonical_forms(ways)) or (name,), name)
    return {name: named[name] for name in pages.values()}


def said_by_others(request: AskRequest) -> list[str]:
    """The texts that the asker did not write and that may not leave in a query.

    Where there are files or other people, an answer of ours may quote them, and counts too.
    """
    earlier = [turn for turn in request.history if not turn.by_asker]
    may_quote = request.files or any(not turn.ours for turn in earlier)
    names = (file.name for file in request.files)
    return [*request.quoted, *names, *(turn.text for turn in earlier if may_quote)]


def _own_words(text: str, answers: AnswerUrls) -> str:
    """A person's text without the lines in which they quote a URL of an answer.

    In Slack `>` quotes a line, and `>>>` all lines that follow.
    """
    lines, all_quoted = [], False
    for line in text.split("\n"):
        all_quoted = all_quoted or line.lstrip().startswith(">>>")
        if not ((all_quoted or _QUOTED.match(line)) and answers.repeated_in(line)):
            lines.append(line)
    return "\n".join(lines)
