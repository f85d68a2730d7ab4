"""Shows the app's Home tab: how to ask, whether the user may, and more to the admins of the workspace.

No text of a message is stored for it: only links to threads, and counters.
"""

import logging
import re
from dataclasses import dataclass, replace

from fetcher.wording.language import speaking
from slackapp import wording
from slackapp.codes import RefusalCode
from slackapp.guard.effective_policy import effective_policy
from slackapp.guard.whitelist import REFUSALS
from slackapp.listeners.incoming import HomeOpened, Incoming, Kind, ModalWanted, Name
from slackapp.slack.errors import PostError, translated_errors
from slackapp.stores.contract import Entity, StoreUnavailable
from slackapp.work.dependencies import Dependencies
from slackapp.work.views import AdminPart, Home, home_blocks, reading_modal

log = logging.getLogger(__name__)

MOST_THREADS = 5
_THREAD = re.compile(r"archives/([A-Z0-9]+)/p([0-9]+)[0-9]{6}")


@dataclass(slots=True)
class HomeTab:
    """Collects what the Home tab shows. What the store or Slack does not say is left out."""

    dependencies: Dependencies

    def show(self, opened: HomeOpened) -> None:
        """Publish the tab for the user who looks at it."""
        language = self.dependencies.locales.language_of
        try:
            with speaking(lambda: language(opened.team, opened.user)):
                self.dependencies.poster.show_home(opened.user, home_blocks(self._home(opened)))
        except PostError as error:
            log.warning("home_not_shown", extra={"fields": {"error_code": error.code}})

    def open_modal(self, wanted: ModalWanted) -> None:
        """Open the modal for a link and a question."""
        try:
            with speaking(self.dependencies.locales.language_of(wanted.team, wanted.user)):
                self.dependencies.poster.open_modal(wanted.trigger, reading_modal(wanted.channel))
        except PostError as error:
            log.warning("modal_not_opened", extra={"fields": {"error_code": error.code}})

    def _home(self, opened: HomeOpened) -> Home:
        dependencies, settings = self.dependencies, self.dependencies.settings
        asked = Incoming(
            kind=Kind.DIRECT,
            key=f"home:{opened.team}:{opened.user}",
            team=opened.team,
            channel=opened.channel,
            user=opened.user,
            enterprise=opened.enterprise,
        )
        refusal = dependencies.guard.check(asked, charged=True)  # looking is not counted
        home = Home(
            channel=opened.channel,
            refusal=wording.refusal(refusal.code) if refusal else "",
            contact=settings.admin_contact,
            read_reaction=settings.read_reaction,
        )
        try:
            policy = effective_policy(dependencies.store, settings)
            is_member = refusal is None or refusal.code in REFUSALS.values()  # others learn no channels
            places = policy.of(Entity.CHANNEL) if is_member and policy.mode == "whitelist" else ()
            left = dependencies.guard.budget.left(opened.team)
            codes = (RefusalCode.DAILY_QUESTIONS, RefusalCode.DAILY_TOKENS)
            spent = [wording.refusal(code) for code, rest in zip(codes, left, strict=True) if rest == 0]
            home = replace(
                home,
                refusal=next(iter([home.refusal] if home.refusal else spent), ""),
                places=tuple(each.id for each in places),
                left=left,
                threads=self._threads(opened),
            )
            if self._is_admin(opened):
                usage = dependencies.guard.usage.week(opened.team)
                admin = AdminPart(usage=usage, policy=policy, health=dependencies.health())
                home = replace(home, admin=admin)
        except StoreUnavailable as error:
            log.warning("home_not_complete", extra={"fields": {"error": str(error)}})
        return home

    def _threads(self, opened: HomeOpened) -> tuple[tuple[str, str, int], ...]:
        """The links to the user's last threads; none if Slack does not say the workspace's address."""
        name, now = Name.THREADS.of(opened.team, opened.user), self.dependencies.now()
        stored = self.dependencies.store.known_urls(name, now=now)[:MOST_THREADS]
        found = [(link, match) for link in stored if (match := _THREAD.fullmatch(link))]
        try:
            with translated_errors():
                base = self.dependencies.identity.url if found else ""
        except PostError as error:
            log.warning("home_not_complete", extra={"fields": {"error_code": error.code}})
            return ()
        return tuple((base + link, match[1], int(match[2])) for link, match in found)

    def _is_admin(self, opened: HomeOpened) -> bool:
        """Whether Slack says that the user is an admin or owner of this workspace."""
        try:
            with translated_errors():
                user = self.dependencies.directory.users_info(user=opened.user).get("user") or {}
        except PostError as error:
            log.warning("home_not_complete", extra={"fields": {"error_code": error.code}})
            return False
        teams = (user.get("team_id"), *(user.get("enterprise_user") or {}).get("teams", ()))
        is_own = opened.team in teams and not (user.get("is_stranger") or user.get("deleted"))
        return is_own and (user.get("is_admin") is True or user.get("is_owner") is True)
