"""The bot's token: its form, whether Slack takes it, its scopes; and this machine's clock against Slack's."""

from collections.abc import Iterator
from email.utils import parsedate_to_datetime

from slackapp.commands import manifest
from slackapp.commands.terminal import own_command
from slackapp.doctor.findings import Examination, Finding, bad, good, skipped
from slackapp.doctor.slack_failures import explain
from slackapp.run.socket_mode import NEEDED
from slackapp.slack.client import Identity
from slackapp.slack.errors import SLACK_FAILURES

UNCONNECTED = "Slack has not said who the bot is"


def check_token(examination: Examination) -> Iterator[Finding]:
    """Whether Slack takes the bot's token; the answer says who the bot is."""
    variable, prefix, place = NEEDED["slack_bot_token"]
    token = examination.settings.slack_bot_token.get_secret_value()
    if not token.startswith(prefix):
        said = f"{variable} does not begin with {prefix}" if token else f"{variable} is not set"
        yield bad(said, f"Copy it from {place} at api.slack.com/apps into .env.")
        return
    try:
        answer = examination.client().auth_test()
    except SLACK_FAILURES as error:
        yield explain(error, examination, f"{variable}: Copy it again from {place}; install the app before.")
        return
    examination.identity = identity = Identity.from_answer(answer)
    examination.headers = {
        name.lower(): value[0] if isinstance(value, list) else value
        for name, value in (answer.headers or {}).items()
    }
    yield good(f"Slack takes {variable}: {identity.bot_name} in {identity.team_name} ({identity.team_id})")


def check_scopes(examination: Examination) -> Iterator[Finding]:
    """Whether the token has every scope of the manifest (slack_bolt reads them from the same header)."""
    granted = examination.headers.get("x-oauth-scopes", "")
    if not granted:
        yield skipped(f"scopes: {UNCONNECTED}" if not examination.identity else "scopes: Slack names none")
        return
    wanted = manifest.bot_scopes()
    missing = sorted(wanted - {scope.strip() for scope in granted.split(",")})
    if not missing:
        yield good(f"all {len(wanted)} scopes of the manifest are granted")
        return
    yield bad(
        f"scopes are missing: {', '.join(missing)}",
        f"Paste the output of `{own_command('manifest --socket')}` at App Manifest, save, and choose "
        "Install App > Reinstall to Workspace. docs/deploy.md says what each scope is for.",
    )


def check_clock(examination: Examination) -> Iterator[Finding]:
    """Whether this machine's clock agrees with Slack's: leases and signatures depend on it."""
    told = examination.headers.get("date", "")
    if not told:
        yield skipped(f"clock: {UNCONNECTED}")
        return
    off = (examination.clock.now() - parsedate_to_datetime(told)).total_seconds()
    most = examination.settings.clock_skew_seconds + 1  # the header has whole seconds
    if abs(off) <= most:
        yield good("this machine's clock agrees with Slack's")
    else:
        said = f"this machine's clock is {abs(off):.0f} s {'ahead of' if off > 0 else 'behind'} Slack's"
        yield bad(said, "Set the clock by NTP (`timedatectl set-ntp true`, or your system's time service).")
