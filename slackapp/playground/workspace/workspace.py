"""The state of the local Slack.

The lock of the activity log guards everything; the methods here take it themselves.
"""

import itertools
from collections import deque
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from fetcher.clock import Clock
from slackapp.playground.activity_log import ActivityLog
from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import READER, Capacity, Json
from slackapp.playground.workspace.files import Files
from slackapp.playground.workspace.messages import Messages
from slackapp.playground.workspace.records import Channel, Status, Stream, Team, User

TRIGGER_LIFE = timedelta(seconds=3)
MAX_TRIGGERS = 5_000


class Workspace:
    """Teams, users, channels, messages, files, streams, statuses, sessions, homes and ephemerals."""

    def __init__(self, clock: Clock, activity: ActivityLog, capacity: Capacity) -> None:
        self.clock = clock
        self.activity = activity
        self.lock = activity.changed
        self.teams: dict[str, Team] = {}
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.messages = Messages(clock, capacity.messages)
        self.files = Files(clock, capacity.file_bytes)
        self.streams: dict[tuple[str, str], Stream] = {}
        self.stopped: set[tuple[str, str]] = set()
        """Streams that a person has stopped."""
        self.statuses: dict[tuple[str, str], Status] = {}
        self.sessions: dict[tuple[str, str], Json] = {}
        self.homes: dict[tuple[str, str], Json] = {}
        """Home views by app and user."""
        self.modals: dict[str, Json] = {}
        """The modal that each user sees."""
        self._triggers: dict[str, tuple[str, datetime] | None] = {}
        """Whose interaction a trigger belongs to, and how long it is good; None after its use."""
        self.prompts: dict[str, Json] = {}
        """Suggested prompts by the direct conversation that shows them."""
        self.ephemerals: deque[Json] = deque(maxlen=capacity.ephemerals)
        self.has_agents = True
        """Whether the plan includes agent sessions and streams."""
        self.due: list[tuple[datetime, Callable[[], None]]] = []
        """What happens later, such as a file that is shown after a while."""
        self._numbers = itertools.count(1)

    def add_team(self, team_id: str, name: str, domain: str = "", *, enterprise_id: str = "") -> Team:
        domain = domain or team_id.lower()
        team = Team(id=team_id, name=name, domain=domain, enterprise_id=enterprise_id)
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
        is_admin: bool = False,
        bot_id: str = "",
        locale: str = "ja-JP",
    ) -> User:
        """Adds a person to all public channels of their team, or a bot to none."""
        user = User(
            id=user_id or self.new_id("U"),
            name=name,
            real_name=real_name or name,
            team_id=team_id,
            is_bot=is_bot,
            deleted=deleted,
            is_restricted=is_restricted,
            locale=locale,
            is_admin=is_admin,
            bot_id=bot_id or (self.new_id("B") if is_bot else ""),
        )
        with self.lock:
            self.users[user.id] = user
            for channel in self.channels.values():
                if channel.kind == "channel" and channel.team_id == team_id and not is_bot:
                    channel.members.add(user.id)
            self.activity.record("user", user=user.id)
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
        shared_with: str = "",
        topic: str = "",
    ) -> Channel:
        """Adds a channel with all people in it, and with all bots if `is_member`."""
        with self.lock:
            bots = {READER} | {user.id for user in self.users.values() if user.is_bot}
            channel = Channel(
                id=channel_id or self.new_id("C"),
                name=name,
                team_id=team_id,
                private=private,
                is_archived=is_archived,
                is_ext_shared=is_ext_shared or bool(shared_with),
                shared_with=shared_with,
                topic=topic,
                members=set(self.users) - bots | (bots if is_member else set()),
            )
            self.channels[channel.id] = channel
            self.activity.record("channel", channel=channel.id)
        return channel

    def open_direct(self, user: str, bot: str) -> Channel:
        """Returns the direct conversation of a person and a bot, which it creates if necessary."""
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
            self.activity.record("channel", channel=channel.id)
            return channel

    def open_group(self, *users: str) -> Channel:
        """Creates a group DM of people and apps; it is external if they are of several workspaces."""
        with self.lock:
            names = "--".join(self.user(user).name for user in users)
            teams = {self.user(user).team_id for user in users}
            channel = Channel(
                id=self.new_id("C"),
                name=f"mpdm-{names}-1",
                team_id=self.user(users[0]).team_id,
                private=True,
                is_mpim=True,
                is_ext_shared=len(teams) > 1,
                members=set(users),
            )
            self.channels[channel.id] = channel
            self.activity.record("channel", channel=channel.id)
            return channel

    def channel(self, name: str) -> Channel:
        """Finds a channel by its id or its name."""
        plain = name.removeprefix("#")
        with self.lock:
            if name in self.channels:
                return self.channels[name]
            for channel in self.channels.values():
                if channel.name == plain and not channel.is_im:
                    return channel
        raise ApiRefused("channel_not_found")

    def permalink(self, channel: str, ts: str) -> str:
        """The link to a message: docs.slack.dev, method `chat.getPermalink`, also for its form in threads."""
        with self.lock:
            where = self.channel(channel)
            message = self.messages.get(where.id, ts)
            root = message.get("thread_ts", ts)
            within = f"?thread_ts={root}&cid={where.id}" if root != ts else ""
            return f"{self.teams[where.team_id].url}archives/{where.id}/p{ts.replace('.', '')}{within}"

    def user(self, user_id: str) -> User:
        with self.lock:
            if user_id not in self.users:
                raise ApiRefused("user_not_found")
            return self.users[user_id]

    def new_id(self, prefix: str) -> str:
        return f"{prefix}{next(self._numbers):08d}"

    def post(self, channel: str, message: Json) -> Json:
        """Adds a message with a new timestamp; a message of an app ends its status in the thread."""
        with self.lock:
            message = {"type": "message", "ts": self.messages.next_ts(), **message}
            self.messages.add(channel, message)
            if message.get("bot_id"):
                root: str = message.get("thread_ts") or message["ts"]
                self.statuses.pop((channel, root), None)
            self.record_message(channel, message)
            return message

    def record_message(self, channel: str, message: Json) -> None:
        """Records that a message is new or has changed."""
        self.activity.record("message", channel=channel, message=self.messages.shown(channel, message))

    def remove(self, channel: str, ts: str) -> Json:
        with self.lock:
            before = self.messages.remove(channel, ts)
            self.streams.pop((channel, ts), None)
            self.activity.record("removed", channel=channel, ts=ts)
            return before

    def post_ephemeral(self, channel: str, user: str, via: str, message: Json) -> Json:
        """Adds a message that only one person sees."""
        with self.lock:
            ephemeral: dict[str, Any] = {
                "type": "message",
                "ts": self.messages.next_ts(),
                "channel": channel,
                "to": user,
                "via": via,
                **message,
            }
            self.ephemerals.append(ephemeral)
            self.activity.record("ephemeral", message=dict(ephemeral))
            return ephemeral

    def add_trigger(self, trigger_id: str, user: str) -> None:
        """Let an app open a modal for a user, within three seconds."""
        with self.lock:
            self._triggers[trigger_id] = (user, self.clock.now() + TRIGGER_LIFE)
            if len(self._triggers) > MAX_TRIGGERS:
                del self._triggers[next(iter(self._triggers))]

    def take_trigger(self, trigger_id: str) -> str:
        """The user of a trigger, which is used up by this."""
        with self.lock:
            if trigger_id not in self._triggers:
                raise ApiRefused("invalid_trigger_id")
            trigger = self._triggers[trigger_id]
            if trigger is None:
                raise ApiRefused("exchanged_trigger_id")
            if self.clock.now() > trigger[1]:
                raise ApiRefused("expired_trigger_id")
            self._triggers[trigger_id] = None
            return trigger[0]

    def show_modal(self, user: str, view: Json | None) -> None:
        """Show a modal to a user, or close the one that is shown."""
        with self.lock:
            if view is None:
                self.modals.pop(user, None)
            else:
                self.modals[user] = view
            self.activity.record("modal", user=user, view=view)

    def end_expired(self) -> None:
        """Ends streams after about five minutes, and statuses after two; does what is due."""
        with self.lock:
            now = self.clock.now()
            ready = [happen for at, happen in self.due if at <= now]
            self.due = [(at, happen) for at, happen in self.due if at > now]
            for happen in ready:
                happen()
            for key, stream in tuple(self.streams.items()):
                if now >= stream.until:
                    self.end_stream(*key)
            for key, status in tuple(self.statuses.items()):
                if now >= status.until:
                    del self.statuses[key]
                    self.activity.record("status", channel=key[0], thread_ts=key[1], status="")

    def end_stream(self, channel: str, ts: str) -> None:
        with self.lock:
            self.streams.pop((channel, ts), None)
            message = self.messages.find(channel, ts)
            if message is not None:
                message["streaming_state"] = "completed"
                self.record_message(channel, message)
