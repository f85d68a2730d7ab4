"""Uploads files in Slack's three steps: get a URL, send the content, share the file (S8)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk import WebClient

from slackapp.slack.client import WAITS
from slackapp.slack.errors import NotShared, PostError, SlackDown, translated_errors
from slackapp.slack.http_client import post_bytes
from slackapp.slack.message import Place

ALREADY = frozenset({"file_update_failed", "file_already_completed", "already_completed"})
"""Slack's codes for a step that was done before."""
GONE = frozenset({"file_not_found", "file_deleted"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingUpload:
    """An upload that Slack expects."""

    id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """A file as Slack has it."""

    name: str
    size: int
    channels: frozenset[str]
    """Where it is shared."""


@dataclass(slots=True)
class Uploader:
    """Uploads files into threads; raises PostError."""

    client: WebClient
    sleep: Callable[[float], None]

    def begin_upload(self, name: str, size: int) -> PendingUpload:
        """Step one. A worker that dies after it has shared nothing."""
        with translated_errors():
            answer = self.client.files_getUploadURLExternal(filename=name, length=size)
        return PendingUpload(id=str(answer["file_id"]), url=str(answer["upload_url"]))

    def send_content(self, upload: PendingUpload, content: bytes, mime_type: str) -> None:
        """Step two, to the URL that Slack gave; sending twice does no harm."""
        if not upload.url.startswith(("https://", "http://")):
            raise PostError("upload_address_unknown")
        for wait in (*WAITS, None):
            try:
                status = post_bytes(self.client, upload.url, content, mime_type).status
                if status < 300:
                    return
                is_down = status >= 500 or status == 429
                raise (SlackDown if is_down else PostError)(f"http_{status}")
            except SlackDown:
                if wait is None:
                    raise
                self.sleep(wait)

    def share(self, upload: PendingUpload, name: str, place: Place) -> None:
        """Step three. If the outcome is unknown, ask Slack for the file before trying again.

        Raises NotShared if Slack has accepted it, and does not show it yet.
        """
        shared_in = self._complete(upload, name, place)
        for wait in WAITS:
            if place.channel in (shared_in or ()):
                return
            self.sleep(wait)
            try:
                state = self.file_state(upload.id)
            except SlackDown:
                state = None
            if state is not None and place.channel in state.channels:
                return
            if shared_in is None and state is not None:
                shared_in = self._complete(upload, name, place)
        if shared_in is None:
            raise SlackDown("not_confirmed")
        if place.channel not in shared_in:
            raise NotShared("not_shared")

    def _complete(self, upload: PendingUpload, name: str, place: Place) -> frozenset[str] | None:
        """Complete the upload; return the channels that show the file, or None if the outcome is unknown."""
        try:
            with translated_errors():
                answer = self.client.files_completeUploadExternal(
                    files=[{"id": upload.id, "title": name}],
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

    def file_state(self, file_id: str) -> FileState | None:
        """The file's state; None if it does not exist."""
        try:
            with translated_errors():
                file = self.client.files_info(file=file_id).get("file") or {}
        except PostError as error:
            if error.code in GONE:
                return None
            raise
        name = str(file.get("title") or file.get("name") or "")
        return FileState(name=name, size=int(file.get("size") or 0), channels=_channels(file))

    def delete(self, file_id: str) -> None:
        with translated_errors():
            self.client.files_delete(file=file_id)


def _channels(file: Mapping[str, Any]) -> frozenset[str]:
    shares = (file.get("shares") or {}).values()
    return frozenset(channel for by_channel in shares for channel in by_channel)
