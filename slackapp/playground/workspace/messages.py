"""Messages by channel and thread, as Slack shows them."""

import copy
from collections import deque
from dataclasses import dataclass, field

from fetcher.clock import Clock
from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json

HIDDEN = "metadata"
"""The field that a caller gets only on request."""


@dataclass(slots=True)
class Messages:
    """Every message, oldest first in each channel; the oldest of all are dropped when there are too many."""

    clock: Clock
    capacity: int
    _channels: dict[str, dict[str, Json]] = field(default_factory=dict, init=False)
    _replies: dict[tuple[str, str], list[str]] = field(default_factory=dict, init=False)
    _order: deque[tuple[str, str]] = field(default_factory=deque, init=False)
    _last: int = field(default=0, init=False)

    def __len__(self) -> int:
        return len(self._order)

    def next_ts(self) -> str:
        """Makes a timestamp that is later than every one before it."""
        micros = int(self.clock.now().timestamp() * 1_000_000)
        self._last = max(micros, self._last + 1)
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"

    def add(self, channel: str, message: Json) -> None:
        """Stores a new message; one with a `thread_ts` is a reply."""
        ts: str = message["ts"]
        self._channels.setdefault(channel, {})[ts] = message
        root: str = message.get("thread_ts") or ts
        if root != ts:
            self._replies.setdefault((channel, root), []).append(ts)
        self._order.append((channel, ts))
        while len(self._order) > self.capacity:
            self._forget(*self._order.popleft())

    def find(self, channel: str, ts: str) -> Json | None:
        """Returns the stored message, not a copy: changing it changes the channel."""
        return self._channels.get(channel, {}).get(ts)

    def get(self, channel: str, ts: str, error: str = "message_not_found") -> Json:
        message = self.find(channel, ts)
        if message is None:
            raise ApiRefused(error)
        return message

    def thread(self, channel: str, ts: str) -> list[Json]:
        """A message with its replies, or the thread that a reply belongs to."""
        message = self.get(channel, ts, "thread_not_found")
        root = message.get("thread_ts", ts)
        found = (self.find(channel, each) for each in [root, *self._replies.get((channel, root), ())])
        return [each for each in found if each is not None]

    def all(self, channel: str) -> list[Json]:
        """The messages of the channel and of its threads, oldest first."""
        return list(self._channels.get(channel, {}).values())

    def timeline(self, channel: str) -> list[Json]:
        """The messages of the channel without those in threads, oldest first."""
        return [
            message
            for ts, message in self._channels.get(channel, {}).items()
            if message.get("thread_ts", ts) == ts or message.get("subtype") == "thread_broadcast"
        ]

    def remove(self, channel: str, ts: str) -> Json:
        """Removes a message and returns it; a message with replies leaves a tombstone."""
        message = self.get(channel, ts)
        before = copy.deepcopy(message)
        if (channel, ts) in self._replies:
            message.clear()
            message |= {
                "type": "message",
                "subtype": "tombstone",
                "user": "USLACKBOT",
                "text": "This message was deleted.",
                "hidden": True,
                "ts": ts,
                "thread_ts": ts,
            }
        else:
            self._forget(channel, ts)
            self._order.remove((channel, ts))
        return before

    def shown(self, channel: str, message: Json, *, hidden: bool = False) -> Json:
        """A copy as Slack gives it out; the first message of a thread describes the thread."""
        view = copy.deepcopy(message)
        if not hidden:
            view.pop(HIDDEN, None)
        replies = self._replies.get((channel, message["ts"]))
        if replies:
            authors = [self._channels[channel][reply].get("user", "") for reply in replies]
            users = list(dict.fromkeys(authors))
            view |= {
                "thread_ts": message["ts"],
                "reply_count": len(replies),
                "reply_users": users,
                "reply_users_count": len(users),
                "latest_reply": replies[-1],
                "is_locked": False,
            }
        return view

    def _forget(self, channel: str, ts: str) -> None:
        message = self._channels[channel].pop(ts)
        root = message.get("thread_ts", ts)
        if (channel, root) in self._replies and root != ts:
            self._replies[channel, root].remove(ts)
            if not self._replies[channel, root]:
                del self._replies[channel, root]
