"""What of a reply stands in Slack, written down as soon as it does."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from slackapp.slack.message import Mark
from slackapp.slack.posted import PostedMessage
from slackapp.stores.contract import ReplyRecord

Record = Callable[[ReplyRecord], None]
"""Keeps a delivery; raises when the claim is lost, and then nothing more is said."""


class Ledger:
    """The delivery of one claim; every change is recorded before anything else happens."""

    def __init__(
        self, key: str, delivery: ReplyRecord, record: Record, on_posted: Callable[[str], None]
    ) -> None:
        self.key = key
        self.delivery = delivery
        self.surplus: list[str] = []
        """Messages of ours that an earlier worker left and the reply does not need."""
        self.notices: dict[str, str] = {}
        """Notices that stand already, by their part."""
        self.sorts: dict[str, str] = {}
        """What the messages that were found are, by their timestamps."""
        self._record = record
        self._on_posted = on_posted

    def mark(self, part: str | int) -> Mark:
        return Mark(key=self.key, part=str(part))

    def set_root(self, ts: str) -> None:
        self._keep(replace(self.delivery, root=ts))
        self._on_posted(ts)

    def intend_stream(self, since: str) -> None:
        self._keep(replace(self.delivery, stream_since=since))

    def set_reply(self, index: int, ts: str) -> None:
        replies = list(self.delivery.replies)
        replies[index : index + 1] = [ts]
        self._keep(replace(self.delivery, replies=tuple(replies)))
        self._on_posted(ts)

    def whispered(self, index: int, name: str) -> None:
        """Something was said that has no timestamp."""
        self._keep(replace(self.delivery, replies=(*self.delivery.replies[:index], name)))

    def keep_replies(self, count: int) -> list[str]:
        """Forgets replies beyond so many; returns what has to go."""
        gone = [*self.delivery.replies[count:], *self.surplus]
        self.surplus = []
        if len(self.delivery.replies) > count:
            self._keep(replace(self.delivery, replies=self.delivery.replies[:count]))
        return gone

    def set_upload(self, index: int, file_id: str) -> None:
        uploads = list(self.delivery.uploads) + [""] * (index + 1 - len(self.delivery.uploads))
        uploads[index] = file_id
        self._keep(replace(self.delivery, uploads=tuple(uploads)))

    def adopt(self, found: Sequence[PostedMessage]) -> None:
        """Takes over what an earlier worker had said, recorded or not."""
        self.sorts |= {standing.ts: standing.sort for standing in found}
        parts: dict[str, str] = {}
        for standing in found:
            if standing.ts in self.delivery.replies:
                continue
            if standing.part in parts or not self._fits(standing.part):
                self.surplus.append(standing.ts)
            elif standing.part.isdecimal():
                parts[standing.part] = standing.ts
            else:
                self.notices[standing.part] = standing.ts
        for part in sorted(parts, key=int):
            if int(part) == len(self.delivery.replies):
                self.set_reply(int(part), parts[part])
            else:
                self.surplus.append(parts[part])

    def _fits(self, part: str) -> bool:
        """Whether a part is still wanted: one that is recorded with another message is not."""
        return not part.isdecimal() or int(part) >= len(self.delivery.replies)

    def _keep(self, delivery: ReplyRecord) -> None:
        if delivery != self.delivery:
            self._record(delivery)
            self.delivery = delivery
