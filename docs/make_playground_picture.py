"""Writes the moving pictures of the README: one question in the playground, from typing to the CSV file.

Run it with the packages of `requirements/dev.lock`, a Chromium and a Japanese font (`fonts-noto-cjk`):

    python docs/make_playground_picture.py

The page, the app and the answer are real. The question is about the built-in sample site, so the script needs
no network. Only the pace is changed: each step of the agent is shown for a moment. The result is an animated
PNG, which browsers and GitHub show as a moving picture.
"""

import asyncio
import os
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright  # noqa: E402

from fetcher.agent import Answer, Answerer, AskRequest, Progress  # noqa: E402
from fetcher.web.browser import command_line  # noqa: E402
from slackapp.playground.playground import Playground  # noqa: E402

PICTURES = {
    "en-US": ("asking.png", "http://shop.sample/price Export the price table as CSV"),
    "ja-JP": ("asking.ja.png", "http://shop.sample/price の料金表をCSVにして"),
}
"""Each language of the page, with the name of its picture and the question."""
SIZE: ViewportSize = {"width": 1120, "height": 720}
MENTION = "@Web"
"""The beginning of the app's name; the page suggests the rest."""
STEP_SECONDS = 2.0
"""Longer than Slack's updates are apart, so that each step is shown."""
MOST_BYTES = 1_500_000
SIGNATURE = b"\x89PNG\r\n\x1a\n"

Frame = tuple[bytes, int]
"""A screenshot and how long it is shown, in milliseconds."""


class UnhurriedAgent:
    """Asks the real agent, then shows its steps one by one."""

    def __init__(self, inner: Answerer) -> None:
        self._inner = inner

    async def ask(self, request: AskRequest, on_progress: Callable[[Progress], None]) -> Answer:
        steps: list[Progress] = []
        answer = await self._inner.ask(request, steps.append)
        for step in steps:
            on_progress(step)
            await asyncio.sleep(STEP_SECONDS)
        return answer

    async def aclose(self) -> None:
        await self._inner.aclose()


def record_frames(page: Page, question: str) -> list[Frame]:
    """Asks the question as a person does, and takes a picture of each step."""
    frames: list[Frame] = []

    def shoot(milliseconds: int) -> None:
        page.mouse.move(0, 0)
        frames.append((page.screenshot(animations="disabled", caret="hide"), milliseconds))

    field = page.locator(".main textarea")
    expect(field).to_be_visible()
    shoot(1200)
    field.press_sequentially(MENTION)
    shoot(700)
    field.press("Enter")  # takes the suggested mention
    half = len(question) // 2
    field.press_sequentially(question[:half])
    shoot(500)
    field.press_sequentially(question[half:])
    shoot(900)
    field.press("Enter")
    replies = page.locator(".thread .message")
    expect(replies).to_have_count(2)
    page.wait_for_timeout(600)
    shoot(1100)
    page.wait_for_timeout(1000 * STEP_SECONDS)
    shoot(1100)
    preview = page.locator(".thread [data-act^=preview]")
    expect(preview).to_be_visible(timeout=30_000)
    shoot(2200)
    preview.click()
    expect(page.locator(".thread .preview td").first).to_be_visible()
    page.wait_for_timeout(300)
    shoot(4500)
    return frames


def read_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        at += length + 12


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def animated_png(frames: list[Frame]) -> bytes:
    """An APNG of pictures of one size: the first is an ordinary PNG, the others follow as `fdAT` chunks."""
    header = dict(read_chunks(frames[0][0]))[b"IHDR"]
    size = struct.unpack_from(">II", header)
    parts = [SIGNATURE, chunk(b"IHDR", header), chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    number = 0
    for index, (png, milliseconds) in enumerate(frames):
        if dict(read_chunks(png))[b"IHDR"] != header:
            raise ValueError("The screenshots differ in size or colour type.")
        control = struct.pack(">IIIIIHHBB", number, *size, 0, 0, milliseconds, 1000, 0, 0)
        parts.append(chunk(b"fcTL", control))
        number += 1
        for data in (data for kind, data in read_chunks(png) if kind == b"IDAT"):
            if index == 0:
                parts.append(chunk(b"IDAT", data))
            else:
                parts.append(chunk(b"fdAT", struct.pack(">I", number) + data))
                number += 1
    return b"".join([*parts, chunk(b"IEND", b"")])


def record(browser: Browser, locale: str, question: str) -> bytes:
    with Playground({}, wrap_agent=UnhurriedAgent) as playground:
        context = browser.new_context(viewport=SIZE, locale=locale)
        page = context.new_page()
        page.goto(playground.url)
        picture = animated_png(record_frames(page, question))
        context.close()
    if len(picture) > MOST_BYTES:
        raise ValueError(f"The picture has {len(picture)} bytes, more than {MOST_BYTES}.")
    return picture


def main() -> None:
    flags = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=command_line.find(""), args=flags)
        for locale, (name, question) in PICTURES.items():
            picture = record(browser, locale, question)
            (ROOT / "docs" / "images" / name).write_bytes(picture)
            sys.stdout.write(f"docs/images/{name}: {len(picture):,} bytes\n")
        browser.close()


if __name__ == "__main__":
    main()
