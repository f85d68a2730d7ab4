"""What users send: a question, a stop, feedback; and the names under which the store has it."""

import json
import re
from dataclasses import asdict, dataclass, fields
from enum import StrEnum

from slackapp.codes import IgnoreReason


class Kind(StrEnum):
    MENTION = "mention"
    FOLLOW_UP = "follow_up"
    """A reply in a thread, without a mention."""
    DIRECT = "direct"
    COMMAND = "command"
    SHORTCUT = "shortcut"
    REACTION = "reaction"
    """A reaction that reads the links of a message; its text is read from Slack when it is answered."""
    MODAL = "modal"
    """The modal of the Home tab; it is answered in the direct conversation with the app."""


class CheckedTexts:
    """Checks that every text field is text that UTF-8 can encode: stores and Slack accept no other."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type] # the classes below are dataclasses
            value = getattr(self, field.name)
            for text in value if isinstance(value, tuple) else (value,):
                if not isinstance(text, str | bool):
                    raise TypeError(f"{field.name} is not text")
                str(text).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming(CheckedTexts):
    """A parsed question."""

    kind: Kind
    key: str
    """The key of its claim; the same for every delivery of the same request."""
    team: str
    channel: str
    user: str
    user_team: str = ""
    """The workspace of the user, if Slack says it; for a user on Enterprise Grid maybe the organisation."""
    enterprise: str = ""
    """The organisation on Enterprise Grid that the app's own workspace belongs to."""
    shared: bool = False
    """Whether the channel is shared with another organisation."""
    ts: str = ""
    """The message with the question; a command has none."""
    thread_ts: str = ""
    """The thread of the answer; a command starts its own."""
    text: str = ""
    """As Slack sent it, with the mention."""
    too_long: bool = False
    files: tuple[str, ...] = ()
    """The names of the message's files."""
    file_records: tuple[str, ...] = ()
    """What Slack says of these files, each as JSON (`slack/shared_files.py`)."""
    links: tuple[str, ...] = ()
    """Links that the message shows outside its text: in blocks and attachments."""
    forwarded: tuple[str, ...] = ()
    """Links of messages that it forwards, each after its author's id and a space."""
    bot_user: str = ""
    response_url: str = ""
    author: str = ""
    """The author of the message on which a shortcut or a reaction was used."""
    marked: bool = False
    """Whether that message has a mark of this app."""
    by_app: bool = False
    """Whether an app wrote that message."""
    joins: bool = False
    """Whether others began the thread of the question, and not for the app."""
    echo: bool = False
    """A `message` event for a post that also arrives as an `app_mention`; in a group DM none does."""

    @property
    def question(self) -> str:
        """The text without the mention of the app."""
        mention = rf"<@{re.escape(self.bot_user)}(?:\|[^>]*)?>"
        return (re.sub(mention, " ", self.text) if self.bot_user else self.text).strip()

    @property
    def is_private(self) -> bool:
        """Whether only the asker and the app see the conversation."""
        return self.kind in (Kind.DIRECT, Kind.MODAL)

    @property
    def needs_first_message(self) -> bool:
        """Whether no message asks it, so that the app posts one."""
        return self.kind in (Kind.COMMAND, Kind.MODAL)

    @property
    def is_about_message(self) -> bool:
        """Whether it asks about another message, and not in words of its own."""
        return self.kind in (Kind.SHORTCUT, Kind.REACTION)

    @property
    def starts_thread(self) -> bool:
        """Whether it is the first message of its thread."""
        return not self.thread_ts or self.thread_ts == self.ts

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Incoming":
        """As this or another version of the app has written it; unknown fields are left out."""
        known = {field.name for field in fields(cls)}
        read = {name: value for name, value in dict(json.loads(text)).items() if name in known}
        tuples = {name: tuple(value) for name, value in read.items() if isinstance(value, list)}
        return cls(**read | tuples | {"kind": Kind(read["kind"])})

    @classmethod
    def from_remains(cls, key: str, text: str, *, root: str) -> "Incoming | None":
        """The place and the asker of a request that cannot be read; None if no thread is known.

        The key of a message names its channel and itself. A command's thread begins with `root`.
        """
        try:
            read = dict(json.loads(text))
        except (ValueError, TypeError):
            read = {}
        written = {name: value for name, value in read.items() if isinstance(value, str)}
        team, channel, ts = key.split(":") if key.count(":") == 2 else ("", "", "")
        if channel in ("", TRIGGER):
            team, channel, ts = written.get("team", team), written.get("channel", ""), root
        thread = root or written.get("thread_ts") or ts
        if not channel or not thread:
            return None
        user = written.get("user", "")
        return cls(kind=Kind.MENTION, key=key, team=team, channel=channel, user=user, ts=ts, thread_ts=thread)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeOpened(CheckedTexts):
    """A user looks at the app's home tab, or at its messages."""

    team: str
    user: str
    channel: str
    """The direct conversation of the user and the app."""
    tab: str = "home"
    enterprise: str = ""
    """As in `Incoming`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModalWanted(CheckedTexts):
    """A user wants the modal in which a link and a question are written."""

    trigger: str
    """Allows to open a modal, for three seconds."""
    channel: str
    """The direct conversation of the user and the app."""
    team: str = ""
    user: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """An event that is not a request to this app."""

    reason: IgnoreReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(CheckedTexts):
    """A request to stop a run."""

    team: str
    channel: str
    user: str
    """The user who wants it; empty if the question was deleted."""
    key: str = ""
    """The key of the claim, if the payload has its message."""
    names: tuple[str, ...] = ()
    """Other names under which the claim may be linked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(CheckedTexts):
    """A changed message, which may be a question that is being answered."""

    team: str
    channel: str
    user: str
    key: str
    """The key of the message's claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure(CheckedTexts):
    """A workspace that has removed the app."""

    team: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(CheckedTexts):
    """A user's rating of an answer."""

    team: str
    channel: str
    user: str
    ts: str
    value: str
    thread_ts: str = ""
    press: str = ""
    """When the button was pressed: Slack's timestamp of the action."""
    trigger: str = ""
    """Allows to open a modal, for three seconds."""

    @property
    def name(self) -> str:
        return f"feedback:{self.team}:{self.channel}:{self.ts}:{self.user}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackReason(CheckedTexts):
    """Why an answer was not useful, in a user's words."""

    name: str
    """Of the rating."""
    text: str


