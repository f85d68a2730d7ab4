"""Records every message and file of a reply in the claim, as soon as it is posted."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from slackapp.slack.message import Mark, PostedMessage
from slackapp.stores.contract import ReplyRecord

Record = Callable[[ReplyRecord], None]
"""Stores a record; raises when the claim is lost, and then nothing more is posted."""


class Ledger:
    """The reply record of one claim; every change is stored before anything else happens."""

    def __init__(
        self,
        key: str,
        reply_record: ReplyRecord,
        record: Record,
        on_posted: Callable[[str], None],
        *,
        run: str = "",
    ) -> None:
        self.key = key
        self._run = run
        self.reply_record = reply_record
        self.surplus: list[str] = []
        """Messages that an earlier worker has posted and the reply does not need."""
        self.notices: dict[str, str] = {}
        """Notices that are posted already, by their part."""
        self.found: dict[str, PostedMessage] = {}
        """The messages that were found in the thread, by their timestamps."""
        self._record = record
        self._on_posted = on_posted
        self._writing = threading.RLock()  # progress is shown in a thread of its own

    def mark(self, part: str | int) -> Mark:
        return Mark(key=self.key, part=str(part), run=self._run)

    def record(self, **changes: Any) -> None:
        """Store changed fields of the record; raises when the claim is lost."""
        with self._writing:
            reply_record = replace(self.reply_record, **changes)
            if reply_record != self.reply_record:
                reply_record = replace(reply_record, revision=reply_record.revision + 1)
                self._record(reply_record)
                self.reply_record = reply_record

    def record_root(self, ts: str) -> None:
        self.record(root=ts)
        self._on_posted(ts)

    def record_reply(self, index: int, ts: str) -> None:
        replies = list(self.reply_record.replies)
        replies[index : index + 1] = [ts]
        self.record(replies=tuple(replies))
        self._on_posted(ts)

    def record_ephemeral(self, index: int, name: str) -> None:
        """Record a message that has no timestamp."""
        self.record(replies=(*self.reply_record.replies[:index], name))

    def drop_replies_after(self, count: int) -> list[str]:
        """Forget all but the first `count` replies; return the timestamps of messages to delete."""
        dropped = [*self.reply_record.replies[count:], *self.surplus]
        self.surplus = []
        self.record(replies=self.reply_record.replies[:count])
        return dropped

    def replace_replies(self, posted: Sequence[str]) -> list[str]:
        """Record other replies in place of all; return the timestamps of messages to delete."""
        dropped = [*self.reply_record.replies, *self.surplus]
        self.surplus = []
        self.record(replies=tuple(posted))
        for ts in posted:
            self._on_posted(ts)
        return dropped

    def record_upload(self, index: int, file_id: str, content: str) -> None:
        """Called before a file is shared; one that it replaces may still be shared later."""
        record = self.reply_record
        missing = [""] * (index + 1 - len(record.uploads))
        uploads = [*record.uploads, *missing]
        contents = [*record.contents, *[""] * (len(uploads) - len(record.contents))]
        abandoned = tuple(each for each in (uploads[index],) if each)
        uploads[index], contents[index] = file_id, content
        self.record(
            uploads=tuple(uploads), contents=tuple(contents), abandoned=(*record.abandoned, *abandoned)
        )

    def adopt(self, found: Sequence[PostedMessage]) -> None:
        """Take over the messages that an earlier worker has posted, recorded or not."""
        self.found |= {posted.ts: posted for posted in found}
        recorded = len(self.reply_record.replies)
        parts: dict[str, str] = {}
        for posted in found:
            if posted.ts in self.reply_record.replies:
                continue
            if not posted.part.isdecimal():
                self.notices[posted.part] = posted.ts
            elif posted.part in parts or int(posted.part) < recorded:  # recorded with another message
                self.surplus.append(posted.ts)
            else:
                parts[posted.part] = posted.ts
        for part in sorted(parts, key=int):
            if int(part) == len(self.reply_record.replies):
                self.record_reply(int(part), parts[part])
            else:
                self.surplus.append(parts[part])
