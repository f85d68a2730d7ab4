"""The methods about the caller, users and teams, and `apps.connections.open`."""

from slackapp.playground.errors import ApiRefused
from slackapp.playground.values import Json
from slackapp.playground.webapi.arguments import Arguments
from slackapp.playground.webapi.methods.context import Context


def auth_test(context: Context, _: Arguments) -> Json:
    app = context.app
    return {
        "url": context.workspace.teams[app.team_id].url,
        "team": context.workspace.teams[app.team_id].name,
        "user": context.workspace.users[app.bot_user].name,
        "team_id": app.team_id,
        "user_id": app.bot_user,
        "bot_id": app.bot_id,
        "is_enterprise_install": False,
    }


def bot_info(context: Context, arguments: Arguments) -> Json:
    """Of an installed app. Authority: docs.slack.dev, "bots.info method"."""
    name = arguments.text("bot") or context.app.bot_id
    app = next((app for app in context.publisher.apps.values() if app.bot_id == name), None)
    if app is None:
        raise ApiRefused("bot_not_found")
    return {
        "bot": {
            "id": app.bot_id,
            "deleted": False,
            "name": app.name,
            "app_id": app.app_id,
            "user_id": app.bot_user,
        }
    }


def team_info(context: Context, arguments: Arguments) -> Json:
    team = context.workspace.teams.get(arguments.text("team") or context.app.team_id)
    if team is None:
        raise ApiRefused("team_not_found")
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "email_domain": ""}}


def open_connection(context: Context, _: Arguments) -> Json:
    return {"url": context.sockets.create_url(context.app)}


def user_info(context: Context, arguments: Arguments) -> Json:
    """The locale is there only for callers that ask for it (docs.slack.dev/reference/methods/users.info)."""
    user = context.workspace.user(arguments.required("user"))
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
    team = context.workspace.teams.get(user.team_id)
    if team and team.enterprise_id:
        view["enterprise_user"] = {
            "id": user.id,
            "enterprise_id": team.enterprise_id,
            "enterprise_name": team.name,
            "teams": [team.id],
        }
    if not user.deleted:
        view |= {
            "real_name": user.real_name,
            "tz": "Asia/Tokyo",
            "tz_offset": 32_400,
            "is_admin": user.is_admin,
            "is_owner": False,
            "is_primary_owner": False,
            "is_restricted": user.is_restricted,
            "is_ultra_restricted": False,
        }
    if arguments.flag("include_locale"):
        view["locale"] = user.locale
    return {"user": view}
