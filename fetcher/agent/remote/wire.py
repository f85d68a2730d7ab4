"""The JSON of questions and answers between two agents.

An answer is a text artifact, `execution_response`, and a `generated_file` artifact for each file. The text
artifact has the answer, what people should read below it, and a data part with the sources and the
rest, so that nothing has to be parsed out of prose. What a question has besides its text stands in
the message's metadata under `conversation`.
"""

import base64
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from fetcher import wording
from fetcher.agent.errors import ToolRefused
from fetcher.agent.files.answer_files import FilePolicy, make_file
from fetcher.agent.safety.allowed_links import links_of, only_links
from fetcher.agent.safety.provenance import bounded_record
from fetcher.agent.values import (
    OFFER_KINDS,
    Answer,
    AskRequest,
    GeneratedFile,
    Limits,
    Offer,
    Source,
    Turn,
    Usage,
)
from fetcher.codes import AgentCode
from fetcher.wording.language import Language

EXECUTION_RESPONSE = "execution_response"
GENERATED_FILE = "generated_file"
CONVERSATION = "conversation"
"""The key of the metadata."""
LONGEST_CORRELATION_ID = 256
"""Characters; it stands in every log line."""


class Malformed(ValueError):
    """The other side sent JSON that is not as it should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What a question has besides its text."""

    author: str = ""
    history: tuple[Turn, ...] = ()
    links: tuple[str, ...] = ()
    known_urls: tuple[str, ...] = ()
    language: str = Language.JAPANESE
    """One that is not known here counts as Japanese."""
    correlation_id: Annotated[str, Field(max_length=LONGEST_CORRELATION_ID)] = ""
    quoted: tuple[str, ...] = ()
    search: bool = True
    limits: dict[str, float] = field(default_factory=dict)
    """Names and values of `Limits`, as many as the caller cares about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What an answer has besides its text and its files."""

    sources: tuple[Source, ...] = ()
    searches: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    offline: bool = False
    answered: bool = True
    usage: Usage = field(default_factory=Usage)
    read_urls: tuple[str, ...] = ()
    known_urls: tuple[str, ...] = ()
    offers: tuple[Offer, ...] = ()


_CONVERSATION = TypeAdapter(Conversation)
_DETAILS = TypeAdapter(Details)


def conversation_of(request: AskRequest) -> dict[str, Any]:
    """For the message's metadata."""
    return {part.name: _plain(getattr(request, part.name)) for part in fields(Conversation)}


def request_of(question: str, conversation: Any, most: Limits) -> AskRequest:
    """The question with its conversation, within our own bounds; raises Malformed."""
    try:
        given = _CONVERSATION.validate_python({} if conversation is None else conversation)
    except ValidationError as error:
        raise Malformed(complaint(error)) from None
    lower: dict[str, Any] = {}  # our own limits hold where the caller's are not tighter
    for name in {limit.name for limit in fields(Limits)} & given.limits.keys():
        number = type(getattr(Limits(), name))  # int or float
        wanted = given.limits[name]
        if not wanted > 0 or not (tighter := number(min(getattr(most, name), wanted))):
            raise Malformed(f"limits.{name}: must be greater than 0")
        lower[name] = tighter
    return AskRequest(
        question=question,
        author=given.author,
        history=given.history,
        links=given.links,
        known_urls=bounded_record(given.known_urls),
        language=Language.of_locale(given.language),
        correlation_id=given.correlation_id,
        quoted=given.quoted,
        search=given.search,
        limits=replace(most, **lower),
    )


def postscript(answer: Answer) -> str:
    """What people should read below the answer: what was left undone or searched for, and its sources."""
    sources = [f"[{source.number}] {source.title}\n{source.url}" for source in answer.sources]
    heading = [f"{wording.sources_heading()}:"] if sources else []
    searched = [wording.searched(answer.searches)] if answer.searches else []
    return "\n".join([*answer.undone, *searched, *heading, *sources])


def texts_of(answer: Answer) -> list[str]:
    """The answer and its postscript, with links to pages that were read and to nothing else."""
    allowed = links_of(answer)
    return [only_links(text, allowed) for text in (answer.text, postscript(answer)) if text]


def details_of(answer: Answer) -> dict[str, Any]:
    """For the data part."""
    return {part.name: _plain(getattr(answer, part.name)) for part in fields(Details)}


def answer_of(artifacts: Any, policy: FilePolicy, max_files: int) -> Answer:
    """The answer that artifacts in A2A 1.0's JSON hold, its files checked as our own; raises Malformed."""
    try:
        named = [(artifact["name"], artifact["parts"]) for artifact in artifacts]
        [response] = [parts for name, parts in named if name == EXECUTION_RESPONSE]
        text = next(part["text"] for part in response if "text" in part)
        details: Any = next((part["data"] for part in response if "data" in part), {})
        attached = [part for name, parts in named if name == GENERATED_FILE for part in parts]
        if not isinstance(text, str):
            raise TypeError("the answer is not text")
        given = _DETAILS.validate_python(details)
        if not all(source.url.startswith(("http://", "https://")) for source in given.sources):
            raise ValueError("a source is not a page")
        answer = Answer(text=text, **{part.name: getattr(given, part.name) for part in fields(Details)})
        known = (offer for offer in answer.offers if offer.kind in OFFER_KINDS)
        offers = tuple(offer for offer in known if offer.url in answer.read_urls)
        # Files that the policy does not admit are left out, and a note says why.
        files: list[GeneratedFile] = []
        refused = [AgentCode.FILE_LIMIT] if len(attached) > max_files else []
        for part in attached[:max_files]:
            raw = part["raw"]
            try:
                policy.admit_size(len(raw) // 4 * 3 - 2)  # before it is decoded
                try:
                    content = base64.b64decode(raw, validate=True)
                except ValueError:
                    raise ToolRefused(AgentCode.FILE_INVALID, "The file is not base64") from None
                files.append(make_file(str(part["filename"]), str(part["mediaType"]), content, policy))
            except ToolRefused as refusal:
                refused.append(refusal.code)
        undone = tuple(dict.fromkeys([*answer.undone, *map(wording.note, refused)]))
        urls = bounded_record(answer.known_urls)
        return replace(answer, known_urls=urls, offers=offers, files=tuple(files), undone=undone)
    except ValidationError as error:
        raise Malformed(complaint(error)) from None
    except (LookupError, TypeError, ValueError, StopIteration) as error:
        raise Malformed(f"the artifacts are not as they should be ({type(error).__name__})") from None


def complaint(error: ValidationError) -> str:
    """Where the JSON is wrong, without quoting it."""
    rows = error.errors(include_url=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, row['loc']))}: {row['msg']}" for row in rows[:3])


def _plain(value: Any) -> Any:
    """Values as JSON has them."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return asdict(value) if isinstance(value, Limits | Offer | Source | Turn | Usage) else value
