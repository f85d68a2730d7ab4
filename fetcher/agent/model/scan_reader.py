"""Pages of a PDF without text, written down by the model: then they are searched and cited like others.

Each page is a call of its own, so that it is certain on which page a text stands.
"""

import asyncio
import base64
import logging
from collections.abc import Sequence

from fetcher.agent.errors import ModelFailed
from fetcher.agent.model import prompts
from fetcher.agent.model.contract import Block, Model, ModelCall
from fetcher.agent.model.endings import Ending, ending_of
from fetcher.agent.values import Limits, Usage
from fetcher.web.reading.markdown.white_space import normalise
from fetcher.web.values import Scan

log = logging.getLogger(__name__)

AT_ONCE = 5
"""Calls of the model side by side."""


class ScanReader:
    """Reads scans for one question, at most `pages` of them; `usage` is what they cost."""

    def __init__(
        self, model: Model, limits: Limits, *, pages: int, most_bytes: int, correlation_id: str = ""
    ) -> None:
        self._model = model
        self._limits = limits
        self._correlation_id = correlation_id
        self.pages_left = pages
        self.bytes_left = most_bytes
        self.usage = Usage()

    async def read(self, scans: Sequence[Scan]) -> dict[int, str]:
        """The text of each page as Markdown, by its number, as far as the model gives it."""
        scans = scans[: self.pages_left]
        self.pages_left -= len(scans)
        self.bytes_left -= sum(len(scan.content) for scan in scans)
        before, slots = self.usage, asyncio.Semaphore(AT_ONCE)

        async def read_one(scan: Scan) -> str:
            async with slots:  # also the encoding: it takes memory
                data = base64.b64encode(scan.content).decode("ascii")
                source = {"type": "base64", "media_type": "application/pdf", "data": data}
                page: Block = {"type": "document", "source": source}
                asked = {"type": "text", "text": prompts.SCAN_ASKED}
                call = ModelCall.alone(prompts.SCAN, [page, asked], self._limits.output_tokens)
                try:
                    turn = await self._model.turn(call, lambda _: None)
                except ModelFailed as failure:
                    fields = {"error_code": failure.code, "correlation_id": self._correlation_id}
                    log.warning("scan_not_read: %s", failure.message, extra={"fields": fields})
                    return ""
            self.usage += turn.usage
            return "" if ending_of(turn) is Ending.REFUSED else normalise(turn.text).strip()

        texts = await asyncio.gather(*map(read_one, scans))
        found = {scan.page: text for scan, text in zip(scans, texts, strict=True) if text}
        fields = {
            "correlation_id": self._correlation_id,
            "pages": len(scans),
            "pages_read": len(found),
            "bytes": sum(len(scan.content) for scan in scans),
            "input_tokens": self.usage.input_tokens - before.input_tokens,
            "output_tokens": self.usage.output_tokens - before.output_tokens,
        }
        log.info("scans_read", extra={"fields": fields})
        return found
