"""The app's Home tab and its modals, as Slack's views."""

from dataclasses import dataclass
from typing import Any

from fetcher.wording.language import current_language
from slackapp import wording
from slackapp.guard.effective_policy import EffectivePolicy, Origin
from slackapp.guard.usage import DIRECT, Used
from slackapp.health import Health
from slackapp.listeners.incoming import LONGEST_REASON, REASON, REASON_CALLBACK
from slackapp.listeners.payloads import (
    BUTTON,
    LONGEST_QUESTION,
    MODAL_CALLBACK,
    QUESTION_INPUT,
    URL_INPUT,
)
from slackapp.slack.message import escaped
from slackapp.stores.contract import Entity

Block = dict[str, Any]

MOST_PLACES = 10
MOST_LINES = 20
LONGEST_LABEL = 80
LONGEST_TEXT = 3000
"""Of a section, as Slack limits it (docs.slack.dev, block "section")."""
LONGEST_REST = 50
"""Of the line that says how many lines are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminPart:
    """What only an admin of the workspace sees."""

    usage: dict[str, Used]
    policy: EffectivePolicy
    health: Health


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """What the Home tab says to one user."""

    channel: str
    """The direct conversation with the app."""
    refusal: str = ""
    """Why the user may not ask; empty if they may."""
    contact: str = ""
    places: tuple[str, ...] = ()
    """The only channels in which the app may be used; empty if they are not limited."""
    left: tuple[int | None, int | None] = (None, None)
    """Questions and tokens of today."""
    threads: tuple[tuple[str, str, int], ...] = ()
    """The user's last threads: link, channel, and when it began."""
    read_reaction: str = ""
    admin: AdminPart | None = None


def home_blocks(home: Home) -> list[Block]:
    """The blocks of the tab; the button carries the direct conversation to the modal."""
    if home.refusal:
        access = wording.home_refused(home.refusal, home.contact)
    else:
        access = wording.home_allowed(*home.left)
    if home.places:
        rest = len(home.places) - MOST_PLACES
        more = f" {wording.more_sources(rest)}" if rest > 0 else ""
        access += f"\n{wording.home_places(home.places[:MOST_PLACES])}{more}"
    button = {
        "type": "button",
        "action_id": BUTTON,
        "style": "primary",
        "text": _plain(wording.read_link()),
        "value": home.channel,
    }
    blocks = [
        _section(wording.app_home(home.read_reaction)),
        {"type": "actions", "elements": [button]},
        {"type": "divider"},
        _section(access),
    ]
    if home.threads:
        lines = [wording.home_thread(*thread) for thread in home.threads]
        blocks.append(_section("\n".join([wording.home_threads(), *lines])))
    return [*blocks, *(_admin_blocks(home.admin) if home.admin else ())]


def _admin_blocks(admin: AdminPart) -> list[Block]:
    usage = [
        wording.home_usage("" if channel == DIRECT else channel, used.questions, used.tokens)
        for channel, used in admin.usage.items()
    ]
    listed = []
    policy = admin.policy
    for each in policy.listed if policy.mode == "whitelist" else policy.of(Entity.CHANNEL):
        label = " ".join(each.label.split())[:LONGEST_LABEL]  # in one line
        listed.append(
            wording.home_listed(each.entity, each.id, escaped(label), Origin.ENVIRONMENT in each.origins)
        )
    health = admin.health
    at = int(health.last_error_at.timestamp()) if health.last_error_at else 0
    state = wording.home_health(
        is_ready=health.is_ready,
        store=health.store,
        store_answers=health.store_answers,
        model=health.model,
        has_browser=bool(health.browser),
    )
    error = wording.home_last_error(escaped(health.last_error), at)
    return [
        {"type": "divider"},
        {"type": "header", "text": _plain(wording.home_admin_heading())},
        _section(_list(wording.home_usage_heading(), usage)),
        _section(_list(wording.home_policy_heading(policy.mode), listed)),
        _section(f"{state}\n{error}"),
    ]


def reading_modal(channel: str) -> Block:
    """The view for `views.open`: a link and a question; the answer comes to this direct conversation."""
    url = {
        "type": "url_text_input",
        "action_id": URL_INPUT,
        "placeholder": _plain("https://"),
        "focus_on_load": True,
    }
    question = {
        "type": "plain_text_input",
        "action_id": QUESTION_INPUT,
        "multiline": True,
        "max_length": LONGEST_QUESTION,
        "placeholder": _plain(wording.modal_question_example()),
    }
    blocks = [
        _input(URL_INPUT, wording.modal_url(), url),
        {**_input(QUESTION_INPUT, wording.modal_question(), question), "optional": True},
        {"type": "context", "elements": [_plain(wording.modal_place())]},
    ]
    return _modal(MODAL_CALLBACK, f"{channel}:{current_language()}", wording.read_link(), blocks)


def reason_modal(name: str) -> Block:
    """The view that asks in one line why an answer was not useful; `name` is that of the rating."""
    line = {
        "type": "plain_text_input",
        "action_id": REASON,
        "max_length": LONGEST_REASON,
        "placeholder": _plain(wording.reason_example()),
    }
    blocks = [_input(REASON, wording.reason_label(), line)]
    return _modal(REASON_CALLBACK, name, wording.reason_title(), blocks)


def _modal(callback: str, metadata: str, title: str, blocks: list[Block]) -> Block:
    return {
        "type": "modal",
        "callback_id": callback,
        "private_metadata": metadata,
        "title": _plain(title),
        "submit": _plain(wording.reason_submit()),
        "close": _plain(wording.reason_close()),
        "blocks": blocks,
    }


def _list(heading: str, lines: list[str]) -> str:
    """A list as far as Slack shows it: whole lines, and how many there are besides."""
    shown, room = list[str](), LONGEST_TEXT - len(heading) - LONGEST_REST
    for line in lines[:MOST_LINES]:
        room -= len(line) + 1
        if room >= 0:
            shown.append(line)
    rest = len(lines) - len(shown)
    more = [wording.more_sources(rest)] if rest > 0 else []
    return "\n".join([heading, *(shown if lines else [wording.home_none()]), *more])


def _input(name: str, label: str, element: Block) -> Block:
    return {"type": "input", "block_id": name, "label": _plain(label), "element": element}


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text[:LONGEST_TEXT]}}


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}
