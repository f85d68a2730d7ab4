"""Records every message and file of a reply in the claim, as soon as it is posted."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from slackapp.slack.message import Mark
from slackapp.slack.posted import PostedMessage
from slackapp.stores.contract import ReplyRecord

Record = Callable[[ReplyRecord], None]
"""Stores a record; raises when the claim is lost, and then nothing more is posted."""


class Ledger:
    """The reply record of one claim; every change is stored before anything else happens."""

    def __init__(
        self, key: str, reply_record: ReplyRecord, record: Record, on_posted: Callable[[str], None]
    ) -> None:
        self.key = key
        self.reply_record = reply_record
        self.surplus: list[str] = []
        """Messages that an earlier worker has posted and the reply does not need."""
        self.notices: dict[str, str] = {}
        """Notices that are posted already, by their part."""
        self.kinds: dict[str, str] = {}
        """The kinds of the messages that were found, by their timestamps."""
        self._record = record
        self._on_posted = on_posted

    def mark(self, part: str | int) -> Mark:
        return Mark(key=self.key, part=str(part))

    def record_charge(self) -> None:
        """Called when the question has been counted: another worker does not count it again."""
        self._store(replace(self.reply_record, charged=True))

    def record_root(self, ts: str) -> None:
        self._store(replace(self.reply_record, root=ts))
        self._on_posted(ts)

    def record_stream_intention(self, since: str) -> None:
        """Called before a stream is opened, which has no mark yet."""
        self._store(replace(self.reply_record, stream_since=since))

    def record_reply(self, index: int, ts: str) -> None:
        replies = list(self.reply_record.replies)
        replies[index : index + 1] = [ts]
        self._store(replace(self.reply_record, replies=tuple(replies)))
        self._on_posted(ts)

    def record_ephemeral(self, index: int, name: str) -> None:
        """Record a message that has no timestamp."""
        self._store(replace(self.reply_record, replies=(*self.reply_record.replies[:index], name)))

    def drop_replies_after(self, count: int) -> list[str]:
        """Forget all but the first `count` replies; return the timestamps of messages to delete."""
        dropped = [*self.reply_record.replies[count:], *self.surplus]
        self.surplus = []
        self._store(replace(self.reply_record, replies=self.reply_record.replies[:count]))
        return dropped

    def record_upload(self, index: int, file_id: str) -> None:
        uploads = list(self.reply_record.uploads) + [""] * (index + 1 - len(self.reply_record.uploads))
        uploads[index] = file_id
        self._store(replace(self.reply_record, uploads=tuple(uploads)))

    def adopt(self, found: Sequence[PostedMessage]) -> None:
        """Take over the messages that an earlier worker has posted, recorded or not."""
        self.kinds |= {posted.ts: posted.kind for posted in found}
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

    def _store(self, reply_record: ReplyRecord) -> None:
        if reply_record != self.reply_record:
            self._record(reply_record)
            self.reply_record = reply_record
