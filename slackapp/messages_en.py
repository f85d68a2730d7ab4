"""The app's messages in Slack, in English: the same functions as in `messages_ja`."""

from datetime import datetime

from slackapp.codes import RefusalCode

_CALENDAR = "https://www.gov.uk/bank-holidays"
"""A page for examples, of the British government: bank holidays, with tables. It has been there for many years."""
_FORMATS = ("https://en.wikipedia.org/wiki/JSON", "https://en.wikipedia.org/wiki/YAML")
"""Two pages to compare in examples."""

_REFUSALS = {
    RefusalCode.EMPTY: (
        "Please send the link of a page together with what you want to know.\n"
        f"Example: `{_CALENDAR} make a CSV of this year's holidays`"
    ),
    RefusalCode.NO_LINK: "The message with the reaction has no link that can be read.",
    RefusalCode.MESSAGE_TOO_LONG: "The message is too long to be answered. Please shorten it and send it again.",
    RefusalCode.TEAM_UNKNOWN: (
        "This workspace could not be verified, so the question cannot be answered. Please ask your administrator."
    ),
    RefusalCode.USER_UNKNOWN: (
        "Your account could not be verified, so the question cannot be answered. Please ask your administrator."
    ),
    RefusalCode.USER_DEACTIVATED: (
        "Questions from deactivated accounts cannot be answered. Please ask your administrator."
    ),
    RefusalCode.CHANNEL_UNKNOWN: (
        "This channel could not be checked. Please invite the app to the channel with `/invite` and try again. "
        "In a group DM, please add the app to the group. In other people's DMs it cannot be used."
    ),
    RefusalCode.CHANNEL_ARCHIVED: (
        "Questions in archived channels cannot be answered. Please try another channel."
    ),
    RefusalCode.EXTERNAL_CHANNEL: (
        "The app cannot be used in channels that are shared with other organizations. "
        "Please try a channel of your own organization, or a direct message."
    ),
    RefusalCode.EXTERNAL_USER: (
        "Questions from people outside the organization cannot be answered. Please ask a member to ask for you."
    ),
    RefusalCode.TEAM_NOT_ALLOWED: (
        "The app may not be used in this workspace. Please ask your administrator."
    ),
    RefusalCode.CHANNEL_NOT_ALLOWED: (
        "The app may not be used in this channel. Please try an allowed channel, or ask your administrator."
    ),
    RefusalCode.USER_NOT_ALLOWED: "Your account may not use the app. Please ask your administrator.",
    RefusalCode.DAILY_QUESTIONS: "Today's question limit has been reached. Please try again tomorrow.",
    RefusalCode.DAILY_TOKENS: "Today's usage limit has been reached. Please try again tomorrow.",
    RefusalCode.STORE_UNAVAILABLE: (
        "Questions cannot be accepted at the moment. Please try again in a few minutes."
    ),
    RefusalCode.SLACK_UNAVAILABLE: (
        "Slack did not confirm the details of your request, so it could not be accepted. Please try again later."
    ),
}

_TYPES = (
    "This kind of file is not allowed. Please ask your administrator to add it to the allowed file types."
)
_CONNECT = (
    "Sharing files is not allowed in channels that are shared with other organizations. "
    "Please ask your administrator to allow it in the settings of Slack Connect."
)
_SHARING = "A limit on shared files seems to be reached. Please ask your administrator to check the settings."
_UPLOAD_REMEDIES = {
    "blocked_file_type": _TYPES,
    "file_type_not_allowed": _TYPES,
    "slack_connect_blocked_file_type": _TYPES,
    "file_uploads_disabled": (
        "Uploads are switched off in this workspace. Please ask your administrator to allow them."
    ),
    "file_uploads_except_images_disabled": (
        "Only images may be uploaded in this workspace. Please ask your administrator to allow other files."
    ),
    "file_upload_size_restricted": (
        "The size of uploads is limited. Please ask your administrator to raise the limit, or ask for less and try again."
    ),
    "storage_limit_reached": (
        "The workspace has no storage left. Please ask your administrator to delete files or to change the plan."
    ),
    "posting_to_channel_denied": (
        "Apps may not post files in this channel. Please ask your administrator to check who may post in it."
    ),
    "slack_connect_clip_sharing_blocked": _CONNECT,
    "slack_connect_file_upload_sharing_blocked": _CONNECT,
    "file_share_limit_reached": _SHARING,
    "max_file_sharing_exceeded": _SHARING,
    "unable_to_share_files": _SHARING,
}
"""What an administrator must do, by Slack's code: trying again would not help."""


