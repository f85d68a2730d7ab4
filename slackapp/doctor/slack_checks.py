"""The app in its workspace: tokens, scopes, the clock, the whitelist, a channel."""

import re
import ssl
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from slack_sdk.errors import SlackApiError

from slackapp.codes import RefusalCode
from slackapp.commands import manifest
from slackapp.commands.terminal import own_command
from slackapp.commands.whitelist import ID_PATTERNS, WHERE, how_to_let_in
from slackapp.doctor.findings import Examination, Finding, bad, good, skipped
from slackapp.run.socket_mode import NEEDED
from slackapp.slack.client import Identity
from slackapp.slack.errors import SLACK_FAILURES, RateLimited, post_error_from
from slackapp.stores.contract import Entity

APP_ID = re.compile(r"xapp-[0-9]+-(A[A-Z0-9]+)-")
"""The app of an app-level token, which Slack writes into the token."""
ADVICE = {
    "missing_scope": "Paste the current manifest at App Manifest, save, and install the app again.",
    "channel_not_found": "Check the id (docs/deploy.md says where it is), and type /invite @webreader "
    "in the channel: Slack shows private channels to members only.",
    "account_inactive": "The bot was removed from the workspace: install the app again.",
    "token_revoked": "The token was revoked: install the app again, and copy the new one.",
}


def check_bot_token(examination: Examination) -> Iterator[Finding]:
    """Whether Slack takes the bot's token; its answer also tells scopes and time."""
    if wrong := _wrong_form(examination, "slack_bot_token"):
        yield wrong
        return
    variable, _, place = NEEDED["slack_bot_token"]
    try:
        answer = examination.client().auth_test()
    except SLACK_FAILURES as error:
        yield _explain(error, examination, f"{variable}: Copy it again from {place}; install the app before.")
        return
    examination.identity = identity = Identity.from_answer(answer)
    yield good(f"Slack takes {variable}: {identity.bot_name} in {identity.team_name} ({identity.team_id})")
    headers = {
        name.lower(): value[0] if isinstance(value, list) else value
        for name, value in (answer.headers or {}).items()
    }
    if granted := headers.get("x-oauth-scopes"):
        yield _judge_scopes({scope.strip() for scope in granted.split(",")})
    if told := headers.get("date"):
        yield _judge_clock(
            examination, (examination.clock.now() - parsedate_to_datetime(told)).total_seconds()
        )


def _wrong_form(examination: Examination, name: str) -> Finding | None:
    """A token that is missing or another one, which Slack need not be asked for."""
    variable, prefix, place = NEEDED[name]
    token = getattr(examination.settings, name).get_secret_value()
    if token.startswith(prefix):
        return None
    said = f"{variable} does not begin with {prefix}" if token else f"{variable} is not set"
    return bad(said, f"Copy it from {place} at api.slack.com/apps into .env.")


def _judge_scopes(granted: set[str]) -> Finding:
    wanted = manifest.bot_scopes()
    if not (missing := sorted(wanted - granted)):
        return good(f"all {len(wanted)} scopes of the manifest are granted")
    return bad(
        f"scopes are missing: {', '.join(missing)}",
        f"Paste the output of `{own_command('manifest --socket')}` at App Manifest, save, and choose "
        "Install App > Reinstall to Workspace. docs/deploy.md says what each scope is for.",
    )


def _judge_clock(examination: Examination, off: float) -> Finding:
    """Leases and signatures depend on the clock."""
    if abs(off) <= examination.settings.clock_skew_seconds + 1:  # the header has whole seconds
        return good("this machine's clock agrees with Slack's")
    said = f"this machine's clock is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} Slack's"
    return bad(said, "Set the clock by NTP (`timedatectl set-ntp true`, or your system's time service).")


def check_app_token(examination: Examination) -> Iterator[Finding]:
    """Whether Slack would open a Socket Mode connection, and to the app of the bot.

    The connection itself is not opened: the app's log says why it cannot be (`socket_failed`).
    """
    settings, (variable, _, place) = examination.settings, NEEDED["slack_app_token"]
    token = settings.slack_app_token.get_secret_value()
    if not token and settings.slack_signing_secret.get_secret_value():
        yield skipped(f"Socket Mode: {variable} is not set, so Slack calls the app's address")
        return
    if wrong := _wrong_form(examination, "slack_app_token"):
        yield wrong
        return
    try:
        examination.client().apps_connections_open(app_token=token)
        identity = examination.identity
        bot = examination.client().bots_info(bot=identity.bot_id).get("bot") if identity else None
    except SLACK_FAILURES as error:
        advice = f"{variable}: It needs connections:write, and Socket Mode must be on ({place})."
        yield _explain(error, examination, advice)
        return
    named, other = APP_ID.match(token), (bot or {}).get("app_id")
    if named and other and named[1] != other:  # then Slack delivers nothing, and says nothing either
        yield bad(
            f"SLACK_BOT_TOKEN is of the app {other}, {variable} of {named[1]}",
            "Copy both from the same app at api.slack.com/apps: Slack sends events to the second one.",
        )
    else:
        yield good(f"Slack takes {variable}: Socket Mode is on")


