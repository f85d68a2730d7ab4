"""The access policy that is in force: its mode, and every listed id with its origin (S5).

The whitelist is one list, wherever its entries stand: in the environment or in the table. `whitelist.py`
decides about a request with as few reads as possible; this is the whole policy, for people who look at it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from slackapp.codes import RefusalCode
from slackapp.guard.whitelist import first_refusal, ids_in_settings
from slackapp.settings import SlackSettings
from slackapp.stores.contract import Entity, WhitelistStatus
from slackapp.stores.store import Whitelist


class Origin(StrEnum):
    """Where an id is listed."""

    ENVIRONMENT = "environment"
    TABLE = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedId:
    """An id of the whitelist."""

    entity: Entity
    id: str
    origins: tuple[Origin, ...]
    label: str = ""
    """A note for people, from the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectivePolicy:
    """Who may use the app at this moment."""

    mode: Literal["whitelist", "open"]
    listed: tuple[ListedId, ...]
    """Ordered by type and id. In open mode only the channels count: those shared with other organisations."""

    def of(self, entity: Entity) -> tuple[ListedId, ...]:
        """The listed ids of one type."""
        return tuple(each for each in self.listed if each.entity is entity)

    @property
    def refuses_everyone(self) -> bool:
        """Whether no question is answered at all."""
        return self.mode == "whitelist" and not self.listed

    @property
    def summary(self) -> str:
        """One line with the mode and the number of ids of each type."""
        counts = ", ".join(
            f"{count} {entity}{'' if count == 1 else 's'}"
            for entity in Entity
            if (count := len(self.of(entity)))
        )
        return f"{self.mode} ({counts or 'nothing is listed'})" if self.mode == "whitelist" else self.mode

    def refusal(self, *, team: str, channel: str = "", user: str = "") -> RefusalCode | None:
        """Why a question from there would be refused; types whose id is not given are not judged."""
        if self.mode == "open":
            return None
        given = {Entity.TEAM: team, Entity.CHANNEL: channel, Entity.USER: user}
        status: dict[Entity, WhitelistStatus] = {}
        for entity, entity_id in given.items():
            ids = {each.id for each in self.of(entity)}
            listed = WhitelistStatus.LISTED if not entity_id or entity_id in ids else WhitelistStatus.UNLISTED
            status[entity] = listed if ids else WhitelistStatus.NO_ROWS
        return first_refusal(status, direct=channel.startswith("D"))


def effective_policy(store: Whitelist, settings: SlackSettings) -> EffectivePolicy:
    """Read the policy in force; raises StoreUnavailable."""
    rows = {(row.entity, row.id): row.label for row in store.whitelist_entries()}
    from_settings = {(entity, each) for entity, ids in ids_in_settings(settings).items() for each in ids}
    order: Mapping[Entity, int] = {entity: number for number, entity in enumerate(Entity)}
    listed = (
        ListedId(
            entity=entity,
            id=entity_id,
            origins=(
                *([Origin.ENVIRONMENT] if (entity, entity_id) in from_settings else []),
                *([Origin.TABLE] if (entity, entity_id) in rows else []),
            ),
            label=rows.get((entity, entity_id), ""),
        )
        for entity, entity_id in sorted(from_settings | rows.keys(), key=lambda key: (order[key[0]], key[1]))
    )
    return EffectivePolicy(mode=settings.access_mode, listed=tuple(listed))
