"""Asks Slack whether the workspace, the user and the channel are what they should be (S1, S6).

Each verdict is remembered for some minutes, a bad one for half a minute: who was let in again should not
wait long. That a channel is unknown is not remembered at all: who hears it invites the bot and asks again.
While all three are remembered, Slack is asked nothing and the store once.

Commands and shortcuts also come from places where the bot is no member. Their payloads do not say whether a
place is shared with another organisation (events do), and Slack tells nobody but members of a private channel
or of somebody's direct message. Such a place counts as external until the bot is invited.
"""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from fetcher.clock import Clock
from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Incoming, Kind
from slackapp.settings import SlackSettings
from slackapp.slack.errors import SLACK_FAILURES, translated
from slackapp.stores.contract import LookupCache
from slackapp.thread.user_names import display_name, name_key

log = logging.getLogger(__name__)

BAD_SECONDS = 30.0
SLACKBOT = "USLACKBOT"
MAY_BE_OUTSIDE = frozenset({Kind.COMMAND, Kind.SHORTCUT})
"""They work in channels where the bot is no member; the answer then goes to the user alone (S15)."""

TEAM_UNKNOWN = frozenset({"team_not_found", "team_access_not_granted"})
USER_UNKNOWN = frozenset({"user_not_found", "user_not_visible", "users_not_found"})
CHANNEL_UNKNOWN = frozenset(
    {"channel_not_found", "not_in_channel", "missing_scope", "method_not_supported_for_channel_type"}
)
"""Without `mpim:read`, Slack says `missing_scope` of a group conversation that the bot is no part of."""


class Directory(Protocol):
    """What of Slack's `WebClient` is asked."""

    def team_info(self, *, team: str) -> Any: ...

    def users_info(self, *, user: str) -> Any: ...

    def conversations_info(self, *, channel: str) -> Any: ...

    def conversations_history(self, *, channel: str, limit: int) -> Any: ...