def check_whitelist(examination: Examination) -> Iterator[Finding]:
    """Whether questions of this workspace are answered at all; without a store its own check says why."""
    if (policy := examination.policy) is None:
        return
    team = examination.team
    wrong = [each.id for each in policy.listed if not ID_PATTERNS[each.entity].fullmatch(each.id)]
    if wrong:
        advice = f"A team is T…, a channel C… or G…, a user U… or W…. {WHERE}"
        yield bad(f"the whitelist has ids of another kind: {', '.join(wrong)}", advice)
    if policy.refuses_everyone:
        yield bad("the whitelist is empty: no one is answered", f"Run: {how_to_let_in(team or 'T0123ABCD')}")
    elif team and policy.refusal(team=team):
        listed = ", ".join(each.id for each in policy.of(Entity.TEAM))
        said = f"the whitelist lets in {listed}, and not this workspace ({team})"
        yield bad(said, f"Run: {how_to_let_in(team)}")
    else:
        yield good(f"access: {policy.summary}")


def check_channel(examination: Examination) -> Iterator[Finding]:
    """Whether the bot is a member of the channel of `--channel`, and answers there."""
    channel, policy = examination.channel, examination.policy
    if not channel:
        return
    if not ID_PATTERNS[Entity.CHANNEL].fullmatch(channel):
        yield bad(f"{channel} is not the id of a channel", f"An id looks like C0123ABCD. {WHERE}")
        return
    found: Mapping[str, Any] = {"is_member": True}
    if not channel.startswith("D"):  # Slack tells of a direct message only with a scope that the app lacks
        try:
            found = examination.client().conversations_info(channel=channel).get("channel") or {}
        except SLACK_FAILURES as error:
            yield _explain(error, examination)
            return
    name = f"{channel} (#{found['name']})" if found.get("name") else channel
    if found.get("is_archived"):
        yield bad(f"{name} is archived", "Unarchive it, or name another channel.")
    elif not found.get("is_member"):
        yield bad(f"the bot is not a member of {name}", "Type /invite @webreader in the channel.")
    else:
        yield good(f"the bot is a member of {name}")
    if policy is None or policy.refuses_everyone:
        return
    advice = f"Run: {own_command(f'whitelist add channel {channel}')}"
    if found.get("is_ext_shared") and channel not in {each.id for each in policy.of(Entity.CHANNEL)}:
        yield bad(f"{name} is shared with another organisation, and must be listed itself", advice)
    elif policy.refusal(team=examination.team, channel=channel) is RefusalCode.CHANNEL_NOT_ALLOWED:
        yield bad(f"the whitelist names other channels, and not {name}", advice)


def _explain(error: Exception, examination: Examination, advice: str = "") -> Finding:
    """What failed, and what to do: by Slack's code, else as the caller says.

    A manifest gives scopes to the bot's token only, so a caller with advice for a token knows better.
    """
    failure, api_url = post_error_from(error), examination.settings.slack_api_url
    if isinstance(failure, RateLimited):
        return bad("Slack has had too many calls", f"Try again in {failure.retry_after:.0f} s.")
    if isinstance(error, SlackApiError) and (failure.retryable or failure.code.startswith("http_")):
        return bad(
            f"{api_url} answers {failure.code}",
            "Slack has a fault of its own (see status.slack.com), or a proxy or a firewall answers in its "
            "place: outgoing HTTPS to slack.com must be allowed.",
        )
    if isinstance(error, SlackApiError):
        by_code = "" if advice and failure.code == "missing_scope" else ADVICE.get(failure.code, "")
        return bad(f"Slack refuses: {failure.code}", by_code or advice or "See docs/errors.md.")
    reason = getattr(error, "reason", error)  # of a URLError
    named = "unknown protocol" if isinstance(reason, str) else type(reason).__name__
    said = f"Slack cannot be reached at {api_url} ({named})"
    if isinstance(reason, ssl.SSLError):
        return bad(said, "If a proxy inspects TLS, set SSL_CERT_FILE to a file with its certificate.")
    if proxy := examination.proxy():
        return bad(
            f"{said}, through the proxy {proxy}",
            "Check HTTPS_PROXY: it is written as http://host:port or http://user:password@host:port; "
            "SOCKS is not supported. Slack's SDK does not know NO_PROXY.",
        )
    return bad(said, "Outgoing HTTPS to slack.com must be allowed. Behind a proxy, set HTTPS_PROXY.")
