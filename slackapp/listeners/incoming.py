"""What people want of us: a question, a stop, a word of feedback; and the names under which it is kept."""

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


class CheckedTexts:
    """A value whose texts are texts, and such as UTF-8 can say: stores and Slack take no others."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type] # the classes below are dataclasses
            value = getattr(self, field.name)
            for text in value if isinstance(value, tuple) else (value,):
                if not isinstance(text, str | bool):
                    raise TypeError(f"{field.name} is no text")
                str(text).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming(CheckedTexts):
    """A request, parsed and ready to be handed over."""

    kind: Kind
    key: str
    """What is claimed: the same for every delivery of the same request."""
    team: str
    channel: str
    user: str
    user_team: str = ""
    """The workspace that the user belongs to, where Slack says so."""
    shared: bool = False
    """Whether the channel is shared with another organisation."""
    ts: str = ""
    """The message that asks; a command has none."""
    thread_ts: str = ""
    """The thread where the answer belongs; a command opens its own."""
    text: str = ""
    """As Slack sent it, mention included."""
    too_long: bool = False
    files: tuple[str, ...] = ()
    """Names of files that came with the message."""
    bot_user: str = ""
    response_url: str = ""
    author: str = ""
    """Who wrote the message that a shortcut is used on."""
    marked: bool = False
    """Whether that message says that this app has written it."""
    echo: bool = False
    """A `message` event whose post comes as an `app_mention` too."""

    @property
    def question(self) -> str:
        """The text without the mention of us."""
        mention = rf"<@{re.escape(self.bot_user)}(?:\|[^>]*)?>"
        return (re.sub(mention, " ", self.text) if self.bot_user else self.text).strip()

    @property
    def starts_thread(self) -> bool:
        """Whether nothing was said in the thread before."""
        return not self.thread_ts or self.thread_ts == self.ts

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Incoming":
        fields = json.loads(text)
        return cls(**fields | {"kind": Kind(fields["kind"]), "files": tuple(fields["files"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """An event that asks us nothing."""

    reason: IgnoreReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(CheckedTexts):
    """Somebody wants a run stopped."""

    team: str
    channel: str
    user: str
    """Who wants it; empty when the request itself is gone."""
    key: str = ""
    """The claim itself, where the payload names its message."""
    names: tuple[str, ...] = ()
    """Other names under which the claim may be linked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback(CheckedTexts):
    """What a user thinks of an answer."""

    team: str
    channel: str
    user: str
    ts: str
    value: str
    thread_ts: str = ""

    @property
    def name(self) -> str:
        return f"feedback:{self.team}:{self.channel}:{self.ts}:{self.user}"


def message_key(team: str, channel: str, ts: str) -> str:
    """The claim's key of a message, whichever of its events came (S2)."""
    return f"{team}:{channel}:{ts}"


def trigger_key(team: str, trigger_id: str) -> str:
    return f"{team}:trigger:{trigger_id}"


def thread_name(team: str, channel: str, thread_ts: str) -> str:
    """The name under which a thread's last claim is linked."""
    return f"thread:{team}:{channel}:{thread_ts}"


def known_urls_name(team: str, channel: str, thread_ts: str) -> str:
    """The name under which the store keeps a thread's record: the URLs that were read in it."""
    return f"known:{team}:{channel}:{thread_ts}"


def reply_name(team: str, channel: str, ts: str) -> str:
    """The name under which a reply's claim is linked."""
    return f"reply:{team}:{channel}:{ts}"
