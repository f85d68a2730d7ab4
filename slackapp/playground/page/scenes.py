"""Scenes of Slack that a sample workspace does not have by itself, for the developer panel to open."""

from collections.abc import Callable

from fetcher.sample import PAGES
from slackapp.playground.server import LocalSlack
from slackapp.playground.values import Json

PARTNER, GUEST, FEED = "T0PARTNER", "U0GUEST", "U0FEED"
LINK = PAGES[0].url


def open_shared_channel(slack: LocalSlack, _: str) -> Json:
    """A channel that is shared with another company on Enterprise Grid, and a person of that company."""
    workspace = slack.workspace
    with workspace.lock:
        if PARTNER not in workspace.teams:
            workspace.add_team(PARTNER, "取引先株式会社", enterprise_id="E0PARTNER")
            workspace.add_user("guest", user_id=GUEST, real_name="取引先の山田", team_id=PARTNER)
            workspace.add_channel("partners", channel_id="C0PARTNERS", shared_with=PARTNER)
    return {"channel": "C0PARTNERS"}


def open_group_dm(slack: LocalSlack, user: str) -> Json:
    """A group DM of the user, a colleague and the app."""
    people = (each.id for each in slack.workspace.users.values() if not each.is_bot)
    colleague = next(each for each in people if each != user)
    return {"channel": slack.workspace.open_group(user, colleague, slack.app.bot_user).id}


def post_from_feed(slack: LocalSlack, _: str) -> Json:
    """Another app posts a page of the sample site, with its link in an attachment and in a button."""
    if FEED not in slack.workspace.users:
        slack.workspace.add_user("newsfeed", user_id=FEED, real_name="ニュース配信", is_bot=True)
    button = {"type": "button", "text": "開く", "url": LINK}
    attachment = {
        "title": "見本のページ",
        "title_link": LINK,
        "fallback": "見本のページ",
        "actions": [button],
    }
    slack.say(FEED, "general", "新着です", attachments=[attachment])
    return {"channel": slack.workspace.channel("general").id}


SCENES: dict[str, Callable[[LocalSlack, str], Json]] = {
    "shared": open_shared_channel,
    "group": open_group_dm,
    "feed": post_from_feed,
}
