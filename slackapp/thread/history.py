"""Reads the thread and the names of those in it; where Slack does not answer, there is less to know."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from slack_sdk import WebClient

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming
from slackapp.slack.client import BotIdentity
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.stores.contract import LookupCache, StoreUnavailable
from slackapp.thread.agent_request import Thread, ThreadMessage, read_message
from slackapp.thread.slack_text import mentioned
from slackapp.thread.user_names import display_name, name_key

log = logging.getLogger(__name__)

PAGE = 200
MOST_PAGES = 25
"""Slack gives a thread oldest first, so that its newest messages come last; nobody reads more than this."""
MOST_NAMES = 40


class ThreadReader(Protocol):
    """Whoever knows what was said before."""

    def thread(self, incoming: Incoming) -> Thread:
        """The thread of a request."""


class History:
    """Threads and names, by Slack's Web API."""

    def __init__(
        self,
        client: WebClient,
        memory: LookupCache,
        *,
        clock: Clock,
        messages: int,
        remember_seconds: float,
    ) -> None:
        self._client = client
        self._identity = BotIdentity(client)
        self._memory = memory
        self._clock = clock
        self._messages = messages
        self._remember_seconds = remember_seconds

    def thread(self, incoming: Incoming) -> Thread:
        """The thread's first message and its newest, with names; less where Slack does not answer."""
        messages = self._read(incoming)
        people = [incoming.user, *mentioned(incoming.question)]
        for message in reversed(messages):
            people += [] if message.ours else [message.user, *mentioned(message.text)]
        names = self._names(incoming.team, people)
        return Thread(messages=messages, names=names, bot_user=self._bot_user(incoming))

    def _bot_user(self, incoming: Incoming) -> str:
        try:
            return incoming.bot_user or self._identity.user_id
        except SLACK_FAILURES as error:
            log.warning("identity_unknown", extra={"fields": {"error_code": post_error_from(error).code}})
            return ""

    def _read(self, incoming: Incoming) -> tuple[ThreadMessage, ...]:
        if not self._messages or not incoming.thread_ts or incoming.starts_thread:
            return ()
        kept: deque[ThreadMessage] = deque(maxlen=self._messages)
        root: list[ThreadMessage] = []
        try:
            for message in self._replies(incoming):
                if message.get("subtype") == "tombstone":
                    continue
                said = read_message(message, incoming.bot_user or self._identity.user_id)
                if said.ts == incoming.thread_ts:
                    root = root or [said]
                else:
                    kept.append(said)
        except SLACK_FAILURES as error:
            fields = {"error_code": post_error_from(error).code, "key": incoming.key, "read": len(kept)}
            log.warning("history_unavailable", extra={"fields": fields})
        return (*root, *kept)

    def _replies(self, incoming: Incoming) -> Iterator[Mapping[str, Any]]:
        cursor = ""
        for _ in range(MOST_PAGES):
            answer = self._client.conversations_replies(
                channel=incoming.channel,
                ts=incoming.thread_ts,
                limit=PAGE,
                include_all_metadata=True,
                latest=incoming.ts or None,
                inclusive=True if incoming.ts else None,
                cursor=cursor or None,
            )
            yield from answer.get("messages") or ()
            cursor = str((answer.get("response_metadata") or {}).get("next_cursor") or "")
            if not cursor:
                return
        log.warning("history_too_long", extra={"fields": {"key": incoming.key}})

    def _names(self, team: str, people: Iterable[str]) -> dict[str, str]:
        wanted = list(dict.fromkeys(filter(None, people)))[:MOST_NAMES]
        known = self._recalled(team, wanted)
        asked = dict(self._asked(user for user in wanted if user not in known))
        self._remember(team, asked)
        return known | asked

    def _recalled(self, team: str, users: Sequence[str]) -> dict[str, str]:
        names = {name_key(team, user): user for user in users}
        try:
            found = self._memory.cached_values(names, now=self._clock.now().timestamp())
        except StoreUnavailable as error:
            log.warning("names_not_recalled", extra={"fields": {"error": str(error)}})
            return {}
        return {names[key]: name for key, name in found.items()}

    def _remember(self, team: str, asked: Mapping[str, str]) -> None:
        if not asked:
            return
        expires_at = self._clock.now().timestamp() + self._remember_seconds
        values = {name_key(team, user): name for user, name in asked.items()}
        try:
            self._memory.cache_values(values, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("names_not_remembered", extra={"fields": {"error": str(error)}})

    def _asked(self, users: Iterable[str]) -> Iterator[tuple[str, str]]:
        """What people are called, where Slack says so; while it does not answer, nobody waits for more."""
        for user in users:
            try:
                person = self._client.users_info(user=user).get("user") or {}
            except SLACK_FAILURES as error:
                failure = post_error_from(error)
                fields = {"error_code": failure.code, "user": user}
                log.warning("name_unavailable", extra={"fields": fields})
                if failure.retryable:
                    return
            else:
                yield user, display_name(person) or user
