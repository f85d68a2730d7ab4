"""Messages that a question is about, found by a reaction or by a link to them.

The bot sees more than the people who ask it. So a link to a message is read only if the people who asked for
it may see the message: the asker, the author of the link, and who forwarded it to the asker. All people in a
conversation see that conversation, so a link to it is read there. A link to another one is read only if that
is a public channel of this workspace, if all these people are full members of the workspace, and if no other
organisation sees the answer. A channel without the bot is never read.
"""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from slack_sdk import WebClient

from fetcher.codes import AgentCode
from slackapp import wording
from slackapp.listeners.incoming import Incoming
from slackapp.listeners.payloads import UNREADABLE, message_fields
from slackapp.slack.client import BotIdentity, longest_page, waiting_once
from slackapp.slack.errors import PostError, translated_errors
from slackapp.thread.agent_request import read_message, text_shown
from slackapp.thread.message_links import WrittenLink
from slackapp.thread.slack_text import Names, mentioned

if TYPE_CHECKING:
    from fetcher.agent import AttachedFile

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

MOST_LINKS = 5
UNSEEN = frozenset(
    {
        "channel_is_limited_access",
        "channel_not_found",
        "message_not_found",
        "not_in_channel",
        "thread_not_found",
    }
)
"""What Slack answers if the message does not exist, or if the bot is not in its channel."""
USER_UNSEEN = frozenset({"user_not_found", "user_not_visible", "users_not_found"})
_PATH = re.compile(r"/archives/([CDG][A-Z0-9]{2,31})/p([0-9]{10})([0-9]{6})/?")
"""Ten digits of seconds reach to the year 2286; more would be no time at all."""


class LinkRefusal(StrEnum):
    """Why a link to a message is not read; logged, and told in one sentence."""

    NOT_FULL_MEMBER = "not_full_member"
    OTHERS_SEE_ANSWER = "others_see_answer"
    NOT_PUBLIC = "not_public"
    UNSEEN = "unseen"


