"""Asks Slack whether the workspace, the user and the channel exist and may ask (S1, S6).

Each verdict is cached for some minutes, a refusal for half a minute: a user who is allowed again should not
wait long. That a channel is unknown is not cached: the user will invite the bot and ask again. While all
three are cached, Slack gets no call and the store one.

Commands and shortcuts also come from channels without the bot. Their payloads do not say whether a channel is
shared with another organisation (events do), and Slack shows private channels and direct messages only to
their members. Such a channel counts as external until the bot is invited.
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
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.slack.message import SLACKBOT
from slackapp.stores.store import LookupCache
from slackapp.thread.slack_text import display_name, locale_key, name_key

log = logging.getLogger(__name__)

REFUSAL_SECONDS = 30.0
WITHOUT_MEMBERSHIP = frozenset({Kind.COMMAND, Kind.SHORTCUT})
"""They work in channels without the bot; then only the user sees the answer (S15)."""

TEAM_UNKNOWN = frozenset({"team_not_found", "team_access_not_granted"})
USER_UNKNOWN = frozenset({"user_not_found", "user_not_visible", "users_not_found"})
CHANNEL_UNKNOWN = frozenset(
    {
        "channel_is_limited_access",
        "channel_not_found",
        "method_not_supported_for_channel_type",
        "missing_scope",
        "not_in_channel",
    }
)
"""Without `mpim:read`, Slack answers `missing_scope` for a group conversation without the bot; the first is
for channels of Salesforce records that the app may not see."""


class Directory(Protocol):
    """The methods of Slack's `WebClient` that are used here."""

    def team_info(self) -> Any: ...

    def users_info(self, *, user: str, include_locale: bool) -> Any: ...

    def conversations_info(self, *, channel: str) -> Any: ...

    def conversations_history(self, *, channel: str, limit: int) -> Any: ...


class SlackUnavailable(Exception):
    """Slack did not answer, or refused; nothing is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result for a workspace, a user or a channel."""

    refusal: RefusalCode | None = None
    external: bool = False
    """For a channel: shared with another organisation, or it may be."""
    unseen: bool = False
    """For a channel: Slack does not show it to the app."""
    name: str = ""
    """For a user: the display name."""
    locale: str = ""
    """For a user: the language and country of their Slack, such as `ja-JP`."""

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> "Verdict | None":
        """None if another version of the app has written it."""
        try:
            fields = json.loads(text)
            refusal = RefusalCode(fields["refusal"]) if fields["refusal"] else None
            return cls(**fields | {"refusal": refusal})
        except (ValueError, TypeError, LookupError):
            return None


