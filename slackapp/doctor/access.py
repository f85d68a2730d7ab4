"""Who is let in: the whitelist in force, and the channel of `--channel`."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from slackapp.codes import RefusalCode
from slackapp.commands.terminal import own_command
from slackapp.commands.whitelist import ID_PATTERNS, WHERE, how_to_let_in
from slackapp.doctor.findings import Examination, Finding, bad, good, skipped
from slackapp.doctor.slack_failures import explain
from slackapp.guard.effective_policy import effective_policy
from slackapp.slack.errors import SLACK_FAILURES
from slackapp.stores.contract import Entity, StoreError
from slackapp.stores.opening import open_store


def check_whitelist(examination: Examination) -> Iterator[Finding]:
    """Whether questions of this workspace are answered at all."""
    try:
        with closing(open_store(examination.settings, examination.environ)) as store:
            policy = examination.policy = effective_policy(store, examination.settings)
    except StoreError:
        yield skipped("whitelist: the store cannot be read, see below")
        return
    team = examination.identity.team_id if examination.identity else ""
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
    """Whether the bot is a member of the channel, and answers there."""
    channel, policy = examination.channel, examination.policy
    if not channel:
        yield skipped("membership of a channel: name one with --channel C0123ABCD")
        return
    if not ID_PATTERNS[Entity.CHANNEL].fullmatch(channel):
        yield bad(f"{channel} is not the id of a channel", f"An id looks like C0123ABCD. {WHERE}")
        return
    found: Mapping[str, Any] = {"is_member": True}
    if not channel.startswith("D"):  # Slack tells of a direct message only with a scope that the app lacks
        try:
            found = examination.client().conversations_info(channel=channel).get("channel") or {}
        except SLACK_FAILURES as error:
            yield explain(error, examination)
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
    is_listed = channel in {each.id for each in policy.of(Entity.CHANNEL)}
    team = examination.identity.team_id if examination.identity else ""
    advice = f"Run: {own_command(f'whitelist add channel {channel}')}"
    if found.get("is_ext_shared") and not is_listed:
        yield bad(f"{name} is shared with another organisation, and must be listed itself", advice)
    elif policy.refusal(team=team, channel=channel) is RefusalCode.CHANNEL_NOT_ALLOWED:
        yield bad(f"the whitelist names other channels, and not {name}", advice)
