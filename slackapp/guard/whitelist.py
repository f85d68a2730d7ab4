"""Who may use the app: rows of the table and ids from the settings (S5).

Every type that has entries must name the request's id: with a team and two channels listed, the team's
other channels are refused. A list without any entry lets nobody in; `ACCESS_MODE=open` lets everybody.

A direct message is between a user and us, so channels are not asked about there: team and user decide. Only
where channels alone are listed is it refused, for such a list names every place where the app may be used.
"""

from collections.abc import Mapping

from slackapp.codes import RefusalCode
from slackapp.listeners.incoming import Incoming
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, Whitelist, WhitelistStatus

REFUSALS = {
    Entity.TEAM: RefusalCode.TEAM_NOT_ALLOWED,
    Entity.CHANNEL: RefusalCode.CHANNEL_NOT_ALLOWED,
    Entity.USER: RefusalCode.USER_NOT_ALLOWED,
}


class Access:
    """Judges requests by the whitelist."""

    def __init__(self, store: Whitelist, settings: SlackSettings) -> None:
        self._store = store
        self._open = settings.access_mode == "open"
        self._settled = {
            Entity.TEAM: frozenset(settings.whitelist_team_ids),
            Entity.CHANNEL: frozenset(settings.whitelist_channel_ids),
            Entity.USER: frozenset(settings.whitelist_user_ids),
        }

    def refusal(self, incoming: Incoming, *, external: bool) -> RefusalCode | None:
        """An external channel must itself be listed, even in open mode (S6). Raises StoreUnavailable."""
        if self._open and not external:
            return None
        standing = self._standing(incoming)
        if external and standing[Entity.CHANNEL] is not WhitelistStatus.LISTED:
            return RefusalCode.EXTERNAL_CHANNEL
        return None if self._open else judged(standing, direct=incoming.channel.startswith("D"))

    def _standing(self, incoming: Incoming) -> Mapping[Entity, WhitelistStatus]:
        """The table's word, unless the settings name the id; ids in the settings count as rows."""
        ids = {Entity.TEAM: incoming.team, Entity.CHANNEL: incoming.channel, Entity.USER: incoming.user}
        rows = self._store.whitelist_status(ids)
        return {entity: self._joined(entity, ids[entity], rows[entity]) for entity in ids}

    def _joined(self, entity: Entity, entity_id: str, row: WhitelistStatus) -> WhitelistStatus:
        settled = self._settled[entity]
        if entity_id in settled:
            return WhitelistStatus.LISTED
        return WhitelistStatus.UNLISTED if settled and row is WhitelistStatus.NO_ROWS else row


def judged(standing: Mapping[Entity, WhitelistStatus], *, direct: bool) -> RefusalCode | None:
    """The first type that speaks against the request. Pure."""
    asked = [entity for entity in Entity if standing[entity] is not WhitelistStatus.NO_ROWS]
    if direct and asked != [Entity.CHANNEL]:
        asked = [entity for entity in asked if entity is not Entity.CHANNEL]
    if not asked:
        return RefusalCode.TEAM_NOT_ALLOWED
    return next((REFUSALS[entity] for entity in asked if standing[entity] is WhitelistStatus.UNLISTED), None)
