"""Reads a thread and the names of its users; if Slack does not answer, the result is smaller."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from slack_sdk import WebClient

from fetcher.clock import Clock
from slackapp.listeners.incoming import Incoming
from slackapp.slack.client import LONGEST_PAGE, BotIdentity, longest_page
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.store import LookupCache
from slackapp.thread.agent_request import Thread, ThreadMessage, read_message
from slackapp.thread.slack_text import display_name, mentioned, name_key

log = logging.getLogger(__name__)

Json = Mapping[str, Any]

MOST_CALLS = 4
"""Of `conversations.replies` for a question, however long its thread is."""
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
        messages, older = self._read(incoming)
        users = [incoming.user, *mentioned(incoming.question)]
        for message in reversed(messages):
            users += [] if message.ours else [message.user, *mentioned(message.text)]
        names = self.names(incoming.team, users)
        try:
            bot_user = incoming.bot_user or self._identity.user_id
        except SLACK_FAILURES as error:
            log.warning("identity_unknown", extra={"fields": {"error_code": post_error_from(error).code}})
            bot_user = ""
        return Thread(messages=messages, names=names, bot_user=bot_user, older=older)

    def _read(self, incoming: Incoming) -> tuple[tuple[ThreadMessage, ...], tuple[ThreadMessage, ...] | None]:
        """The messages for the agent, and the app's own before them, if they are all known."""
        if not incoming.thread_ts or incoming.starts_thread:
            return (), ()
        if not self._messages:
            return (), None
        try:
            bot_user = incoming.bot_user or self._identity.user_id
            found, is_whole = self._messages_of(incoming)
        except SLACK_FAILURES as error:
            fields = {"error_code": post_error_from(error).code, "key": incoming.key}
            log.warning("history_unavailable", extra={"fields": fields})
            return (), None
        messages = [read_message(each, bot_user) for each in found if each.get("subtype") != "tombstone"]
        root = [message for message in messages if message.ts == incoming.thread_ts]
        replies = [message for message in messages if message.ts != incoming.thread_ts]
        older = tuple(message for message in replies[: -self._messages] if message.ours)
        return (*root, *replies[-self._messages :]), older if is_whole else None

    def _messages_of(self, incoming: Incoming) -> tuple[list[Json], bool]:
        """The messages of a thread, oldest first, and whether these are all. Raises what the SDK raises.

        Slack tells a thread from its beginning. Of one that is too long for a page, the first message and
        the newest are read, which are found by their time: where they are more than a page, or fewer than
        wanted, a shorter or a longer time is tried.
        """
        page, is_whole = self._page(incoming)
        if is_whole:
            return page, True
        log.info("history_too_long", extra={"fields": {"key": incoming.key}})
        root, until = page[0], float(incoming.ts or self._clock.now().timestamp())
        share = LONGEST_PAGE / 2 / int(root.get("reply_count") or LONGEST_PAGE)
        seconds = (until - float(incoming.thread_ts)) * min(1.0, share)
        newest = {str(root.get("ts")): root}
        for _ in range(MOST_CALLS - 1):
            page, is_whole = self._page(incoming, oldest=f"{until - seconds:.6f}")
            newest |= {str(message.get("ts")): message for message in page}
            if is_whole and len(page) > self._messages:
                break
            if is_whole:
                seconds *= 8
            else:  # half a page, if they come as thick as these
                first, last = (float(message.get("ts") or 0) for message in (page[1], page[-1]))
                seconds = min((last - first) / 2, until - last)
        return [newest[ts] for ts in sorted(newest, key=float)], False

    def _page(self, incoming: Incoming, **since: str) -> tuple[list[Json], bool]:
        """Messages up to the question, and whether there are no more."""
        return longest_page(
            self._client,
            channel=incoming.channel,
            ts=incoming.thread_ts,
            latest=incoming.ts or None,
            inclusive=True if incoming.ts else None,
            **since,
        )

    def names(
        self, team: str, mentioned_users: Iterable[str], client: WebClient | None = None
    ) -> dict[str, str]:
        """The names of users: from the cache, else from Slack, by this client."""
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
                person = (client or self._client).users_info(user=user).get("user") or {}
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
