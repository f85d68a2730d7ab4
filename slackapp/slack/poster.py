"""Everything that this app posts to Slack.

A lost answer never makes the app post twice. Every new message carries a mark, and before a post is tried
again the thread is searched for that mark. A stream has no mark before it ends; it is recognised by its
position, after the message that asks, and by the ids of its tasks.
"""

import json
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from slack_sdk import WebClient
from slack_sdk.web import SlackResponse

from slackapp.slack.client import LONGEST_WAIT, WAITS, BotIdentity, Fence, NoFence, fenced, paged_messages
from slackapp.slack.errors import (
    SLACK_FAILURES,
    NotIncluded,
    PostError,
    SlackDown,
    post_error_from,
    translated_errors,
)
from slackapp.slack.http_client import post_bytes
from slackapp.slack.message import (
    Mark,
    Message,
    MessageKind,
    Place,
    PostedMessage,
    StreamIdentity,
    mark_of,
    mark_payload,
)
from slackapp.slack.uploads import Uploader

log = logging.getLogger(__name__)

T = TypeVar("T")
Chunks = Sequence[Mapping[str, Any]]

MOST_PAGES = 25
MOST_PAGES_OF_CHANNEL = 5
MOST_TRIES = 4
NO_UNFURLING: dict[str, Any] = {"unfurl_links": False, "unfurl_media": False}
MEANING = (
    "Slack does not allow agent sessions and streams here: the workspace has no paid plan, or the app is not "
    "declared as an agent in its manifest. Answers come as plain messages, without Slack's stop button. "
    "After a change of the plan or the manifest, restart the app."
)


