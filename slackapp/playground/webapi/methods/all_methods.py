"""Every method that the local Slack answers."""

from functools import partial

from slackapp.playground.webapi.methods import (
    chat,
    conversations,
    reactions,
    sessions,
    streams,
    uploads,
    users,
    validation,
    views,
)
from slackapp.playground.webapi.methods.context import Method

METHODS = {
    "agents.sessions.setStatus": Method(
        run=sessions.set_session_status, scope="chat:write", agents_only=True
    ),
    "apps.connections.open": Method(run=users.open_connection, per_minute=1, app_token=True),
    "assistant.threads.setSuggestedPrompts": Method(
        run=sessions.set_suggested_prompts, scope="assistant:write", per_minute=100
    ),
    "assistant.threads.setStatus": Method(run=sessions.set_thread_status, scope="chat:write", per_minute=600),
    "auth.test": Method(run=users.auth_test, per_minute=600),
    "blocks.validate": Method(run=validation.validate),
    "bots.info": Method(run=users.bot_info, scope="users:read"),
    "chat.appendStream": Method(run=streams.append, scope="chat:write", per_minute=100, agents_only=True),
    "chat.delete": Method(run=chat.delete, scope="chat:write"),
    "chat.getPermalink": Method(run=chat.get_permalink, per_minute=600),
    "chat.postEphemeral": Method(run=chat.post_ephemeral, scope="chat:write", per_minute=100),
    "chat.postMessage": Method(run=chat.post, scope="chat:write", per_minute=60, per_channel=True),
    "chat.startStream": Method(run=streams.start, scope="chat:write", per_minute=20, agents_only=True),
    "chat.stopStream": Method(run=streams.stop, scope="chat:write", per_minute=20, agents_only=True),
    "chat.update": Method(run=chat.update, scope="chat:write"),
    "conversations.history": Method(run=conversations.history),
    "conversations.info": Method(run=conversations.info),
    "conversations.open": Method(run=conversations.open_direct, scope="im:write"),
    "conversations.replies": Method(run=conversations.replies),
    "files.completeUploadExternal": Method(run=uploads.complete, scope="files:write", per_minute=100),
    "files.delete": Method(run=uploads.delete, scope="files:write"),
    "files.getUploadURLExternal": Method(run=uploads.get_url, scope="files:write", per_minute=100),
    "files.info": Method(run=uploads.info, scope="files:read", per_minute=100),
    "reactions.add": Method(run=partial(reactions.change, "added"), scope="reactions:write"),
    "reactions.get": Method(run=reactions.get, scope="reactions:read"),
    "reactions.remove": Method(
        run=partial(reactions.change, "removed"), scope="reactions:write", per_minute=20
    ),
    "team.info": Method(run=users.team_info, scope="team:read"),
    "users.info": Method(run=users.user_info, scope="users:read", per_minute=100),
    "views.open": Method(run=views.open_modal, per_minute=100),
    "views.publish": Method(run=views.publish_home, per_minute=100),
}
