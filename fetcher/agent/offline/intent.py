"""What a question asks for, as far as its words alone tell it: for the reader without a model.

The words stand in `intent_words.py`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fetcher.agent.files.answer_files import Kind as FileKind
from fetcher.agent.offline import intent_words as words
from fetcher.agent.safety.links import bare_url_at
from fetcher.bare_urls import with_schemes
from fetcher.web.search.query_words import folded
from fetcher.web.search.query_words import words as words_of

_LONGEST = 2000
"""Characters at either end of a question that are looked at; long text between them is pasted."""

_TELLING = 0.5
"""The weight from which a word alone says what a question is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """Files, or passages about a topic, or, where there is neither, a summary."""

    topic: str = ""
    """The question without its links and without the words that only ask; empty if it is about nothing."""
    asked: str = ""
    """The question without its links, and with what a bare question word means; empty like the topic."""
    files: tuple[FileKind, ...] = ()
    page: int = 0
    """The page of a document of which the question speaks; 0 for none."""
    table: int = 0
    """Which of a page's tables the question speaks of, counted from 1; 0 for none."""
    only_table: str = ""
    """The table that the question names, if it does nothing else; otherwise words that no table has."""
    everything: bool = False
    """True when all the tables should go into files."""
    other_formats: tuple[str, ...] = ()
    """Formats of files that are asked for and not made."""
    rewriting: bool = False
    """True where the page's words are wanted in another language or form, or compared: that takes a model."""


def _request_for(names: str) -> re.Pattern[str]:
    """Finds a request for a file that is called by one of these names."""
    asking = "|".join(words.ASKING_FOR_A_FILE)
    behind_name = [
        f"{particle}(?!{'|'.join(row.never)})(?:(?={asking})|(?!{'|'.join(row.describing)})){row.verb}"
        for particle, row in words.PARTICLES.items()
    ]
    return re.compile(
        rf"(?:{names}){words.FILE}(?:{'|'.join([*behind_name, *words.BEHIND_A_NAME])})"
        rf"|\b(?:as|to|into|in) (?:an? )?(?:{names})\b(?: files?)?"
        rf"|\b(?:{names}) (?:files?|please|export|format)\b"
    )


_WEB = re.compile(r"https?://", re.ASCII | re.IGNORECASE)
_MENTION = re.compile(r"<[@#!][^<>]*+>")
_NAMED_FILES: dict[FileKind, re.Pattern[str]] = {
    "csv": _request_for(words.FILE_NAMES["csv"]),
    "json": _request_for(words.FILE_NAMES["json"]),
    "xlsx": _request_for(words.FILE_NAMES["xlsx"]),
}
_OTHER_FORMATS = {name: _request_for(called) for name, called in words.OTHER_FORMATS.items()}
_ANY_FILE = re.compile("|".join(words.A_FILE_OF_ANY_KIND))
_ON_PAGE = re.compile(words.ON_PAGE)
_NTH_TABLE = {
    number: re.compile(rf"(?<![0-9])(?:{nth}){words.BEHIND_NTH}") for number, nth in words.NTH_TABLE.items()
}
_BESIDE_A_TABLE = re.compile("|".join(words.BESIDE_A_TABLE))
_EVERYTHING = re.compile("|".join(words.ALL))
_NO_TOPIC = re.compile("|".join(words.NO_TOPIC))
_REWRITING = re.compile("|".join(words.REWRITING))
_TOPICS = [(re.compile(pattern), topic) for pattern, topic in words.TOPIC_OF_QUESTION_WORD.items()]


def intent_of(question: str, file_names: Sequence[str] = ()) -> Intent:
    """What is asked for, and about what; CSV where a file of no named kind is asked for.

    The names of files that came with the question say neither.
    """
    for name in file_names:
        question = question.replace(name, " ")
    if len(question) > 2 * _LONGEST:
        question = f"{question[:_LONGEST]} {question[-_LONGEST:]}"
    text = " ".join(folded(_MENTION.sub(" ", _without_links(question))).split())
    files = tuple(kind for kind, pattern in _NAMED_FILES.items() if pattern.search(text))
    if not files and _ANY_FILE.search(text):
        files = ("csv",)
    topic = text
    page = _ON_PAGE.search(text)
    files_asked_for = (*_NAMED_FILES.values(), *_OTHER_FORMATS.values())
    for pattern in (
        *files_asked_for,
        *_NTH_TABLE.values(),
        _ON_PAGE,
        _ANY_FILE,
        _REWRITING,
        _NO_TOPIC,
        _EVERYTHING,
    ):
        topic = " ".join(pattern.sub(" ", topic).split())
    meant = ""
    if not any(word.is_topic and word.weight >= _TELLING for word in words_of(topic)):
        meant = " ".join(meaning for pattern, meaning in _TOPICS if pattern.search(text))
        topic = f"{topic} {meant}".strip() if meant or words_of(topic) else ""
    return Intent(
        topic=topic,
        asked=f"{text} {meant}".strip() if topic else "",
        files=files,
        page=int(page[1]) if page else 0,
        table=next((number for number, pattern in _NTH_TABLE.items() if pattern.search(text)), 0),
        only_table=_BESIDE_A_TABLE.sub("", text),
        everything=_EVERYTHING.search(text) is not None,
        other_formats=tuple(name for name, pattern in _OTHER_FORMATS.items() if pattern.search(text)),
        rewriting=_REWRITING.search(text) is not None,
    )


def _without_links(question: str) -> str:
    """The question's own words. Where Japanese follows a URL without a space, it counts as words."""
    text, pieces, at = with_schemes(question), list[str](), 0
    while found := _WEB.search(text, at):
        pieces.append(text[at : found.start()])
        url = bare_url_at(text, found.start())
        at = found.start() + len(url.readings[0]) if url.readings else url.end
    return " ".join([*pieces, text[at:]])
