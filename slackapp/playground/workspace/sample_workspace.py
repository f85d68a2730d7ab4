"""The workspace that a local Slack starts with."""

from slackapp.playground.workspace.workspace import Workspace

TEAM = "T0LOCAL"
PEOPLE = (
    ("U0TANAKA", "tanaka", "田中 花子", "ja-JP"),
    ("U0SATO", "sato", "佐藤 健", "ja-JP"),
    ("U0SUZUKI", "suzuki", "鈴木 陽子", "ja-JP"),
    ("U0SMITH", "smith", "Emma Smith", "en-US"),
)
ADMIN = "U0SUZUKI"
CHANNELS = (
    ("C0GENERAL", "general", "一般：全員への連絡"),
    ("C0RANDOM", "random", "雑談"),
)


def populate(workspace: Workspace) -> None:
    """Adds one company, four people and two channels."""
    workspace.add_team(TEAM, "サンプル株式会社", "sample")
    for user_id, name, real_name, locale in PEOPLE:
        workspace.add_user(
            name, user_id=user_id, real_name=real_name, locale=locale, is_admin=user_id == ADMIN
        )
    for channel_id, name, topic in CHANNELS:
        workspace.add_channel(name, channel_id=channel_id, topic=topic)
