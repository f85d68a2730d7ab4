"""A failed call of Slack, as a finding."""

import ssl
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import urlsplit

from slack_sdk.errors import SlackApiError

from slackapp.doctor.findings import Examination, Finding, bad
from slackapp.slack.errors import RateLimited, post_error_from

ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "missing_scope": "Paste the current manifest at App Manifest, save, and install the app again.",
        "not_in_channel": "Type /invite @webreader in the channel.",
        "channel_not_found": "Check the id (docs/deploy.md says where it is), and type /invite @webreader "
        "in the channel: Slack shows private channels to members only.",
        "is_archived": "Unarchive the channel, or name another one.",
        "not_authorized": "Sessions and streams need a paid plan; the app works without them.",
        "account_inactive": "The bot was removed from the workspace: install the app again.",
        "token_revoked": "The token was revoked: install the app again, and copy the new one.",
    }
)


def explain(error: Exception, examination: Examination, advice: str = "") -> Finding:
    """What failed, and what to do: by Slack's code, else as the caller says.

    A manifest gives scopes to the bot's token only, so a caller with advice for a token knows better.
    """
    failure = post_error_from(error)
    code, api_url = failure.code, examination.settings.slack_api_url
    if isinstance(failure, RateLimited):
        return bad("Slack has had too many calls", f"Try again in {failure.retry_after:.0f} s.")
    if isinstance(error, SlackApiError) and code.startswith("http_"):
        return bad(
            f"{api_url} answers with status {code.removeprefix('http_')}, and not as Slack does",
            "A proxy or a firewall may answer in Slack's place: outgoing HTTPS to slack.com must be allowed. "
            "Otherwise see status.slack.com, and try again.",
        )
    if not failure.retryable:
        by_code = "" if advice and code == "missing_scope" else ADVICE.get(code, "")
        return bad(f"Slack refuses: {code}", by_code or advice or "See docs/errors.md.")
    if isinstance(error, SlackApiError):
        advice = "Slack has a fault of its own, or moves the workspace: see status.slack.com, and try again."
        return bad(f"Slack answers {code}", advice)
    reason = getattr(error, "reason", error)  # of a URLError
    named = "unknown protocol" if isinstance(reason, str) else type(reason).__name__
    said = f"Slack cannot be reached at {api_url} ({named})"
    if isinstance(reason, ssl.SSLError):
        return bad(said, "If a proxy inspects TLS, set SSL_CERT_FILE to a file with its certificate.")
    if proxy := shown_proxy(examination.client().proxy):
        return bad(
            f"{said}, through the proxy {proxy}",
            "Check HTTPS_PROXY: it is written as http://host:port or http://user:password@host:port; "
            "SOCKS is not supported. Slack's SDK does not know NO_PROXY.",
        )
    return bad(said, "Check the network and the firewall: outgoing HTTPS to slack.com must be allowed. "
               "Behind a proxy, set HTTPS_PROXY.")  # fmt: skip


def shown_proxy(proxy: str | None) -> str:
    """The address of a proxy without user and password; empty if there is none."""
    if not proxy:
        return ""
    try:
        parts = urlsplit(proxy)
        return f"{parts.hostname}:{parts.port}" if parts.hostname else "of HTTPS_PROXY, which is not a URL"
    except ValueError:
        return "of HTTPS_PROXY, which is not a URL"