@dataclass(slots=True)
class LinkedMessages:
    """Reads messages with the rights of the people who ask, and not with those of the bot."""

    client: WebClient
    identity: BotIdentity
    names: Callable[[str, Iterable[str], WebClient], Names]
    zone: tzinfo

    def find(self, channel: str, ts: str) -> Json | None:
        """A message, also one in a thread; None if Slack does not show it. Raises PostError."""
        try:
            with translated_errors():  # for a reply, Slack returns it alone (slackapi/bolt-python#783)
                answer = self.client.conversations_replies(
                    channel=channel, ts=ts, limit=1, inclusive=True, include_all_metadata=True
                )
        except PostError as error:
            if error.code in UNSEEN:
                return None
            raise
        found: list[Json] = answer.get("messages") or []
        message = next((each for each in found if each.get("ts") == ts), None)
        return None if message and message.get("subtype") == "tombstone" else message

    def with_message(self, incoming: Incoming) -> Incoming | None:
        """The question of a reaction, with the message that has it; None if Slack does not show the message.

        Raises PostError.
        """
        try:
            message = self.find(incoming.channel, incoming.ts)
            # Its author did not write to the app: people may go on talking below it.
            return replace(incoming, **message_fields(message) | {"joins": True}) if message else None
        except UNREADABLE:
            return None

    def attached(
        self, incoming: Incoming, asked: Iterable[WrittenLink], earlier: Iterable[WrittenLink]
    ) -> "tuple[AttachedFile, ...]":
        """The messages of this workspace that links lead to; the agent reads them like pages.

        Whether they may be read is decided when the agent wants one.
        """
        from fetcher.agent import AttachedFile

        found: dict[str, AttachedFile] = {}
        for link, is_asked in [*((link, True) for link in asked), *((link, False) for link in earlier)]:
            place = self._place(link.url)
            if place is None or link.url in found or len(found) == MOST_LINKS:
                continue
            found[link.url] = AttachedFile(
                name=wording.slack_message(self._time(place[1])),
                url=link.url,
                download=partial(self._download, incoming, link.author, *place),
                media_type="text/markdown",
                asked=is_asked,
            )
        return tuple(found.values())

    def _place(self, url: str) -> tuple[str, str] | None:
        """The channel and the timestamp in a link to a message of this workspace."""
        try:
            parts = urlsplit(url)
            path = _PATH.fullmatch(parts.path)
            with translated_errors():
                is_own = path is not None and parts.hostname == urlsplit(self.identity.url).hostname
        except (ValueError, PostError):
            return None
        return (path[1], f"{path[2]}.{path[3]}") if path and is_own else None

    def _download(
        self, incoming: Incoming, author: str, channel: str, ts: str, most_bytes: int, _seconds: float
    ) -> bytes:
        """A message and its thread as Markdown; raises ToolRefused. Slack is waited for once at most."""
        from fetcher.agent import ToolRefused

        fields = {"key": incoming.key, "channel": channel}
        reader = replace(self, client=waiting_once(self.client))
        try:
            refusal = reader._refusal(incoming, author, channel)
            message = None if refusal else reader.find(channel, ts)
            if message is not None:
                text = "\n\n".join(reader._thread(incoming, channel, message.get("thread_ts") or ts))
                return text.encode()[:most_bytes].decode(errors="ignore").encode()
        except PostError as error:
            log.warning("slack_link_not_read", extra={"fields": fields | {"error_code": error.code}})
            raise ToolRefused(AgentCode.SLACK_MESSAGE_FAILED, "Slack does not show the message") from error
        log.info("slack_link_refused", extra={"fields": fields | {"reason": refusal or LinkRefusal.UNSEEN}})
        raise ToolRefused(AgentCode.SLACK_MESSAGE_REFUSED, "This message of Slack may not be read")

    def _refusal(self, incoming: Incoming, author: str, channel: str) -> LinkRefusal | None:
        """Why a message of this channel is not read for these people; raises PostError."""
        if channel == incoming.channel:
            return None
        team, here = incoming.team, incoming.channel
        people = {incoming.user, author} | ({incoming.author} if incoming.is_about_message else set())
        if not all(self._is_full_member(user, team) for user in people):
            return LinkRefusal.NOT_FULL_MEMBER
        if incoming.shared or (not here.startswith("D") and _is_shared(self._channel(here))):
            return LinkRefusal.OTHERS_SEE_ANSWER
        there = self._channel(channel)
        is_public = there.get("is_private") is False and not (there.get("is_im") or there.get("is_mpim"))
        if not is_public or _is_shared(there) or there.get("context_team_id", team) != team:
            return LinkRefusal.NOT_PUBLIC
        return None if there.get("is_member") is True else LinkRefusal.UNSEEN

    def _is_full_member(self, user: str, team: str) -> bool:
        """Whether a user sees all public channels; what Slack does not say counts against it."""
        try:
            with translated_errors():
                found: Json = self.client.users_info(user=user).get("user") or {} if user else {}
        except PostError as error:
            if error.code not in USER_UNSEEN:
                raise
            found = {}
        teams = (found.get("team_id"), *(found.get("enterprise_user") or {}).get("teams", ()))
        is_limited = any(
            found.get(name) is not False
            for name in ("deleted", "is_bot", "is_restricted", "is_ultra_restricted")
        )
        return team in teams and not is_limited and not found.get("is_stranger")

    def _channel(self, channel: str) -> Json:
        """What Slack says of a channel; nothing if it does not show it to the bot."""
        try:
            with translated_errors():
                return dict(self.client.conversations_info(channel=channel).get("channel") or {})
        except PostError as error:
            if error.code in UNSEEN | {"missing_scope"}:
                return {}
            raise

    def _thread(self, incoming: Incoming, channel: str, root: str) -> Iterator[str]:
        """The messages of a thread as Markdown, each with its author and its time; raises PostError."""
        with translated_errors():
            found, _ = longest_page(self.client, channel=channel, ts=root)
            bot_user = self.identity.user_id
        messages = [read_message(each, bot_user) for each in found if each.get("subtype") != "tombstone"]
        users = [user for each in messages for user in (each.user, *mentioned(each.text))]
        names = self.names(incoming.team, users, self.client)
        for message in messages:
            author = names.get(message.user) or wording.unknown_author()
            yield f"**{author}**（{self._time(message.ts):%Y-%m-%d %H:%M}）\n\n{text_shown(message, names)}"

    def _time(self, ts: str) -> datetime:
        return datetime.fromtimestamp(float(ts), self.zone)


def _is_shared(channel: Json) -> bool:
    """Whether another organisation may see a channel; a channel that is not known counts as seen."""
    return not channel or any(channel.get(name) for name in ("is_ext_shared", "is_pending_ext_shared"))