class SlackUnavailable(Exception):
    """Slack did not answer, or refused to; nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What is known of one of the three."""

    refusal: RefusalCode | None = None
    external: bool = False
    """Of a channel: shared with another organisation, or not known not to be."""
    unseen: bool = False
    """Of a channel: Slack does not show it to us."""
    name: str = ""
    """Of a user: as others see it."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Verdict":
        fields = json.loads(text)
        refusal = RefusalCode(fields["refusal"]) if fields["refusal"] else None
        return cls(**fields | {"refusal": refusal})


class Existence:
    """Looks up, remembers and judges."""

    def __init__(self, store: LookupCache, client: Directory, settings: SlackSettings, clock: Clock) -> None:
        self._store = store
        self._client = client
        self._settings = settings
        self._clock = clock

    def judge(self, incoming: Incoming) -> Verdict:
        """The first refusal of team, user and channel, and whether the channel is external.

        Raises StoreUnavailable and SlackUnavailable.
        """
        lookups = self._lookups(incoming)
        recalled = self._store.cached_values(tuple(lookups), now=self._now())
        known = {key: read for key, text in recalled.items() if (read := _verdict(text))}
        fresh: dict[str, Verdict] = {}
        try:
            for key, look_up in lookups.items():
                verdict = known.get(key) or fresh.setdefault(key, look_up(incoming))
                if verdict.refusal and not _forgiven(verdict.refusal, incoming):
                    return verdict
        finally:  # also when Slack fails halfway
            self._remember(fresh, incoming)
        unseen = verdict.refusal is RefusalCode.CHANNEL_UNKNOWN
        return Verdict(external=incoming.shared or verdict.external or unseen, unseen=unseen)

    def _lookups(self, incoming: Incoming) -> Mapping[str, Callable[[Incoming], Verdict]]:
        """The channel comes last, for its verdict is what remains; a DM to us has nothing to look up."""
        team = incoming.team
        lookups = {f"team:{team}": self._team, f"user:{team}:{incoming.user}": self._user}
        if not incoming.channel.startswith("D"):
            lookups[f"channel:{team}:{incoming.channel}"] = self._channel
        elif incoming.kind in MAY_BE_OUTSIDE:
            lookups[f"channel:{team}:{incoming.channel}"] = self._direct
        return lookups

    def _remember(self, fresh: Mapping[str, Verdict], incoming: Incoming) -> None:
        """In one request, two when something speaks against the user."""
        for bad, seconds in ((False, self._settings.existence_cache_seconds), (True, BAD_SECONDS)):
            chosen = {
                key: verdict
                for key, verdict in fresh.items()
                if bool(verdict.refusal) is bad and verdict.refusal is not RefusalCode.CHANNEL_UNKNOWN
            }
            values = {key: verdict.to_json() for key, verdict in chosen.items()}
            names = (verdict.name for verdict in chosen.values() if verdict.name)
            values |= {name_key(incoming.team, incoming.user): name for name in names}
            if values:
                self._store.cache_values(values, expires_at=self._now() + seconds)

    def _team(self, incoming: Incoming) -> Verdict:
        answer = _asked(lambda: self._client.team_info(team=incoming.team), TEAM_UNKNOWN)
        ours = answer is not None and (answer.get("team") or {}).get("id") == incoming.team
        return Verdict(refusal=None if ours else RefusalCode.TEAM_UNKNOWN)

    def _user(self, incoming: Incoming) -> Verdict:
        answer = _asked(lambda: self._client.users_info(user=incoming.user), USER_UNKNOWN)
        if answer is None:
            foreign = incoming.user_team not in ("", incoming.team)
            return Verdict(refusal=RefusalCode.EXTERNAL_USER if foreign else RefusalCode.USER_UNKNOWN)
        user = answer.get("user") or {}
        return Verdict(refusal=_user_refusal(user, incoming), name=display_name(user))

    def _channel(self, incoming: Incoming) -> Verdict:
        answer = _asked(lambda: self._client.conversations_info(channel=incoming.channel), CHANNEL_UNKNOWN)
        if answer is None:
            return Verdict(refusal=RefusalCode.CHANNEL_UNKNOWN)
        channel = answer.get("channel") or {}
        archived = RefusalCode.CHANNEL_ARCHIVED if channel.get("is_archived") else None
        return Verdict(refusal=archived, external=bool(channel.get("is_ext_shared")))

    def _direct(self, incoming: Incoming) -> Verdict:
        """Whether a direct message is with us: then it can be read (`im:history`); no scope shows more."""
        channel = incoming.channel
        answer = _asked(lambda: self._client.conversations_history(channel=channel, limit=1), CHANNEL_UNKNOWN)
        return Verdict(refusal=RefusalCode.CHANNEL_UNKNOWN if answer is None else None)

    def _now(self) -> float:
        return self._clock.now().timestamp()


def _verdict(text: str) -> Verdict | None:
    """What was remembered; None when another version of the app has written it."""
    try:
        return Verdict.from_json(text)
    except (ValueError, TypeError, LookupError):
        return None


def _forgiven(refusal: RefusalCode, incoming: Incoming) -> bool:
    return refusal is RefusalCode.CHANNEL_UNKNOWN and incoming.kind in MAY_BE_OUTSIDE


def _asked(ask: Callable[[], Any], unknown: frozenset[str]) -> Any | None:
    """Slack's answer, or None when it says that there is no such thing."""
    try:
        return ask()
    except SLACK_FAILURES as error:
        code = translated(error).code
        if code in unknown:
            return None
        log.error("existence_unknown", extra={"fields": {"error_code": code}})
        raise SlackUnavailable(code) from error


def _user_refusal(user: Mapping[str, Any], incoming: Incoming) -> RefusalCode | None:
    rules = (
        (not _of_team(user, incoming), RefusalCode.EXTERNAL_USER),
        (bool(user.get("deleted")), RefusalCode.USER_DEACTIVATED),
        (bool(user.get("is_bot")) or incoming.user == SLACKBOT, RefusalCode.USER_UNKNOWN),
    )
    return next((refusal for applies, refusal in rules if applies), None)


def _of_team(user: Mapping[str, Any], incoming: Incoming) -> bool:
    """A member of the workspace, by itself or through its organisation (Enterprise Grid)."""
    if user.get("is_stranger"):
        return False
    home = user.get("team_id") or incoming.user_team
    return home in ("", incoming.team) or incoming.team in (user.get("enterprise_user") or {}).get(
        "teams", ()
    )