def refusal(code: RefusalCode, *, wait_seconds: int = 0) -> str:
    """Why a request is not answered, and what to do."""
    if code is RefusalCode.RATE_LIMITED:
        seconds = max(1, wait_seconds)
        return (
            "Several questions came in a short time, so new ones are paused. "
            f"Please wait about {seconds} {'second' if seconds == 1 else 'seconds'} and try again."
        )
    return _REFUSALS[code]


def help_text() -> str:
    """The answer to `/fetch` without a question, and to a call for help."""
    return (
        "This app reads web pages and answers your questions.\n"
        f"• `/fetch {_CALENDAR} summarize in three points`\n"
        f"• `/fetch {_CALENDAR} make a CSV of this year's holidays`\n"
        "You can also mention the app in a channel, or send it a direct message. "
        "Reply in the thread of an answer to ask more."
    )


def accepted() -> str:
    """The placeholder, before anything is known."""
    return "Looking into it…"


def command_root(user: str, question: str) -> str:
    """The first message of a command's thread."""
    return f"<@{user}> asked:\n>{question}"


def opening(host: str) -> str:
    return f"Opening: {host}"


def read(title: str) -> str:
    """A page that was read, in the progress."""
    return f"Read: {title}"


def not_read(host: str) -> str:
    return f"Could not read: {host}"


def thinking() -> str:
    return "Thinking…"


def writing() -> str:
    return "Writing the answer…"


def stopped() -> str:
    return "The answer was stopped."


def nothing_to_stop() -> str:
    """A message asks to stop, and nothing is being answered in its thread."""
    return (
        "There was no answer to stop. To stop one that is being written, add the reaction :x: to your question, "
        'or reply "stop" in its thread.'
    )


def only_the_asker_stops() -> str:
    """To a user who wants to stop the answer to another user's question."""
    return "Only the person who asked can stop this answer."


def first_text_counts() -> str:
    """To the asker who edits a question that is being answered."""
    return (
        "The question is being answered as it was before your edit. "
        "To ask the edited question, please send it as a new message."
    )


def failed() -> str:
    """An unexpected failure."""
    return "Sorry, something went wrong. Please try again later."


def gave_up() -> str:
    """When a request failed again and again."""
    return (
        "Sorry, the answer could not be completed after several tries. "
        "Please wait a while, or change the question, and try again."
    )


def replaced_below() -> str:
    """In a message that Slack does not let the app replace or delete."""
    return "This answer was posted in a new message below."


def remark(sentence: str) -> str:
    """A sentence below an answer about what was left undone."""
    return f"Note: {sentence}"


def steps_title(count: int) -> str:
    """Of the collapsed list of pages that were opened for an answer."""
    return f"Steps taken ({count})"


def sources_heading() -> str:
    return "Sources"


def source_without_title() -> str:
    return "(untitled page)"


def more_sources(count: int) -> str:
    return f"and {count} more"


def continued(number: int, total: int) -> str:
    """Above the later parts of a long answer."""
    return f"(continued {number}/{total})"


def long_answer() -> str:
    """Replaces an answer in notifications if its first line is too long."""
    return "This is a long answer. Please open it in Slack."


def upload_failed(file_name: str, code: str = "") -> str:
    """Why a file is missing, and what to do; `code` is Slack's."""
    remedy = _UPLOAD_REMEDIES.get(code, "Please try again.")
    return f"The file could not be posted ({file_name}). {remedy}"


def upload_not_permitted(file_name: str) -> str:
    return (
        f"The file could not be posted ({file_name}). The app seems to have no permission to post files. "
        "Please ask your administrator to check the app's permissions (`files:write`), and to reinstall it if needed."
    )


