"""Asks the questions as people do, each in its way."""

import random
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from slackapp.listeners.incoming import message_key, trigger_key
from slackapp.playground.errors import ApiRefused
from slackapp.playground.events.transports import Kind, OutgoingRequest
from tests.soak.books import Books, Entry
from tests.soak.questions import Question, Way, number_in
from tests.soak.slack import SoakSlack, Team
from tests.soak.web import DOCUMENTS

RECENT = 20
"""Threads in which somebody may ask again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Somebody changes their mind about a message of theirs."""

    seconds: float
    user: str
    channel: str
    ts: str
    key: str


@dataclass(slots=True, kw_only=True)
class Asker:
    """People with questions; those that wait for an acknowledgement do so in threads of their own."""

    slack: SoakSlack
    books: Books
    teams: list[Team]
    chance: random.Random
    _pool: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(16))
    _threads: deque[tuple[int, str, str]] = field(default_factory=lambda: deque(maxlen=RECENT))

    def ask(self, question: Question) -> Stop | None:
        team = self.teams[question.team]
        user = team.people[question.person]
        if question.way is Way.FOLLOW_UP:
            return self._follow_up(question, team, user)
        if question.way not in (Way.COMMAND, Way.OUTSIDE, Way.SHORTCUT):
            return self._say(question, team, user)
        ask = self._shortcut if question.way is Way.SHORTCUT else self._command
        ask(question, team, user)
        return None

    def close(self) -> None:
        self._pool.shutdown()

    def _say(
        self, question: Question, team: Team, user: str, thread: str = "", channel: str = ""
    ) -> Stop | None:
        """A message; its entry is in the books before anybody can hear of it."""
        direct = question.way is Way.DIRECT
        mention = "" if direct or thread else f"<@{team.app.bot_user}> "
        channel = channel or self._place(question, team, user)
        files = [("tenken.docx", DOCUMENTS["tenken.docx"])] if question.drops_file else []
        with self.slack.workspace.lock:
            ts = self.slack.say(user, channel, mention + question.text, thread or None, files)
            self.books.ask(question, (channel, user), message_key(team.id, channel, ts))
        if question.way is Way.MENTION:
            self._threads.append((question.team, channel, ts))
        if question.stopped_after is None:
            return None
        key = message_key(team.id, channel, ts)
        return Stop(seconds=question.stopped_after, user=user, channel=channel, ts=ts, key=key)

    def _place(self, question: Question, team: Team, user: str) -> str:
        if question.way is Way.DIRECT:
            return self.slack.workspace.open_direct(user, team.app.bot_user).id
        if question.way is Way.SHARED:
            return team.shared
        return team.outside if question.way is Way.OUTSIDE else self.chance.choice(team.channels)

    def _follow_up(self, question: Question, team: Team, user: str) -> Stop | None:
        """In a thread where an answer stands, as the store knows it by then; else it is a mention."""
        known = [(channel, ts) for number, channel, ts in self._threads if number == question.team]
        for channel, ts in known:
            if self.books.is_answered(message_key(team.id, channel, ts)):
                return self._say(question, team, user, ts, channel)
        return self._say(replace(question, way=Way.MENTION), team, user)

    def _command(self, question: Question, team: Team, user: str) -> None:
        channel = self._place(question, team, user)
        entry = self.books.ask(question, (channel, user))
        text = question.text.replace("<", "").replace(">", "")
        self._acknowledged(
            entry, lambda: self.slack.command(user, channel, "/fetch", text, app=team.app).error
        )

    def _shortcut(self, question: Question, team: Team, user: str) -> None:
        channel = self._place(question, team, user)
        ts = self.slack.say(user, channel, question.text)
        entry = self.books.ask(question, (channel, user))
        self._acknowledged(
            entry, lambda: self.slack.shortcut(user, channel, ts, "read_link", app=team.app).error
        )

    def _acknowledged(self, entry: Entry, ask: Callable[[], str]) -> None:
        def wait() -> None:
            entry.slack_said = bool(ask())

        self._pool.submit(wait)

    def stop(self, stop: Stop) -> None:
        """A cross on the question, or the question taken back."""
        self.books.stop(stop.key)
        try:
            if self.chance.random() < 0.5:
                self.slack.react(stop.user, stop.channel, stop.ts, "x")
            else:
                self.slack.delete(stop.channel, stop.ts, stop.user)
        except ApiRefused:  # Slack has forgotten the message
            return


@dataclass(frozen=True, slots=True)
class Ear:
    """Tells the books what is delivered and acknowledged: a command or a shortcut has its key only now."""

    books: Books

    def sending(self, request: OutgoingRequest) -> None:
        body = request.payload
        said = body.get("text") or body.get("message", {}).get("text", "")
        if request.kind is not Kind.EVENT and (number := number_in(said)):
            team = body.get("team_id") or body["team"]["id"]
            self.books.name(number, trigger_key(team, body["trigger_id"]))

    def acknowledged(self, request: OutgoingRequest) -> None:
        event = request.payload.get("event", {})
        self.books.acknowledge(str(event.get("channel")), str(event.get("ts")))
