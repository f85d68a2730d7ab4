"""The language in which each user reads Slack: English if their locale says so, else Japanese."""

import logging
from dataclasses import dataclass
from typing import Any, Protocol

from fetcher.clock import Clock
from fetcher.wording.language import Language
from slackapp.slack.errors import SLACK_FAILURES, post_error_from
from slackapp.stores.contract import StoreUnavailable
from slackapp.stores.store import LookupCache
from slackapp.thread.slack_text import locale_key

log = logging.getLogger(__name__)


class People(Protocol):
    """The method of Slack's `WebClient` that is used here."""

    def users_info(self, *, user: str, include_locale: bool) -> Any: ...


@dataclass(slots=True)
class Locales:
    """Looks up users' locales, and caches them as the guard caches what it knows of users."""

    client: People
    cache: LookupCache
    clock: Clock
    cache_seconds: float

    def language_of(self, team: str, user: str) -> Language:
        """A user's language; Japanese if the store or Slack does not say. Raises nothing."""
        key, now = locale_key(team, user), self.clock.now().timestamp()
        if not user:
            return Language.JAPANESE
        try:
            if (known := self.cache.cached_values((key,), now=now).get(key)) is not None:
                return Language.of_locale(known)
            person = self.client.users_info(user=user, include_locale=True).get("user") or {}
            locale = str(person.get("locale") or Language.JAPANESE)
            self.cache.cache_values({key: locale}, expires_at=now + self.cache_seconds)
        except StoreUnavailable as error:
            log.warning("locale_not_recalled", extra={"fields": {"error": str(error)}})
        except SLACK_FAILURES as error:
            log.warning("locale_unavailable", extra={"fields": {"error_code": post_error_from(error).code}})
        else:
            return Language.of_locale(locale)
        return Language.JAPANESE
