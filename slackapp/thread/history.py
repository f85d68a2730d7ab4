"""Reads a thread and the names of its users; if Slack does not answer, the result is smaller."""

import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from slack_sdk import WebClient

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming
from slackapp.slack.client import BotIdentity, paged_messages
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.stores.contract import LookupCache, StoreUnavailable
from slackapp.thread.agent_request import Thread, ThreadMessage, read_message
from slackapp.thread.slack_text import display_name, mentioned, name_key

log = logging.getLogger(__name__)

MOST_PAGES = 25
"""Slack returns a thread oldest first, so its newest messages come last; longer threads are cut."""
MOST_NAMES = 40


class History:
    """Reads threads and names by Slack's Web API."""

    def __init__(
        self,
        client: WebClient,
        cache: LookupCache,
        *,
        clock: Clock,
        messages: int,
        cache_seconds: float,
        identity: BotIdentity | None = None,
    ) -> None:
        self._client = client
        self._identity = identity or BotIdentity(client)
        self._cache = cache
        self._clock = clock
        self._messages = messages
        self._cache_seconds = cache_seconds

    def thread(self, incoming: Incoming) -> Thread:
        """The thread's first message and its newest ones, with names."""
        messages = self._read(incoming)
        users = [incoming.user, *mentioned(incoming.question)]
        for message in reversed(messages):
            users += [] if message.ours else [message.user, *mentioned(message.text)]
        names = self.names(incoming.team, users)
        try:
            bot_user = incoming.bot_user or self._identity.user_id
        except SLACK_FAILURES as error:
            log.warning("identity_unknown", extra={"fields": {"error_code": post_error_from(error).code}})
            bot_user = ""
        return Thread(messages=messages, names=names, bot_user=bot_user)

    def _read(self, incoming: Incoming) -> tuple[ThreadMessage, ...]:
        if not self._messages or not incoming.thread_ts or incoming.starts_thread:
            return ()
        newest: deque[ThreadMessage] = deque(maxlen=self._messages)
        root: list[ThreadMessage] = []
        try:
            for reply in self._replies(incoming):
                if reply.get("subtype") == "tombstone":
                    continue
                message = read_message(reply, incoming.bot_user or self._identity.user_id)
                if message.ts == incoming.thread_ts:
                    root = root or [message]
                else:
                    newest.append(message)
        except SLACK_FAILURES as error:
            fields = {"error_code": post_error_from(error).code, "key": incoming.key, "read": len(newest)}
            log.warning("history_unavailable", extra={"fields": fields})
        return (*root, *newest)

    def _replies(self, incoming: Incoming) -> Iterator[Mapping[str, Any]]:
        is_whole = yield from paged_messages(
            self._client.conversations_replies,
            MOST_PAGES,
            channel=incoming.channel,
            ts=incoming.thread_ts,
            latest=incoming.ts or None,
            inclusive=True if incoming.ts else None,
        )
        if not is_whole:
            log.warning("history_too_long", extra={"fields": {"key": incoming.key}})

    def names(self, team: str, mentioned_users: Iterable[str]) -> dict[str, str]:
        """The names of users: from the cache, else from Slack."""
        users = list(dict.fromkeys(filter(None, mentioned_users)))[:MOST_NAMES]
        keys = {name_key(team, user): user for user in users}
        cached: dict[str, str] = {}
        try:
            found = self._cache.cached_values(keys, now=self._clock.now().timestamp())
            cached = {keys[key]: name for key, name in found.items()}
        except StoreUnavailable as error:
            log.warning("names_not_recalled", extra={"fields": {"error": str(error)}})
        fetched: dict[str, str] = {}
        for user in users:
            if user in cached:
                continue
            try:
                person = self._client.users_info(user=user).get("user") or {}
            except SLACK_FAILURES as error:
                failure = post_error_from(error)
                fields = {"error_code": failure.code, "user": user}
                log.warning("name_unavailable", extra={"fields": fields})
                if failure.retryable:  # while Slack does not answer, the other users are not asked for
                    break
            else:
                fetched[user] = display_name(person) or user
        values = {name_key(team, user): name for user, name in fetched.items()}
        try:
            if values:
                expires_at = self._clock.now().timestamp() + self._cache_seconds
                self._cache.cache_values(values, expires_at=expires_at)
        except StoreUnavailable as error:
            log.warning("names_not_remembered", extra={"fields": {"error": str(error)}})
        return cached | fetched
