"""Files in Slack's three steps: an address, the content, the sharing (S8)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

from slack_sdk import WebClient

from slackapp.slack.client import TIMEOUT_SECONDS, WAITS
from slackapp.slack.errors import SLACK_FAILURES, NotShared, PostError, SlackDown, translated, translating
from slackapp.slack.message import Place

ALREADY = frozenset({"file_update_failed", "file_already_completed", "already_completed"})
"""What Slack says to a step that was done before."""
GONE = frozenset({"file_not_found", "file_deleted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """An upload that Slack expects."""

    id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file as it stands in Slack."""

    name: str
    channels: frozenset[str]
    """Where it is shared."""


class Uploader:
    """Brings files into threads; raises PostError."""

    def __init__(self, client: WebClient, *, sleep: Callable[[float], None]) -> None:
        self._client = client
        self._sleep = sleep

    def announce(self, name: str, size: int) -> Ticket:
        """The first step; whoever dies after it has shared nothing."""
        with translating():
            answer = self._client.files_getUploadURLExternal(filename=name, length=size)
        return Ticket(id=str(answer["file_id"]), url=str(answer["upload_url"]))

    def send(self, ticket: Ticket, content: bytes, mime_type: str) -> None:
        """The second step, to whatever address Slack named; sending it again does no harm."""
        for wait in WAITS:
            try:
                return self._sent(ticket.url, content, mime_type)
            except SlackDown:
                self._sleep(wait)
        return self._sent(ticket.url, content, mime_type)

    def _sent(self, url: str, content: bytes, mime_type: str) -> None:
        if not url.startswith(("https://", "http://")):
            raise PostError("upload_address_unknown")
        proxies = {"http": self._client.proxy, "https": self._client.proxy} if self._client.proxy else {}
        opener = build_opener(ProxyHandler(proxies), HTTPSHandler(context=self._client.ssl))
        request = Request(url, data=content, method="POST")  # noqa: S310  # http(s), as checked above
        request.add_header("Content-Type", mime_type)
        try:
            with opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                answer.read()
        except HTTPError as error:
            error.close()
            kind = SlackDown if error.code >= 500 or error.code == 429 else PostError
            raise kind(f"http_{error.code}") from error
        except SLACK_FAILURES as error:
            raise translated(error) from error

    def share(self, ticket: Ticket, name: str, place: Place) -> None:
        """The third step; an answer that was lost, or leaves it open, is looked into before anything else."""
        shown_in = self._completed(ticket, name, place)
        for wait in WAITS:
            if place.channel in (shown_in or ()):
                return
            self._sleep(wait)
            state = self._looked(ticket)
            if state is not None and place.channel in state.channels:
                return
            if shown_in is None and state is not None:
                shown_in = self._completed(ticket, name, place)
        if place.channel not in (shown_in or ()):
            raise NotShared("not_shared")

    def _completed(self, ticket: Ticket, name: str, place: Place) -> frozenset[str] | None:
        """Where the file shows now; None when nobody knows whether the step was done."""
        try:
            with translating():
                answer = self._client.files_completeUploadExternal(
                    files=[{"id": ticket.id, "title": name}],
                    channel_id=place.channel,
                    thread_ts=place.thread_ts or None,
                )
        except SlackDown:
            return None
        except PostError as error:
            if error.code in ALREADY:
                return frozenset()
            raise
        files = answer.get("files") or [{}]
        return _channels(files[0])

    def _looked(self, ticket: Ticket) -> FileState | None:
        try:
            return self.state(ticket.id)
        except SlackDown:
            return None

    def state(self, file_id: str) -> FileState | None:
        """What became of a file; None when there is none."""
        try:
            with translating():
                file = self._client.files_info(file=file_id).get("file") or {}
        except PostError as error:
            if error.code in GONE:
                return None
            raise
        return FileState(name=str(file.get("title") or file.get("name") or ""), channels=_channels(file))

    def delete(self, file_id: str) -> None:
        with translating():
            self._client.files_delete(file=file_id)


def _channels(file: Mapping[str, Any]) -> frozenset[str]:
    shares = (file.get("shares") or {}).values()
    return frozenset(channel for by_channel in shares for channel in by_channel)
