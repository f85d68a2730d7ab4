"""The answer's files, one by one after its text; a failure is told and takes nothing from the text (S8)."""

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
    """Brings files into a thread, each once, whoever began with it."""

    def __init__(self, poster: Poster, ledger: Ledger, place: Place) -> None:
        self._poster = poster
        self._ledger = ledger
        self._place = place

    def deliver(self, files: "Sequence[GeneratedFile]") -> None:
        for index, file in enumerate(files):
            try:
                self._upload(index, file)
            except PostError as error:
                self._tell(index, file, error)
        for index in range(len(files), len(self._ledger.delivery.uploads)):
            self._discard(index)

    def _upload(self, index: int, file: "GeneratedFile") -> None:
        name = _fitting(file.file_name)
        if not self._stands(index, name):
            ticket = self._poster.files.announce(name, file.size_bytes)
            self._ledger.set_upload(index, ticket.id)
            self._poster.files.send(ticket, file.content, file.mime_type)
            self._poster.files.share(ticket, name, self._place)
        self._take_back(index)

    def _stands(self, index: int, name: str) -> bool:
        """Whether an earlier worker brought this file; one that it brought instead is taken away."""
        begun = self._ledger.delivery.uploads[index : index + 1]
        if not begun or not begun[0]:
            return False
        state = self._poster.files.state(begun[0])
        if state is None or self._place.channel not in state.channels:
            return False
        if state.name == name:
            return True
        self._discard(index)
        return False

    def _discard(self, index: int) -> None:
        """Removes a file that the answer does not have."""
        file_id = self._ledger.delivery.uploads[index]
        try:
            if file_id:
                self._poster.files.delete(file_id)
        except PostError as error:
            log.warning("file_not_deleted", extra={"fields": {"error_code": error.code, "file": file_id}})

    def _tell(self, index: int, file: "GeneratedFile", error: PostError) -> None:
        """Says in the thread that a file did not come; the text stays, whatever becomes of this."""
        fields = {"error_code": error.code, "key": self._ledger.key, "size_bytes": file.size_bytes}
        log.warning("upload_failed", extra={"fields": fields})
        if _part(index) in self._ledger.notices:
            return
        name = escaped(_shown(file.file_name))
        refused = isinstance(error, NotAuthorised)
        text = messages_ja.upload_not_permitted(name) if refused else messages_ja.upload_failed(name)
        try:
            ts = self._poster.post(self._place, Message(text=text), self._ledger.mark(_part(index)))
        except PostError as failure:
            log.warning("upload_failure_not_told", extra={"fields": {"error_code": failure.code}})
        else:
            self._ledger.notices[_part(index)] = ts

    def _take_back(self, index: int) -> None:
        """Removes an earlier worker's notice that the file had failed."""
        ts = self._ledger.notices.pop(_part(index), "")
        try:
            if ts:
                self._poster.delete(self._place.channel, ts)
        except PostError as error:
            log.warning("notice_not_deleted", extra={"fields": {"error_code": error.code, "ts": ts}})


def _part(index: int) -> str:
    return f"file{index}"


def _fitting(name: str) -> str:
    """A name that Slack takes; its ending says what is in it."""
    if len(name) <= LONGEST_NAME:
        return name
    stem, dot, ending = name.rpartition(".")
    kept = f"{dot}{ending}" if stem and len(ending) <= 10 else ""
    return name[: LONGEST_NAME - len(kept)] + kept


def _shown(name: str) -> str:
    return name if len(name) <= SHOWN_NAME else f"{name[:SHOWN_NAME]}\u2026"