TRIGGER = "trigger"
"""In the key of a request that no message asks, in place of the channel."""
STOP_REACTIONS = frozenset({"x", "heavy_multiplication_x", "negative_squared_cross_mark"})
FEEDBACK_ACTION = "feedback"
REASON = "reason"
"""The block, and the input in it, of the modal that asks for a reason."""
REASON_CALLBACK = "feedback_reason"
LONGEST_REASON = 300


class Name(StrEnum):
    """Names under which the store has more than claims; `of` completes them."""

    THREAD = "thread"
    """The last claim of a thread."""
    ASKED = "asked"
    """The last claim that was asked in a thread, answered or not."""
    JOINED = "joined"
    """The claim that first called the app into a thread in which people were talking."""
    ANSWERED = "answered"
    """A thread's last answer, for some minutes."""
    READ = "read"
    """The claim of a reaction that has read a message."""
    REPLY = "reply"
    """The claim to which a message of a reply belongs."""
    KNOWN_URLS = "known"
    """The URLs that were read in a thread."""
    THREADS = "threads"
    """The links to a user's last threads."""

    def of(self, team: str, *place: str) -> str:
        """The name for a channel and a timestamp, or for a user."""
        return ":".join((self, team, *place))


def message_key(team: str, channel: str, ts: str) -> str:
    """The key of a message's claim; all events of the message have the same (S2)."""
    return f"{team}:{channel}:{ts}"


def message_ts(key: str) -> str:
    """The timestamp of a claim's message; empty if no message asked."""
    _, channel, ts = key.split(":")
    return "" if channel == TRIGGER else ts


def trigger_key(team: str, trigger_id: str) -> str:
    return f"{team}:{TRIGGER}:{trigger_id}"


def emoji_name(text: str) -> str:
    """The name of a reaction: without colons, and without a tone of skin."""
    return text.strip().strip(":").partition("::")[0]
