"""Who may use the app: rows of the table and ids from the settings (S5).

Every type that has entries must list the request's id: with a team and two channels listed, the team's
other channels are refused. A list without any entry refuses everyone; `ACCESS_MODE=open` allows everyone.

For a direct message the channel is not checked: team and user decide. If only channels are listed, direct
messages are refused, because such a list names every place where the app may be used.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, WhitelistStatus
from slackapp.stores.store import Whitelist

REFUSALS = {
    Entity.TEAM: RefusalCode.TEAM_NOT_ALLOWED,
    Entity.CHANNEL: RefusalCode.CHANNEL_NOT_ALLOWED,
    Entity.USER: RefusalCode.USER_NOT_ALLOWED,
}


@dataclass(frozen=True, slots=True)
class Access:
    """Checks requests against the whitelist."""

    store: Whitelist
    settings: SlackSettings

    def refusal(self, incoming: Incoming, *, external: bool) -> RefusalCode | None:
        """The reason to refuse, if any. Raises StoreUnavailable.

        An external channel must itself be listed, even in open mode (S6).
        """
        is_open = self.settings.access_mode == "open"
        if is_open and not external:
            return None
        ids = {Entity.TEAM: incoming.team, Entity.CHANNEL: incoming.channel, Entity.USER: incoming.user}
        status = dict(self.store.whitelist_status(ids))
        for entity, listed in ids_in_settings(self.settings).items():
            if ids[entity] in listed:
                status[entity] = WhitelistStatus.LISTED
            elif listed and status[entity] is WhitelistStatus.NO_ROWS:
                status[entity] = WhitelistStatus.UNLISTED
        if external and status[Entity.CHANNEL] is not WhitelistStatus.LISTED:
            return RefusalCode.EXTERNAL_CHANNEL
        return None if is_open else first_refusal(status, direct=incoming.channel.startswith("D"))


def ids_in_settings(settings: SlackSettings) -> Mapping[Entity, frozenset[str]]:
    """The ids that the environment lists; they count as rows."""
    return {
        Entity.TEAM: frozenset(settings.whitelist_team_ids),
        Entity.CHANNEL: frozenset(settings.whitelist_channel_ids),
        Entity.USER: frozenset(settings.whitelist_user_ids),
    }


def first_refusal(status: Mapping[Entity, WhitelistStatus], *, direct: bool) -> RefusalCode | None:
    """The refusal for the first type that does not list the request's id. Pure."""
    checked = [entity for entity in Entity if status[entity] is not WhitelistStatus.NO_ROWS]
    if direct and checked != [Entity.CHANNEL]:
        checked = [entity for entity in checked if entity is not Entity.CHANNEL]
    if not checked:
        return RefusalCode.TEAM_NOT_ALLOWED
    return next((REFUSALS[entity] for entity in checked if status[entity] is WhitelistStatus.UNLISTED), None)