@dataclass(slots=True)
class AgentFeatures:
    """Whether this workspace has the parts of Slack that are made for agents: sessions and streams.

    Slack refuses them with `not_authorized` on a free plan, and to an app that is not declared as an agent.
    The app works without them: the answer replaces a plain message, and a cross as reaction stops a run. The
    first refusal is remembered for the life of the process; all posters share it.
    """

    are_refused: bool = field(default=False, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def note(self, failure: PostError) -> None:
        """Log the first refusal, with what it means; the features are not asked for again."""
        with self._lock:
            is_first = isinstance(failure, NotIncluded) and not self.are_refused
            self.are_refused = self.are_refused or is_first
        if is_first:
            log.warning("agent_features_refused", extra={"fields": {"meaning": MEANING}})


class Poster:
    """Posts to Slack, each message once; raises PostError."""

    def __init__(
        self,
        client: WebClient,
        *,
        sleep: Callable[[float], None] = time.sleep,
        fence: Fence | None = None,
        identity: BotIdentity | None = None,
        features: AgentFeatures | None = None,
    ) -> None:
        fence = fence or NoFence()
        self._client = fenced(client, fence, sleep=sleep)
        self._client_without_retries = fenced(client, fence, retries=False)
        self._identity = identity or BotIdentity(client)
        self._features = features or AgentFeatures()
        self._sleep = sleep
        self.uploads = Uploader(self._client, sleep=sleep)

    def behind(self, fence: Fence) -> "Poster":
        """The poster of one claim, which asks the fence before each write."""
        return Poster(
            self._client, sleep=self._sleep, fence=fence, identity=self._identity, features=self._features
        )

    def post(self, place: Place, message: Message, mark: Mark) -> str:
        """Post a new message with a mark; return its timestamp."""
        content: dict[str, Any] = {"text": message.text}
        if message.blocks:
            content["blocks"] = [dict(block) for block in message.blocks]

        def post() -> str:
            answer = self._client.chat_postMessage(
                channel=place.channel,
                thread_ts=place.thread_ts or None,
                metadata=mark.metadata(message.kind, message.digest),
                **content,
                **NO_UNFURLING,
            )
            return _timestamp(answer)

        def find() -> str | None:
            # The content too: a message that this one replaces has the same part.
            wanted = (mark.part, mark.run, message.digest)
            posted = self.posted_messages(place, mark.key)
            found = (each.ts for each in posted if (each.part, each.run, each.digest) == wanted)
            return next(found, None)

        return self._do_once(post, find)

    def update(self, channel: str, ts: str, message: Message, mark: Mark, *, once: bool = False) -> None:
        """Replace the content of a message; `once` means no second try, because a later update says more."""
        client = self._client_without_retries if once else self._client
        with translated_errors():
            client.chat_update(
                channel=channel,
                ts=ts,
                text=message.text,
                # Sent even if empty, so that no block of the content before can stay.
                blocks=[dict(block) for block in message.blocks],
                metadata=mark.metadata(message.kind, message.digest),
                **NO_UNFURLING,
            )

    def delete(self, channel: str, ts: str) -> None:
        with translated_errors():
            self._client.chat_delete(channel=channel, ts=ts)

    def post_ephemeral(self, channel: str, user: str, text: str, thread_ts: str = "") -> None:
        """Post a message that only one user sees; tried once: the app cannot see whether it arrived."""
        with translated_errors():
            self._client.chat_postEphemeral(
                channel=channel, user=user, text=text, thread_ts=thread_ts or None, **NO_UNFURLING
            )

    def respond(self, response_url: str, message: Message) -> None:
        """Post a message that only the user of a command sees.

        It is tried again only if Slack itself says that it failed: after a lost response it may have arrived.
        """
        body = {
            "text": message.text,
            "blocks": [dict(block) for block in message.blocks] or None,
            "response_type": "ephemeral",
            "replace_original": False,
            **NO_UNFURLING,
        }
        content = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        for tries in range(MOST_TRIES):
            self._client.fence.require()
            reply = post_bytes(self._client, response_url, content, "application/json;charset=utf-8")
            wait = reply.retry_after or "1"
            is_limited = reply.status == 429 and wait.isdecimal() and int(wait) <= LONGEST_WAIT
            if tries == MOST_TRIES - 1 or not (is_limited or reply.status >= 500):
                break
            self._sleep(float(wait) if is_limited else WAITS[tries])
        if reply.status >= 500:
            raise SlackDown(f"http_{reply.status}")
        if reply.status != 200:
            raise PostError("response_url_refused", f"HTTP {reply.status}")

    def show_home(self, user: str, blocks: Sequence[Mapping[str, Any]]) -> None:
        """Publish the app's home tab for one user."""
        with translated_errors():
            self._client.views_publish(user_id=user, view={"type": "home", "blocks": list(blocks)})

    def open_modal(self, trigger: str, view: Mapping[str, Any]) -> None:
        """Open a modal for the user of an interaction; Slack takes its trigger for three seconds, once."""
        with translated_errors():
            self._client_without_retries.views_open(trigger_id=trigger, view=dict(view))

    def suggest_prompts(self, channel: str, title: str, prompts: Iterable[tuple[str, str]]) -> None:
        """Show prompts in the Messages tab. With a thread, Slack would ignore them for an agent."""
        shown = [{"title": name, "message": text} for name, text in prompts]
        with translated_errors():
            self._client_without_retries.assistant_threads_setSuggestedPrompts(
                channel_id=channel, title=title, prompts=shown
            )

    def add_reaction(self, channel: str, ts: str, name: str) -> None:
        """React to a message; a failure, such as a missing scope, is only logged."""
        try:
            self._client_without_retries.reactions_add(channel=channel, timestamp=ts, name=name)
        except SLACK_FAILURES as error:
            fields = {"error_code": post_error_from(error).code, "channel": channel}
            log.info("reaction_not_added", extra={"fields": fields})

    def set_status(
        self, place: Place, status: Literal["processing", "active"], user: str, title: str = ""
    ) -> None:
        """Show or end the sign that the app is working; a failure is only logged.

        Ending it is worth waiting for: Slack would show it for an hour. The first call in a thread creates
        the session, and gives it the title; Slack ignores later titles.
        """
        if self._features.are_refused:
            return
        client = self._client if status == "active" else self._client_without_retries
        try:
            client.agents_sessions_setStatus(
                channel_id=place.channel,
                thread_ts=place.thread_ts,
                status=status,
                title=title or None,
                initiator_user_id=user,
            )
        except SLACK_FAILURES as error:
            failure = post_error_from(error)
            self._features.note(failure)
            fields = {"error_code": failure.code, "status": status, "channel": place.channel}
            log.info("status_not_set", extra={"fields": fields})

    def start_stream(
        self, place: Place, chunks: Chunks, *, user: str, team: str, identity: StreamIdentity
    ) -> str:
        """Open a stream and return its timestamp; `place.since` must be a message before it."""
        if self._features.are_refused:
            raise NotIncluded("not_authorized")

        def start() -> str:
            answer = self._client.chat_startStream(
                channel=place.channel,
                thread_ts=place.thread_ts,
                recipient_user_id=user,
                recipient_team_id=team,
                chunks=[dict(chunk) for chunk in chunks],
                task_display_mode="timeline",
            )
            return _timestamp(answer)

        try:
            return self._do_once(start, lambda: self.find_stream(place, identity))
        except NotIncluded as refusal:
            self._features.note(refusal)
            raise

    def append_to_stream(self, channel: str, ts: str, chunks: Chunks) -> None:
        with translated_errors():
            self._client_without_retries.chat_appendStream(
                channel=channel, ts=ts, chunks=[dict(chunk) for chunk in chunks]
            )

    def stop_stream(self, channel: str, ts: str, mark: Mark) -> None:
        """End a stream and mark the message that remains."""
        with translated_errors():
            self._client.chat_stopStream(channel=channel, ts=ts, metadata=mark.metadata(MessageKind.PROGRESS))

    def posted_messages(self, place: Place, key: str) -> tuple[PostedMessage, ...]:
        """Every message that this app has posted there for a claim, oldest first."""
        with translated_errors():
            found = [
                PostedMessage(
                    ts=str(message["ts"]),
                    part=mark.part,
                    kind=str(payload.get("sort", "")),
                    run=mark.run,
                    digest=str(payload.get("digest", "")),
                )
                for message in self._messages(place)
                if (mark := mark_of(message))
                and (payload := mark_payload(message))
                and mark.key == key
                and message.get("user") == self._identity.user_id
            ]
        return tuple(sorted(found, key=lambda posted: posted.ts))

    def find_stream(self, place: Place, identity: StreamIdentity) -> str | None:
        """The first stream of ours without a mark after `place.since`."""
        if not identity.bot_user:
            return None
        with translated_errors():
            streams = [
                str(message["ts"])
                for message in self._messages(place)
                if message["ts"] > place.since and identity.may_have_made(message)
            ]
        return min(streams, default=None)

    def _messages(self, place: Place) -> Iterator[Mapping[str, Any]]:
        """The messages of the thread, or of the channel itself."""
        where = {"channel": place.channel, "oldest": place.since or None}
        if place.thread_ts:
            where["ts"] = place.thread_ts
            return paged_messages(self._client.conversations_replies, MOST_PAGES, **where)
        return paged_messages(self._client.conversations_history, MOST_PAGES_OF_CHANNEL, **where)

    def _do_once(self, do: Callable[[], T], find: Callable[[], T | None]) -> T:
        """Call `do`. If the outcome is unknown, look with `find` for its result before trying again."""
        for tries, wait in enumerate((0.0, *WAITS)):
            try:
                if tries:
                    self._sleep(wait)
                    found = find()
                    if found is not None:
                        return found
                with translated_errors():
                    return do()
            except SlackDown as error:
                last = error
        raise last


def _timestamp(answer: SlackResponse) -> str:
    """The timestamp of a new message; an answer without one is broken."""
    if not isinstance(ts := answer.get("ts"), str):
        raise ValueError("the answer has no timestamp")
    return ts
