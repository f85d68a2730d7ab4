"""`web_fetch`: JSON in, JSON out, as the SRD has it."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from fetcher.codes import RenderingMethod
from fetcher.settings import Settings
from fetcher.web import canonical, fit
from fetcher.web.browser_reader import PAGE_LOAD_SECONDS
from fetcher.web.chunks import chunk
from fetcher.web.errors import BadArguments, FetchError, contained
from fetcher.web.fit import ToolContext
from fetcher.web.jobs import Want
from fetcher.web.pipeline import Pipeline
from fetcher.web.values import FetchedPage

NAME = "web_fetch"
DESCRIPTION = "Fetch a URL and extract its content as markdown"

SMALLEST_CHUNK, LARGEST_CHUNK = 128, 2048
"""SRD FR-WF-02a."""


PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "url": {"type": "string", "description": "The http or https URL to read", "minLength": 1},
        "max_chunk_tokens": {
            "type": "integer",
            "description": "The most tokens that a chunk of the answer may have",
            "minimum": SMALLEST_CHUNK,
            "maximum": LARGEST_CHUNK,
        },
        "no_cache": {
            "type": "boolean",
            "description": "Fetch the page again instead of using a cached copy",
            "default": False,
        },
        "force_browser": {
            "type": "boolean",
            "description": "Render the page in a headless browser",
            "default": False,
        },
    },
    "required": ["url"],
    "additionalProperties": False,
}
"""The request's JSON schema (SRD FR-WF-02)."""

TYPES: dict[str, type] = {"url": str, "max_chunk_tokens": int, "no_cache": bool, "force_browser": bool}


class WebFetchTool:
    """The tool as its executor sees it (SRD Appendix E)."""

    name = NAME
    description = DESCRIPTION
    parameters = PARAMETERS

    def __init__(self, settings: Settings, pipeline: Pipeline) -> None:
        self._settings = settings
        self._pipeline = pipeline

    def is_side_effecting(self) -> bool:
        return True

    def requires_approval(self) -> bool:
        """SRD FR-WF-OP-02; a global denial is the settings' `switched_off_by`."""
        return not self._settings.webfetch.allow_auto_execution

    def timeout(self) -> float:
        """Seconds within which `execute` ends by itself (SRD FR-WF-TIMEOUT-01)."""
        web = self._settings.webfetch
        return web.timeout_seconds + web.browser.network_idle_ms / 1000 + PAGE_LOAD_SECONDS + 2

    def approval_summary(self, arguments: Mapping[str, Any]) -> str:
        """One line for the person who approves; queries may hold secrets and are left out."""
        request = checked(arguments)
        method = RenderingMethod.BROWSER if request.get("force_browser") else RenderingMethod.HTTP
        return f"{NAME} {canonical.canonicalise(request['url']).redacted} ({method} mode)"

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext | None = None) -> str:
        """The response as JSON text; raises FetchError and nothing else."""
        with contained():
            return await self._execute(arguments, context or ToolContext())

    async def _execute(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        request = checked(arguments)
        web = self._settings.webfetch
        want = Want(
            mode=web.extraction.mode,
            timeout_seconds=web.timeout_seconds,
            max_bytes=web.max_download_bytes,
            no_cache=request.get("no_cache", False),
            force_browser=request.get("force_browser", False),
        )
        page = await self._pipeline.fetch(request["url"], want)
        size = request.get("max_chunk_tokens", web.default_max_chunk_tokens)
        return await asyncio.to_thread(_response, page, size, context)


def _response(page: FetchedPage, max_chunk_tokens: int, context: ToolContext) -> str:
    context.allow_truncation = False  # SRD FR-WF-03a: a cut JSON text is none
    return fit.respond(page, chunk(page.document.markdown, max_chunk_tokens), context.effective_max_bytes)


def checked(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, every one of them right (SRD FR-WF-02); raises `bad_args`."""
    for field, value in arguments.items():
        if field not in TYPES:
            raise BadArguments("is not a parameter of web_fetch", field=field)
        if type(value) is not TYPES[field]:
            raise BadArguments(f"must be a JSON {PARAMETERS['properties'][field]['type']}", field=field)
    url, size = arguments.get("url"), arguments.get("max_chunk_tokens", SMALLEST_CHUNK)
    if not url or not url.strip():
        raise BadArguments("must be given and not be empty", field="url")
    if not SMALLEST_CHUNK <= size <= LARGEST_CHUNK:
        raise BadArguments(f"must be from {SMALLEST_CHUNK} to {LARGEST_CHUNK}", field="max_chunk_tokens")
    return dict(arguments)


def error_text(error: FetchError) -> str:
    """An error as the JSON envelope of SRD §3.7.1."""
    return json.dumps(error.envelope(), ensure_ascii=False)