def upload_late(file_name: str) -> str:
    """A file that Slack has accepted and does not show yet."""
    return (
        f"The file ({file_name}) was sent to Slack. It will appear in this thread when Slack has processed it. "
        "If it does not appear after a while, please try again."
    )


def not_in_channel() -> str:
    """Above an answer that only the asker sees (S15)."""
    return (
        "The app is not in this channel, so only you can see this. "
        "Invite it with `/invite`, and everyone in the channel will."
    )


def files_need_membership() -> str:
    return "To receive files, please invite the app to the channel and try again."


def feedback_thanks() -> str:
    return "Thank you for your feedback."


def feedback_good() -> str:
    return "Helpful"


def feedback_bad() -> str:
    return "Not helpful"


def reason_title() -> str:
    """Of the modal after "not useful"; Slack accepts 24 characters."""
    return "Tell us what was wrong"


def reason_label() -> str:
    return "Why it was not helpful"


def reason_example() -> str:
    return "Example: the price is old, a column is missing"


def reason_submit() -> str:
    """The button that sends a modal."""
    return "Send"


def reason_close() -> str:
    return "Close"


def attached_files(names: str) -> str:
    """Tells the model which files came with a message."""
    return f"(attached files: {names})"


def shortcut_question() -> str:
    """The question of the shortcut."""
    return "Please read the link in this message and summarize its main points."


def slack_message(moment: datetime) -> str:
    """The title of a message of Slack that is read like a page."""
    return f"Slack message ({moment:%b} {moment.day}, {moment:%H:%M})"


def unknown_author() -> str:
    return "Unknown user"


def prompts_title() -> str:
    """Above the suggested prompts of the Messages tab."""
    return "You can ask, for example"


def suggested_prompts() -> tuple[tuple[str, str], ...]:
    """The suggested prompts: a title, and the question that it sends."""
    return (
        ("Summarize a page", f"{_CALENDAR} Please summarize this page in three points."),
        ("Make a CSV of a table", f"{_CALENDAR} Please make a CSV file of this year's holidays."),
        (
            "Compare two pages",
            f"{_FORMATS[0]} {_FORMATS[1]} Please make a table of the differences between the two.",
        ),
    )


def next_prompts_title() -> str:
    """Above the prompts that fit the last answer."""
    return "You could ask next"


def next_prompt(kind: str, url: str) -> tuple[str, str]:
    """A prompt that fits an answer (`Offer`): a title, and the question that it sends."""
    return {
        "excel": ("Make an Excel file", f"{url} Please make an Excel file of the table."),
        "shorter": ("Make it shorter", f"{url} Please summarize this page in three short lines."),
        "english": ("In English", f"{url} Please tell me the main points in English."),
        "japanese": ("In Japanese", f"{url} Please tell me the main points in Japanese."),
    }[kind]


def app_home(reaction: str = "") -> str:
    """How to ask; `reaction` is the name of the emoji that reads links."""
    read = f"• Reaction: add :{reaction}: to a message with a link.\n" if reaction else ""
    return (
        "*This app reads web pages for you*\n"
        "Send a link and what you want to know. The app reads the page and answers with its sources. "
        "Tables come as Excel or CSV files.\n\n"
        "• Channel: mention this app with a link and a question.\n"
        "• Group DM: add this app and mention it.\n"
        "• Direct message: just send a link and a question.\n"
        f"• Command: `/fetch {_CALENDAR} make a CSV of this year's holidays`\n"
        "• Message shortcut: in the menu of a message with a link, choose the shortcut of this app.\n"
        f"{read}"
        "• To ask more, reply in the thread of the answer.\n"
        '• To stop an answer, add the :x: reaction to your question, or reply "stop" in its thread.'
    )


def read_link() -> str:
    """The button of the Home tab, and the title of its modal; Slack accepts 24 characters."""
    return "Read a link"


def modal_url() -> str:
    return "Link of the page"


