"""A connection between a fake server and a client."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A connection with a client, past its TLS handshake if it has one."""

    scheme: str
    server_name: str | None
    """The name that the handshake asked for (SNI)."""
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter


async def send(pieces: AsyncGenerator[bytes, None], conversation: Conversation) -> None:
    """Sends the pieces one by one, until the client hangs up."""
    async with _until_hang_up(conversation.reader), contextlib.aclosing(pieces):
        async for piece in pieces:
            conversation.writer.write(piece)
            await conversation.writer.drain()


@contextlib.asynccontextmanager
async def _until_hang_up(reader: asyncio.StreamReader) -> AsyncGenerator[None, None]:
    """Breaks off when the client closes the connection, even if nothing is being sent."""
    watcher = asyncio.create_task(_cancel_at_hang_up(reader, asyncio.current_task()))
    try:
        yield
    finally:
        watcher.cancel()


async def _cancel_at_hang_up(reader: asyncio.StreamReader, task: asyncio.Task[Any] | None) -> None:
    assert task is not None
    with contextlib.suppress(OSError):
        await reader.read()
    task.cancel()