@dataclass(slots=True)
class Existence:
    """Looks up a request's workspace, user and channel, and caches the verdicts."""

    store: LookupCache
    client: Directory
    settings: SlackSettings
    clock: Clock

    def judge(self, incoming: Incoming) -> Verdict:
        """The first refusal of team, user and channel, and whether the channel is external.

        Raises StoreUnavailable and SlackUnavailable.
        """
        team, may_be_unseen = incoming.team, incoming.kind in WITHOUT_MEMBERSHIP
        lookups = {f"team:{team}": self._look_up_team, f"user:{team}:{incoming.user}": self._look_up_user}
        if may_be_unseen or not incoming.channel.startswith("D"):  # any other direct message is with the app
            # The channel is last: the code below uses its verdict.
            lookups[f"channel:{team}:{incoming.channel}"] = self._look_up_channel
        cached = self.store.cached_values(tuple(lookups), now=self.clock.now().timestamp())
        known = {key: read for key, text in cached.items() if (read := Verdict.from_json(text))}
        fresh: dict[str, Verdict] = {}
        try:
            for key, look_up in lookups.items():
                verdict = known.get(key) or fresh.setdefault(key, look_up(incoming))
                unseen = verdict.refusal is RefusalCode.CHANNEL_UNKNOWN
                if verdict.refusal and not (unseen and may_be_unseen):
                    return verdict
        finally:  # also if Slack fails in between
            self._cache(fresh, incoming)
        return Verdict(external=incoming.shared or verdict.external or unseen, unseen=unseen)

    def _cache(self, fresh: Mapping[str, Verdict], incoming: Incoming) -> None:
        """One request to the store, or two if there is a refusal."""
        for refused, seconds in ((False, self.settings.existence_cache_seconds), (True, REFUSAL_SECONDS)):
            chosen = {
                key: verdict
                for key, verdict in fresh.items()
                if bool(verdict.refusal) is refused and verdict.refusal is not RefusalCode.CHANNEL_UNKNOWN
            }
            values = {key: verdict.to_json() for key, verdict in chosen.items()}
            for verdict in chosen.values():
                if verdict.name:
                    values[name_key(incoming.team, incoming.user)] = verdict.name
                if verdict.locale:
                    values[locale_key(incoming.team, incoming.user)] = verdict.locale
            if values:
                self.store.cache_values(values, expires_at=self.clock.now().timestamp() + seconds)

    def _look_up_team(self, incoming: Incoming) -> Verdict:
        # Without an argument it is the token's own workspace. Slack also shows those that share a channel.
        answer = _call(self.client.team_info, TEAM_UNKNOWN)
        found = answer is not None and (answer.get("team") or {}).get("id") == incoming.team
        return Verdict(refusal=None if found else RefusalCode.TEAM_UNKNOWN)

    def _look_up_user(self, incoming: Incoming) -> Verdict:
        answer = _call(lambda: self.client.users_info(user=incoming.user, include_locale=True), USER_UNKNOWN)
        if answer is None:
            foreign = incoming.user_team not in ("", incoming.team, incoming.enterprise)
            return Verdict(refusal=RefusalCode.EXTERNAL_USER if foreign else RefusalCode.USER_UNKNOWN)
        user = answer.get("user") or {}
        team = user.get("team_id") or incoming.user_team
        teams = (user.get("enterprise_user") or {}).get("teams", ())  # through Enterprise Grid
        is_member = team == incoming.team or incoming.team in teams
        # A mention may name only the organisation. A user of whom Slack names no workspace is not a member.
        is_member |= bool(team) and not teams and team == incoming.enterprise
        rules = (
            (bool(user.get("is_stranger")) or not is_member, RefusalCode.EXTERNAL_USER),
            (bool(user.get("deleted")), RefusalCode.USER_DEACTIVATED),
            (bool(user.get("is_bot")) or incoming.user == SLACKBOT, RefusalCode.USER_UNKNOWN),
        )
        refusal = next((refusal for applies, refusal in rules if applies), None)
        return Verdict(refusal=refusal, name=display_name(user), locale=str(user.get("locale") or ""))

    def _look_up_channel(self, incoming: Incoming) -> Verdict:
        name, client = incoming.channel, self.client
        if name.startswith("D"):  # one with the app can be read (`im:history`); one between others cannot
            answer = _call(lambda: client.conversations_history(channel=name, limit=1), CHANNEL_UNKNOWN)
        else:
            answer = _call(lambda: client.conversations_info(channel=name), CHANNEL_UNKNOWN)
        if answer is None:
            return Verdict(refusal=RefusalCode.CHANNEL_UNKNOWN)
        channel = answer.get("channel") or {}  # the answer of `conversations.history` has none
        archived = RefusalCode.CHANNEL_ARCHIVED if channel.get("is_archived") else None
        return Verdict(refusal=archived, external=bool(channel.get("is_ext_shared")))


def _call(call: Callable[[], Any], unknown: frozenset[str]) -> Any | None:
    """Call Slack; None if it answers that the object does not exist."""
    try:
        return call()
    except SLACK_FAILURES as error:
        code = post_error_from(error).code
        if code in unknown:
            return None
        log.error("existence_unknown", extra={"fields": {"error_code": code}})
        raise SlackUnavailable(code) from error
