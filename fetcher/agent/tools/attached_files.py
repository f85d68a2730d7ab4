"""The files that people have sent in a conversation: read like links, kept no longer than the question."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fetcher import wording
from fetcher.agent.errors import ToolRefused
from fetcher.agent.safety.fencing import plain_label
from fetcher.agent.safety.provenance import canonical_forms
from fetcher.agent.values import AttachedFile
from fetcher.codes import AgentCode
from fetcher.settings import DocumentSettings
from fetcher.turns import in_thread, threads

DOWNLOADS = "download", 8
"""Threads of their own: a download may wait for long, and pages need those of the event loop."""
MOST_AT_ONCE = 3
"""Of one question: others wait for their files too."""


class AttachedFiles:
    """Downloads files by the addresses under which people see them."""

    def __init__(self, files: Sequence[AttachedFile], most: int) -> None:
        """At most so many can be had, those of the question first; of the others it is noted why not."""
        files = sorted(files, key=lambda file: not file.asked)
        self._files = {url: file for file in files[:most] for url in canonical_forms([file.url])}
        self._places = asyncio.Semaphore(MOST_AT_ONCE)
        refused = wording.note(AgentCode.FETCH_LIMIT)
        self._failures = {plain_label(file.name): refused for file in files[most:] if file.asked}

    def find(self, address: str) -> AttachedFile | None:
        """The file with a canonical URL."""
        return self._files.get(address)

    async def download(self, file: AttachedFile, limits: DocumentSettings) -> bytes:
        """The content of a file, within the limits of documents; raises ToolRefused."""
        seconds = float(limits.timeout_seconds)
        async with self._places:
            with self.failures_noted(file):
                return await in_thread(threads(*DOWNLOADS), file.download, limits.max_bytes, seconds)

    @contextmanager
    def failures_noted(self, file: AttachedFile) -> Iterator[None]:
        """Note why a file could not be had, for the asker."""
        try:
            yield
        except ToolRefused as refusal:
            self._failures[plain_label(file.name)] = wording.note(refusal.code)
            raise

    @property
    def failures(self) -> list[str]:
        """Which files could not be had, and why, for the asker."""
        return [wording.file_failed(name, why) for name, why in self._failures.items()]
