"""The only door to Slack for what we say.

Nothing is said twice because an answer was lost: what makes a message carries a mark, and before it is tried
again the thread is searched for that mark. A stream carries none before it ends; it is known by its place,
after the message that asks, and by the ids of its tasks.
"""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

from slack_sdk import WebClient
from slack_sdk.webhook import WebhookClient

from slackapp.slack.client import TIMEOUT_SECONDS, WAITS, Identity, retry_handlers, without_retries
from slackapp.slack.errors import SLACK_FAILURES, PostError, SlackDown, translated, translating
from slackapp.slack.message import Mark, Message, MessageKind, Place, mark_of, payload
from slackapp.slack.posted import PostedMessage, StreamIdentity
from slackapp.slack.uploads import Uploader

log = logging.getLogger(__name__)

T = TypeVar("T")
Chunks = Sequence[Mapping[str, Any]]

PAGE = 200
MOST_PAGES = 25
MOST_PAGES_OF_CHANNEL = 5
QUIET: dict[str, Any] = {"unfurl_links": False, "unfurl_media": False}


class Poster:
    """Says things in Slack, each once; raises PostError."""

    def __init__(self, client: WebClient, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._quick = without_retries(client)
        self._identity = Identity(client)
        self._sleep = sleep
        self.files = Uploader(client, sleep=sleep)

    def post(self, place: Place, message: Message, mark: Mark) -> str:
        """A new message, marked; its timestamp."""

        def say() -> str:
            answer = self._client.chat_postMessage(
                channel=place.channel,
                thread_ts=place.thread_ts or None,
                metadata=mark.metadata(message.sort),
                **_shown(message),
                **QUIET,
            )
            return str(answer["ts"])

        return self._once(say, lambda: self._place_of(place, mark))

    def update(self, channel: str, ts: str, message: Message, mark: Mark) -> None:
        """Says something else where something was said."""
        with translating():
            self._updated(self._client, channel, ts, message, mark)

    def hint(self, channel: str, ts: str, message: Message, mark: Mark) -> None:
        """An update that is not worth a second try: the next one says more."""
        with translating():
            self._updated(self._quick, channel, ts, message, mark)

    def _updated(self, client: WebClient, channel: str, ts: str, message: Message, mark: Mark) -> None:
        # Without blocks of its own an updated message would keep those it had.
        blocks = [dict(block) for block in message.blocks]
        client.chat_update(
            channel=channel,
            ts=ts,
            text=message.text,
            blocks=blocks,
            metadata=mark.metadata(message.sort),
            **QUIET,
        )

    def delete(self, channel: str, ts: str) -> None:
        with translating():
            self._client.chat_delete(channel=channel, ts=ts)

    def tell(self, channel: str, user: str, text: str, thread_ts: str = "") -> None:
        """Something for one person's eyes; tried once, since nobody can see whether it arrived."""
        with translating():
            self._client.chat_postEphemeral(
                channel=channel, user=user, text=text, thread_ts=thread_ts or None, **QUIET
            )

    def respond(self, response_url: str, message: Message) -> None:
        """Something for the eyes of whoever gave a command; tried once, for the same reason."""
        with translating():
            hook = WebhookClient(
                response_url,
                timeout=TIMEOUT_SECONDS,
                retry_handlers=retry_handlers()[:1],
                logger=self._client.logger,
            )
            answer = hook.send(
                text=message.text,
                blocks=[dict(block) for block in message.blocks] or None,
                response_type="ephemeral",
                replace_original=False,
                **QUIET,
            )
        if answer.status_code >= 500:
            raise SlackDown(f"http_{answer.status_code}")
        if answer.status_code != 200:
            raise PostError("response_url_refused", f"HTTP {answer.status_code}")

    def show_home(self, user: str, text: str) -> None:
        """The app's home, as one person sees it."""
        section = {"type": "section", "text": {"type": "mrkdwn", "text": text}}
        with translating():
            self._client.views_publish(user_id=user, view={"type": "home", "blocks": [section]})

    def status(self, place: Place, status: Literal["processing", "active"], user: str) -> None:
        """Shows or ends the sign that somebody works on it; nothing depends on it."""
        try:
            self._quick.agents_sessions_setStatus(
                channel_id=place.channel, thread_ts=place.thread_ts, status=status, initiator_user_id=user
            )
        except SLACK_FAILURES as error:
            fields = {"error_code": translated(error).code, "status": status, "channel": place.channel}
            log.info("status_not_set", extra={"fields": fields})

    def start_stream(
        self, place: Place, chunks: Chunks, *, user: str, team: str, origin: StreamIdentity
    ) -> str:
        """Opens a stream; `place.since` must be a message before it. Its timestamp."""

        def start() -> str:
            answer = self._client.chat_startStream(
                channel=place.channel,
                thread_ts=place.thread_ts,
                recipient_user_id=user,
                recipient_team_id=team,
                chunks=[dict(chunk) for chunk in chunks],
                task_display_mode="timeline",
            )
            return str(answer["ts"])

        return self._once(start, lambda: self.stream_in(place, origin))

    def append(self, channel: str, ts: str, chunks: Chunks) -> None:
        with translating():
            self._quick.chat_appendStream(channel=channel, ts=ts, chunks=[dict(chunk) for chunk in chunks])

    def stop_stream(self, channel: str, ts: str, mark: Mark) -> None:
        """Ends a stream and marks what is left of it."""
        with translating():
            self._client.chat_stopStream(channel=channel, ts=ts, metadata=mark.metadata(MessageKind.PROGRESS))

    def standing(self, place: Place, key: str) -> tuple[PostedMessage, ...]:
        """Every message of ours for a claim that stands there, oldest first."""
        with translating():
            found = [
                PostedMessage(
                    ts=str(message["ts"]), part=mark.part, sort=str(payload(message).get("sort", ""))
                )
                for message in self._messages(place)
                if (mark := mark_of(message)) and mark.key == key and self._is_ours(message)
            ]
        return tuple(sorted(found, key=lambda standing: standing.ts))

    def stream_in(self, place: Place, origin: StreamIdentity) -> str | None:
        """The first stream of ours without a mark after `place.since`; files have none, and are none."""
        if not origin.bot_user:
            return None
        with translating():
            streams = [
                str(message["ts"])
                for message in self._messages(place)
                if message["ts"] > place.since and origin.may_have_made(message)
            ]
        return min(streams, default=None)

    def _is_ours(self, message: Mapping[str, Any]) -> bool:
        return message.get("user") == self._identity.user

    def _place_of(self, place: Place, mark: Mark) -> str | None:
        found = (standing.ts for standing in self.standing(place, mark.key) if standing.part == mark.part)
        return next(found, None)

    def _messages(self, place: Place) -> Iterator[Mapping[str, Any]]:
        """What was said there, in the thread or in the channel itself."""
        cursor = ""
        for _ in range(MOST_PAGES if place.thread_ts else MOST_PAGES_OF_CHANNEL):
            asked: dict[str, Any] = {
                "channel": place.channel,
                "limit": PAGE,
                "include_all_metadata": True,
                "oldest": place.since or None,
                "cursor": cursor or None,
            }
            if place.thread_ts:
                answer = self._client.conversations_replies(ts=place.thread_ts, **asked)
            else:
                answer = self._client.conversations_history(**asked)
            yield from answer.get("messages") or ()
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return

    def _once(self, do: Callable[[], T], done: Callable[[], T | None]) -> T:
        """Does it; where the outcome is unknown, looks whether it was done before it tries again."""
        try:
            return self._tried(do)
        except SlackDown as error:
            last = error
        for wait in WAITS:
            self._sleep(wait)
            try:
                found = done()
                return found if found is not None else self._tried(do)
            except SlackDown as error:
                last = error
        raise last

    def _tried(self, do: Callable[[], T]) -> T:
        with translating():
            return do()


def _shown(message: Message) -> dict[str, Any]:
    blocks = [dict(block) for block in message.blocks]
    return {"text": message.text} | ({"blocks": blocks} if blocks else {})
