"""Uploads the answer's files after its text; a failure is told in the thread, and the text stays (S8)."""

import hashlib
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slackapp import wording
from slackapp.reply.ledger import Ledger
from slackapp.slack.errors import NotAuthorised, NotShared, PostError
from slackapp.slack.message import Message, Place, escaped
from slackapp.slack.poster import Poster

if TYPE_CHECKING:
    from fetcher.agent import GeneratedFile

log = logging.getLogger(__name__)

LONGEST_NAME = 255
SHOWN_NAME = 80
LONGEST_PAUSE = 8.0
"""Seconds between two looks for a file that is late."""


@dataclass(slots=True)
class Attachments:
    """The files of one reply, each uploaded once, also if an earlier worker has begun."""

    poster: Poster
    ledger: Ledger
    place: Place
    _late: dict[int, str] = field(default_factory=dict, init=False)
    """Files that Slack has accepted and does not show yet: their ids, by their numbers."""

    def upload(self, files: "Sequence[GeneratedFile]") -> None:
        """Upload the files that are missing, and delete those that are not in this answer."""
        for index, file in enumerate(files):
            try:
                name = _acceptable_name(file.file_name)
                content = hashlib.sha256(file.content).hexdigest()[:16]
                if not self._is_uploaded(index, name, file.size_bytes, content):
                    upload = self.poster.uploads.begin_upload(name, file.size_bytes)
                    self.ledger.record_upload(index, upload.id, content)
                    self.poster.uploads.send_content(upload, file.content, file.mime_type)
                    self.poster.uploads.share(upload, name, self.place)
                self._delete_notice(index)  # an earlier worker may have posted that this file had failed
            except NotShared as error:
                self._late[index] = self.ledger.reply_record.uploads[index]
                self._tell(index, file, error)
            except PostError as error:
                self._tell(index, file, error)
        for file_id in self.ledger.reply_record.uploads[len(files) :]:
            self._delete_file(file_id)

    def await_late(self, poster: Poster, wait: Callable[[float], object], seconds: float) -> None:
        """Wait for files that are on their way; withdraw the notice of each that has come.

        The claim is done, so the poster has no fence: no other worker writes to this reply any more.
        """
        waited = 0.0
        while self._late and waited < seconds:
            pause = min(1.0 + waited / 2, LONGEST_PAUSE, seconds - waited)
            wait(pause)
            waited += pause
            for index, file_id in tuple(self._late.items()):
                if self._is_shared(file_id):
                    del self._late[index]
                    if notice := self.ledger.notices.pop(f"file{index}", ""):
                        poster.delete(self.place.channel, notice)
        if self._late:
            log.warning("files_still_late", extra={"fields": {"key": self.ledger.key, "seconds": waited}})

    def put_right(self) -> bool:
        """Delete files, and notices of missing files, that are wrong because Slack was late."""
        changed = False
        for file_id in self.ledger.reply_record.abandoned:
            if self._is_shared(file_id):
                self._delete_file(file_id)
                changed = True
        for index, file_id in enumerate(self.ledger.reply_record.uploads):
            if f"file{index}" in self.ledger.notices and self._is_shared(file_id):
                self._delete_notice(index)
                changed = True
        return changed

    def is_complete(self) -> bool:
        """Whether each recorded file is shared, or its failure is told."""
        uploads = enumerate(self.ledger.reply_record.uploads)
        return all(f"file{index}" in self.ledger.notices or self._is_shared(id_) for index, id_ in uploads)

    def _delete_notice(self, index: int) -> None:
        notice = self.ledger.notices.pop(f"file{index}", "")
        try:
            if notice:
                self.poster.delete(self.place.channel, notice)
        except PostError as error:
            log.warning("notice_not_deleted", extra={"fields": {"error_code": error.code, "ts": notice}})

    def _is_uploaded(self, index: int, name: str, size: int, content: str) -> bool:
        """Whether an earlier worker has uploaded this file; another one in its place is deleted.

        Earlier versions have recorded no content; then the size decides.
        """
        record = self.ledger.reply_record
        file_id = next(iter(record.uploads[index : index + 1]), "")
        state = self.poster.uploads.file_state(file_id) if file_id else None
        if state is None or self.place.channel not in state.channels:
            return False
        recorded = next(iter(record.contents[index : index + 1]), "")
        is_same = state.name == name and (recorded == content if recorded else state.size == size)
        if not is_same:
            self._delete_file(file_id)
        return is_same

    def _is_shared(self, file_id: str) -> bool:
        state = self.poster.uploads.file_state(file_id) if file_id else None
        return state is not None and self.place.channel in state.channels

    def _delete_file(self, file_id: str) -> None:
        try:
            if file_id:
                self.poster.uploads.delete(file_id)
        except PostError as error:
            log.warning("file_not_deleted", extra={"fields": {"error_code": error.code, "file": file_id}})

    def _tell(self, index: int, file: "GeneratedFile", error: PostError) -> None:
        """Post in the thread that a file is missing, or on its way."""
        fields = {"error_code": error.code, "key": self.ledger.key, "size_bytes": file.size_bytes}
        event = "upload_late" if index in self._late else "upload_failed"
        log.warning(event, extra={"fields": fields})
        part = f"file{index}"
        if part in self.ledger.notices:
            return
        name = file.file_name
        name = escaped(name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}…")
        if index in self._late:
            text = wording.upload_late(name)
        elif isinstance(error, NotAuthorised):
            text = wording.upload_not_permitted(name)
        else:
            text = wording.upload_failed(name, error.code)
        try:
            ts = self.poster.post(self.place, Message(text=text), self.ledger.mark(part))
        except PostError as failure:
            log.warning("upload_failure_not_told", extra={"fields": {"error_code": failure.code}})
        else:
            self.ledger.notices[part] = ts


def _acceptable_name(name: str) -> str:
    """A name that Slack accepts; a short extension is kept, because it says what is in the file."""
    if len(name) <= LONGEST_NAME:
        return name
    stem, dot, extension = name.rpartition(".")
    kept = f"{dot}{extension}" if stem and len(extension) <= 10 else ""
    return name[: LONGEST_NAME - len(kept)] + kept
