"""The state of the local Slack: who is there, where they talk, and what has been said.

Everything is guarded by the journal's one lock; the methods here take it themselves.
"""

import itertools
from collections import deque
from typing import Any

from fetcher.clock import Clock
from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import READER, Capacity, Json
from slackapp.playground.workspace.files import Files
from slackapp.playground.workspace.messages import Messages
from slackapp.playground.workspace.records import Channel, Status, Stream, Team, User


class Workspace:
    """Teams, users, channels, messages, files, streams, statuses, sessions, homes and ephemerals."""

    def __init__(self, clock: Clock, journal: ActivityLog, capacity: Capacity) -> None:
        self.clock = clock
        self.journal = journal
        self.lock = journal.changed
        self.teams: dict[str, Team] = {}
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.messages = Messages(clock, capacity.messages)
        self.files = Files(clock, capacity.file_bytes)
        self.streams: dict[tuple[str, str], Stream] = {}
        self.stopped: set[tuple[str, str]] = set()
        """Streams that a person ended."""
        self.statuses: dict[tuple[str, str], Status] = {}
        self.sessions: dict[tuple[str, str], Json] = {}
        self.homes: dict[tuple[str, str], Json] = {}
        """The home that an app has published for a user."""
        self.ephemerals: deque[Json] = deque(maxlen=capacity.ephemerals)
        self._numbers = itertools.count(1)

    def add_team(self, team_id: str, name: str, domain: str = "") -> Team:
        team = Team(id=team_id, name=name, domain=domain or team_id.lower())
        with self.lock:
            self.teams[team_id] = team
        return team

    def add_user(
        self,
        name: str,
        *,
        user_id: str = "",
        real_name: str = "",
        team_id: str = "T0LOCAL",
        is_bot: bool = False,
        deleted: bool = False,
        is_restricted: bool = False,
        bot_id: str = "",
    ) -> User:
        """A person, in all public channels of their team, or a bot, in none."""
        user = User(
            id=user_id or self.new_id("U"),
            name=name,
            real_name=real_name or name,
            team_id=team_id,
            is_bot=is_bot,
            deleted=deleted,
            is_restricted=is_restricted,
            bot_id=bot_id or (self.new_id("B") if is_bot else ""),
        )
        with self.lock:
            self.users[user.id] = user
            for channel in self.channels.values():
                if channel.kind == "channel" and channel.team_id == team_id and not is_bot:
                    channel.members.add(user.id)
            self.journal.note("user", user=user.id)
        return user

    def add_channel(
        self,
        name: str,
        *,
        channel_id: str = "",
        team_id: str = "T0LOCAL",
        private: bool = False,
        is_member: bool = True,
        is_archived: bool = False,
        is_ext_shared: bool = False,
        topic: str = "",
    ) -> Channel:
        """A channel with all people in it, and with all bots where `is_member`."""
        with self.lock:
            bots = {READER} | {user.id for user in self.users.values() if user.is_bot}
            channel = Channel(
                id=channel_id or self.new_id("C"),
                name=name,
                team_id=team_id,
                private=private,
                is_archived=is_archived,
                is_ext_shared=is_ext_shared,
                topic=topic,
                members=set(self.users) - bots | (bots if is_member else set()),
            )
            self.channels[channel.id] = channel
            self.journal.note("channel", channel=channel.id)
        return channel

    def direct(self, user: str, bot: str) -> Channel:
        """The direct conversation of a person and a bot, made when it is new."""
        with self.lock:
            for channel in self.channels.values():
                if channel.is_im and channel.members == {user, bot}:
                    return channel
            channel = Channel(
                id=self.new_id("D"),
                name="directmessage",
                team_id=self.user(user).team_id,
                is_im=True,
                user=user,
                members={user, bot},
            )
            self.channels[channel.id] = channel
            self.journal.note("channel", channel=channel.id)
            return channel

    def channel(self, name: str) -> Channel:
        """A channel by its id or its name."""
        plain = name.removeprefix("#")
        with self.lock:
            if name in self.channels:
                return self.channels[name]
            found = (
                channel for channel in self.channels.values() if channel.name == plain and not channel.is_im
            )
            channel = next(found, None)
        if channel is None:
            raise ApiRefused("channel_not_found")
        return channel

    def user(self, user_id: str) -> User:
        with self.lock:
            if user_id not in self.users:
                raise ApiRefused("user_not_found")
            return self.users[user_id]

    def new_id(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers):08d}"

    def post(self, channel: str, message: Json) -> Json:
        """Adds a message, stamped; whatever an app was doing in its thread is done."""
        with self.lock:
            message = {"type": "message", "ts": self.messages.stamp(), **message}
            self.messages.add(channel, message)
            if message.get("bot_id"):
                root: str = message.get("thread_ts") or message["ts"]
                self.statuses.pop((channel, root), None)
            self.changed(channel, message)
            return message

    def changed(self, channel: str, message: Json) -> None:
        """Says that a message is new or looks different."""
        self.journal.note("message", channel=channel, message=self.messages.shown(channel, message))

    def remove(self, channel: str, ts: str) -> Json:
        with self.lock:
            before = self.messages.remove(channel, ts)
            self.streams.pop((channel, ts), None)
            self.journal.note("removed", channel=channel, ts=ts)
            return before

    def whisper(self, channel: str, user: str, via: str, message: Json) -> Json:
        """A message that one person sees."""
        with self.lock:
            whispered: dict[str, Any] = {
                "type": "message",
                "ts": self.messages.stamp(),
                "channel": channel,
                "to": user,
                "via": via,
                **message,
            }
            self.ephemerals.append(whispered)
            self.journal.note("ephemeral", message=dict(whispered))
            return whispered

    def settle(self) -> None:
        """Ends what has run out: streams after about five minutes, statuses after two."""
        with self.lock:
            now = self.clock.now()
            for key, stream in tuple(self.streams.items()):
                if now >= stream.until:
                    self.end_stream(*key)
            for key, status in tuple(self.statuses.items()):
                if now >= status.until:
                    del self.statuses[key]
                    self.journal.note("status", channel=key[0], thread_ts=key[1], status="")

    def end_stream(self, channel: str, ts: str) -> None:
        with self.lock:
            self.streams.pop((channel, ts), None)
            message = self.messages.find(channel, ts)
            if message is not None:
                message["streaming_state"] = "completed"
                self.changed(channel, message)
