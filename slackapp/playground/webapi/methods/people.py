"""Who calls, who works here, and where."""

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context
from slackapp.playground.workspace.records import User


def auth_test(context: Context, _: Arguments) -> Json:
    app = context.app
    return {
        "url": context.base_url,
        "team": context.workspace.teams[app.team_id].name,
        "user": context.workspace.users[app.bot_user].name,
        "team_id": app.team_id,
        "user_id": app.bot_user,
        "bot_id": app.bot_id,
        "is_enterprise_install": False,
    }


def team_info(context: Context, arguments: Arguments) -> Json:
    team = context.workspace.teams.get(arguments.text("team") or context.app.team_id)
    if team is None:
        raise ApiRefused("team_not_found")
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "email_domain": ""}}


def user_info(context: Context, arguments: Arguments) -> Json:
    return {"user": shown(context.workspace.user(arguments.required("user")))}


def open_connection(context: Context, _: Arguments) -> Json:
    return {"url": context.sockets.ticket(context.app)}


def shown(user: User) -> Json:
    """A user as Slack describes them; a deactivated one keeps little."""
    view: Json = {
        "id": user.id,
        "team_id": user.team_id,
        "name": user.name,
        "deleted": user.deleted,
        "is_bot": user.is_bot,
        "is_app_user": False,
        "profile": {
            "real_name": user.real_name,
            "display_name": user.real_name,
            "team": user.team_id,
        },
    }
    if user.deleted:
        return view
    return view | {
        "real_name": user.real_name,
        "tz": "Asia/Tokyo",
        "tz_offset": 32_400,
        "is_admin": False,
        "is_restricted": user.is_restricted,
        "is_ultra_restricted": False,
    }
