"""What the app says once it is connected: as whom it answers, for whom, from which store, by which model."""

import logging
from collections.abc import Mapping

from fetcher.aws import region_of
from slackapp.commands.whitelist import how_to_let_in
from slackapp.guard.effective_policy import effective_policy
from slackapp.run.health import model_of
from slackapp.settings import SlackSettings
from slackapp.slack.client import Identity
from slackapp.stores.contract import Store, StoreUnavailable

log = logging.getLogger(__name__)


def announce(identity: Identity, settings: SlackSettings, environ: Mapping[str, str], store: Store) -> None:
    """Log the start line; if this workspace is not let in, say so loudly, with the command that mends it."""
    team = identity.team_id
    fields = {"event": "started", "team": team, "store": store_place(settings), "model": model_of(environ)}
    sentence = (
        f"Answering in Slack as {identity.bot_name} in {identity.team_name} ({team}), over Socket Mode."
    )
    try:
        policy = effective_policy(store, settings)
    except StoreUnavailable as error:
        log.info(sentence, extra={"fields": {**fields, "access": "unknown"}})
        log.error("store_unavailable", extra={"fields": {"error": str(error)}})
        return
    log.info(sentence, extra={"fields": {**fields, "access": policy.summary}})
    if policy.refusal(team=team):
        why = "the whitelist is empty" if policy.refuses_everyone else f"the whitelist does not list {team}"
        sentence = f"NO QUESTION WILL BE ANSWERED: {why}. To let this workspace in: {how_to_let_in(team)}"
        log.warning(sentence, extra={"fields": {"event": "whitelist_refuses_all"}})


def store_place(settings: SlackSettings) -> str:
    """Which store it is, and where."""
    if settings.store_kind == "sqlite":
        return f"sqlite, {settings.sqlite_file}"
    where = settings.dynamodb_endpoint_url or region_of(settings.aws_region_name)
    return f"dynamodb, {where}, {settings.table_name('dedupe')}"
