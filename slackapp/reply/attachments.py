"""Uploads the answer's files after its text; a failure is told in the thread, and the text stays (S8)."""

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from slackapp import messages_ja
from slackapp.reply.ledger import Ledger
from slackapp.slack.errors import NotAuthorised, PostError
from slackapp.slack.message import Message, Place, escaped
from slackapp.slack.poster import Poster

if TYPE_CHECKING:
    from fetcher.agent import GeneratedFile

log = logging.getLogger(__name__)

LONGEST_NAME = 255
SHOWN_NAME = 80


class Attachments:
    """The files of one reply, each uploaded once, also if an earlier worker has begun."""

    def __init__(self, poster: Poster, ledger: Ledger, place: Place) -> None:
        self._poster = poster
        self._ledger = ledger
        self._place = place

    def upload(self, files: "Sequence[GeneratedFile]") -> None:
        """Upload the files that are missing, and delete those that are not in this answer."""
        for index, file in enumerate(files):
            try:
                self._upload(index, file)
            except PostError as error:
                self._tell_failure(index, file, error)
        for file_id in self._ledger.reply_record.uploads[len(files) :]:
            self._delete_file(file_id)

    def _upload(self, index: int, file: "GeneratedFile") -> None:
        name = _acceptable_name(file.file_name)
        if not self._is_uploaded(index, name):
            upload = self._poster.uploads.begin_upload(name, file.size_bytes)
            self._ledger.record_upload(index, upload.id)
            self._poster.uploads.send_content(upload, file.content, file.mime_type)
            self._poster.uploads.share(upload, name, self._place)
        # An earlier worker may have posted that this file had failed.
        notice = self._ledger.notices.pop(f"file{index}", "")
        try:
            if notice:
                self._poster.delete(self._place.channel, notice)
        except PostError as error:
            log.warning("notice_not_deleted", extra={"fields": {"error_code": error.code, "ts": notice}})

    def _is_uploaded(self, index: int, name: str) -> bool:
        """Whether an earlier worker has uploaded this file; a file of another name is deleted."""
        file_id = next(iter(self._ledger.reply_record.uploads[index : index + 1]), "")
        state = self._poster.uploads.file_state(file_id) if file_id else None
        if state is None or self._place.channel not in state.channels:
            return False
        if state.name != name:
            self._delete_file(file_id)
        return state.name == name

    def _delete_file(self, file_id: str) -> None:
        try:
            if file_id:
                self._poster.uploads.delete(file_id)
        except PostError as error:
            log.warning("file_not_deleted", extra={"fields": {"error_code": error.code, "file": file_id}})

    def _tell_failure(self, index: int, file: "GeneratedFile", error: PostError) -> None:
        """Post in the thread that a file is missing."""
        fields = {"error_code": error.code, "key": self._ledger.key, "size_bytes": file.size_bytes}
        log.warning("upload_failed", extra={"fields": fields})
        part = f"file{index}"
        if part in self._ledger.notices:
            return
        name = file.file_name
        name = escaped(name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}…")
        refused = isinstance(error, NotAuthorised)
        text = messages_ja.upload_not_permitted(name) if refused else messages_ja.upload_failed(name)
        try:
            ts = self._poster.post(self._place, Message(text=text), self._ledger.mark(part))
        except PostError as failure:
            log.warning("upload_failure_not_told", extra={"fields": {"error_code": failure.code}})
        else:
            self._ledger.notices[part] = ts


def _acceptable_name(name: str) -> str:
    """A name that Slack accepts; a short extension is kept, because it says what is in the file."""
    if len(name) <= LONGEST_NAME:
        return name
    stem, dot, extension = name.rpartition(".")
    kept = f"{dot}{extension}" if stem and len(extension) <= 10 else ""
    return name[: LONGEST_NAME - len(kept)] + kept
