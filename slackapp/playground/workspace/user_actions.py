"""Actions of people in Slack: they write, forward, edit, delete and react.

Each method returns once the workspace has changed; the events that follow are delivered by other threads.
"""

import copy
from collections.abc import Iterable, Sequence
from typing import Any, Literal
from uuid import uuid4

from slackapp.playground.values import App, Json
from slackapp.playground.workspace.files import add_shares
from slackapp.playground.workspace.reactions import change_reaction
from slackapp.playground.workspace.sample_workspace import TEAM
from slackapp.playground.workspace.typed_text import slack_markup
from slackapp.playground.workspace.user_interactions import UserInteractions

Attachment = tuple[str, bytes]
"""A file's name and content."""


class UserActions(UserInteractions):
    """What people and tests do to the local Slack."""

    def install(self, app: App) -> App:
        """Installs an app, or changes the settings of an installed one; its bot joins the sample channels."""
        self._publisher.install(app)
        return app

    def direct(self, user: str) -> str:
        """The id of a person's conversation with the first app."""
        return self.workspace.open_direct(user, self.app.bot_user).id

    def say(
        self,
        user: str,
        channel: str,
        text: str,
        thread_ts: str | None = None,
        files: Iterable[Attachment] = (),
        *,
        typed: bool = False,
        broadcast: bool = False,
        deliver: bool = True,
        blocks: Sequence[Json] = (),
        attachments: Sequence[Json] = (),
    ) -> str:
        """Posts a message and returns its ts; other apps may post blocks and attachments.

        The text is in the form that Slack stores (`<@U…>`, `<https://…>`); with `typed` it is as a person
        types it. Without `deliver` no app gets an event, and `bodies` returns the bodies for it.
        """
        workspace = self.workspace
        with workspace.lock:
            where, author = workspace.channel(channel), workspace.user(user)
            where.members.add(author.id)
            if typed:
                text = slack_markup(text, workspace)
            message: Json = {"user": author.id, "text": text, "team": author.team_id}
            if author.is_bot:
                message |= {"bot_id": author.bot_id, "bot_profile": {"id": author.bot_id}}
            else:
                message["client_msg_id"] = str(uuid4())
                home = self.app.team_id if self._publisher.apps else TEAM
                if author.team_id != home:
                    message |= {"user_team": author.team_id, "source_team": author.team_id}
            message |= {"blocks": list(blocks)} if blocks else {}
            message |= {"attachments": list(attachments)} if attachments else {}
            if thread_ts:
                message["thread_ts"] = workspace.messages.thread(where.id, thread_ts)[0]["ts"]
            message |= {"subtype": "thread_broadcast"} if broadcast else {}
            if stored := [workspace.files.add(name, content, user) for name, content in files]:
                share = {"ts": workspace.messages.next_ts()}
                shown = add_shares(stored, where.id, where.kind, share, self.base_url)
                message |= {**share, "subtype": "file_share", "files": shown, "upload": False}
            posted = workspace.post(where.id, message)
            if deliver:
                self._publisher.publish_message(where, posted)
            return str(posted["ts"])

    def forward(self, user: str, channel: str, ts: str, to: str, text: str = "", **fields: Any) -> str:
        """Shares a message in another place, with some words; `fields` are those of `say`.

        The shape is recorded in java-slack-sdk#1179, and in MercuryTechnologies/slack-web,
        tests/golden/SlackWebhookEvent/share_without_message.json. What it forwards itself is not shown.
        """
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            within = {"blocks": message.get("blocks", []), "attachments": message.get("attachments", [])}
            shared = {
                "is_msg_unfurl": True,
                "is_share": True,
                "ts": ts,
                "author_id": message.get("user", ""),
                "channel_id": where.id,
                "channel_team": where.team_id,
                "from_url": self.workspace.permalink(where.id, ts),
                "text": message.get("text", ""),
                "fallback": message.get("text", ""),
                "message_blocks": [{"team": where.team_id, "channel": where.id, "ts": ts, "message": within}],
            }
            return self.say(user, to, text, attachments=[shared], **fields)

    def unfurl(self, channel: str, ts: str, **preview: str) -> None:
        """Shows the preview of a link under a message; apps get a `message_changed` without an edit."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            before = copy.deepcopy(message)
            message["attachments"] = [*message.get("attachments", ()), preview]
            self.workspace.record_message(where.id, message)
            self._publisher.publish_change(where, before, message)

    def bodies(self, channel: str, ts: str) -> tuple[Json, ...]:
        """The event bodies for a message, with new ids each time."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            return tuple(body for _, body in self._publisher.message_bodies(where, message))

    def edit(self, user: str, channel: str, ts: str, text: str) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            message = self.workspace.messages.get(where.id, ts)
            before = copy.deepcopy(message)
            message |= {"text": text, "edited": {"user": user, "ts": self.workspace.messages.next_ts()}}
            self.workspace.record_message(where.id, message)
            self._publisher.publish_change(where, before, message)

    def delete(self, channel: str, ts: str, user: str = "") -> None:
        """Deletes a message; one with replies leaves a tombstone."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            self._publisher.publish_deletion(where, self.workspace.remove(where.id, ts))

    def delete_file(self, file_id: str) -> None:
        """Deletes a file; the messages that showed it have a tombstone in its place."""
        self.replace_file(file_id, {"id": file_id, "mode": "tombstone"})
        with self.workspace.lock:
            self.workspace.files.delete(self.workspace.files.get(file_id))

    def replace_file(self, file_id: str, shown: Json) -> None:
        """Changes how messages show a file: Slack hides old ones, and shows less of those of others."""
        with self.workspace.lock:
            file = self.workspace.files.get(file_id)
            shares = [(channel, share) for kind in file.shares.values() for channel, share in kind.items()]
            for channel, messages in shares:
                for share in messages:
                    message = self.workspace.messages.get(channel, share["ts"])
                    message["files"] = [shown if one["id"] == file_id else one for one in message["files"]]
                    self.workspace.record_message(channel, message)

    def react(
        self, user: str, channel: str, ts: str, name: str, change: Literal["added", "removed"] = "added"
    ) -> None:
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            change_reaction(change, self.workspace, self._publisher, where, ts, name, user)

    def uninstall(self, *, events: Sequence[str] = ("tokens_revoked", "app_uninstalled")) -> None:
        """Removes the first app: it gets its last events, and then every call is refused."""
        with self.workspace.lock:
            tokens = {"oauth": [], "bot": [self.app.bot_user]}
            for kind in events:
                last = {"type": kind, **({"tokens": tokens} if kind == "tokens_revoked" else {})}
                self._publisher.publish_to(self.app, last, None)
            self._publisher.uninstalled.add(self.app.app_id)

    def open_home(self, user: str, tab: str = "home") -> None:
        """Opens the app's Home tab, or its Messages tab, which is the direct conversation."""
        with self.workspace.lock:
            for app in self._publisher.apps.values():
                event = {
                    "type": "app_home_opened",
                    "user": user,
                    "channel": self.workspace.open_direct(user, app.bot_user).id,
                    "tab": tab,
                    "event_ts": self.workspace.messages.next_ts(),
                }
                self._publisher.publish_to(app, event, None)

    def stop_session(self, user: str, channel: str, thread_ts: str) -> None:
        """Presses the stop button of a thread: Slack ends the app's streams and tells the app."""
        with self.workspace.lock:
            where = self.workspace.channel(channel)
            streaming = [
                message["ts"]
                for message in self.workspace.messages.thread(where.id, thread_ts)
                if (where.id, message["ts"]) in self.workspace.streams
            ]
            for ts in streaming:
                self.workspace.stopped.add((where.id, ts))
                self.workspace.end_stream(where.id, ts)
            event = {
                "type": "agent_session_stopped",
                "user": user,
                "channel": where.id,
                "thread_ts": thread_ts,
                "streaming_message_ts": streaming,
                "event_ts": self.workspace.messages.next_ts(),
            }
            self._publisher.publish(event, where)
