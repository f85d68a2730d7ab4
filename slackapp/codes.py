"""Why the app does not answer a request. Imports nothing."""

from enum import StrEnum


class RefusalCode(StrEnum):
    """The guard's reasons to refuse; each has a sentence in the catalogue."""

    EMPTY = "empty"
    NO_LINK = "no_link"
    MESSAGE_TOO_LONG = "message_too_long"
    TEAM_UNKNOWN = "team_unknown"
    USER_UNKNOWN = "user_unknown"
    USER_DEACTIVATED = "user_deactivated"
    CHANNEL_UNKNOWN = "channel_unknown"
    CHANNEL_ARCHIVED = "channel_archived"
    EXTERNAL_CHANNEL = "external_channel"
    EXTERNAL_USER = "external_user"
    TEAM_NOT_ALLOWED = "team_not_allowed"
    CHANNEL_NOT_ALLOWED = "channel_not_allowed"
    USER_NOT_ALLOWED = "user_not_allowed"
    RATE_LIMITED = "rate_limited"
    DAILY_QUESTIONS = "daily_questions"
    DAILY_TOKENS = "daily_tokens"
    STORE_UNAVAILABLE = "store_unavailable"
    SLACK_UNAVAILABLE = "slack_unavailable"


class IgnoreReason(StrEnum):
    """Why an event is not a request; logged, and not told to users."""

    OWN_MESSAGE = "own_message"
    OTHER_BOT = "other_bot"
    EDITED = "edited"
    SUBTYPE = "subtype"
    NO_USER = "no_user"
    NOT_ADDRESSED = "not_addressed"
    MENTIONS_ANOTHER = "mentions_another"
    EMPTY = "empty"
    MALFORMED = "malformed"
    THREAD_NOT_OURS = "thread_not_ours"
    ALREADY_CLAIMED = "already_claimed"