def modal_url_invalid() -> str:
    """In the modal, under the link."""
    return 'Please enter a link that begins with "https://" and has at most 2,000 characters.'


def modal_question() -> str:
    return "What you want to know"


def modal_question_example() -> str:
    return "Example: summarize in three points"


def modal_place() -> str:
    return "The answer comes in your direct messages with this app."


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def home_allowed(questions: int | None, tokens: int | None) -> str:
    """Whether the user may ask, and what is left of today's budget; None means no limit."""
    rests = [
        *([] if questions is None else [_counted(questions, "question")]),
        *([] if tokens is None else [_counted(tokens, "token")]),
    ]
    left = f"Left today: {', '.join(rests)}" if rests else "There is no limit on today's usage."
    return f"*Your usage*\n:white_check_mark: You can ask this app.\n{left}"


def home_refused(reason: str, contact: str) -> str:
    """Why the user may not ask, and whom to ask; `contact` is the id of a user or a channel."""
    mention = f"<#{contact}>" if contact.startswith(("C", "G")) else f"<@{contact}>"
    whom = mention if contact else "an administrator of the workspace"
    return f"*Your usage*\n:no_entry: {reason}\nWhom to ask: {whom}"


def home_places(channels: tuple[str, ...]) -> str:
    """The channels in which the app may be used."""
    return f"The app can be used in these channels: {' '.join(f'<#{each}>' for each in channels)}"


def home_threads() -> str:
    return "*Recent threads*"


def home_thread(link: str, channel: str, at: int) -> str:
    """A thread in which the user has asked; Slack writes the time in the user's own way."""
    place = "direct message" if channel.startswith("D") else f"<#{channel}>"
    return f"• <!date^{at}^{{date_short_pretty}} {{time}}^{link}|Open the thread> ({place})"


def home_admin_heading() -> str:
    return "For administrators"


def home_usage_heading() -> str:
    return "*Usage in the last 7 days* (questions that were answered)"


def home_usage(channel: str, questions: int, tokens: int) -> str:
    """The usage of a channel; an empty one stands for all direct messages."""
    place = f"<#{channel}>" if channel else "Direct messages"
    return f"• {place}: {_counted(questions, 'question')} ({_counted(tokens, 'token')})"


def home_none() -> str:
    return "• None"


def home_policy_heading(mode: str) -> str:
    """Above the list of who may ask, which is changed with a command."""
    command = "python -m slackapp whitelist add channel C0123ABCD"
    if mode == "open":
        return (
            "*Who may ask*: everyone. Of channels that are shared with other organizations, only those on this list.\n"
            f"To change it: `{command}` (to limit who may ask: `ACCESS_MODE=whitelist`)"
        )
    return f"*Who may ask*: only those on this list.\nTo change it: `{command}`"


def home_listed(entity: str, entity_id: str, label: str, in_environment: bool) -> str:
    """An entry of the whitelist; one in the environment is changed there, and not with the command."""
    shown = {"channel": f"<#{entity_id}>", "user": f"<@{entity_id}>"}.get(entity, f"`{entity_id}`")
    kind = {"channel": "Channel", "user": "User"}.get(entity, "Workspace")
    notes = ", ".join(filter(None, [label, "set in the environment" if in_environment else ""]))
    return f"• {kind}: {shown}{f' ({notes})' if notes else ''}"


def home_health(*, is_ready: bool, store: str, store_answers: bool, model: str, has_browser: bool) -> str:
    """Whether the app works."""
    lines = (
        f"*App status*: {'working normally.' if is_ready else 'there is a problem.'}",
        f"• Store: {store} ({'responding' if store_answers else 'not responding'})",
        f"• AI model: {'none (offline reader)' if model == 'offline' else model}",
        f"• Browser: {'yes' if has_browser else 'none'}",
    )
    return "\n".join(lines)


def home_last_error(event: str, at: int) -> str:
    """The last error in the app's log, by its name there."""
    when = f" (<!date^{at}^{{date_short_pretty}} {{time}}|{at}>)" if at else ""
    return f"• Last error: {f'`{event}`' if event else 'none'}{when}"
