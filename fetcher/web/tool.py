"""`web_fetch`: JSON in, JSON out, as the SRD has it."""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from fetcher.codes import RenderingMethod
from fetcher.settings import Settings, WebFetchSettings
from fetcher.turns import in_turn
from fetcher.web.browser_reader import PAGE_LOAD_SECONDS, is_js_heavy
from fetcher.web.errors import BadArguments, FetchError, SchemaViolated, contained
from fetcher.web.fetch_job import FetchOptions
from fetcher.web.fetch_log import here, under
from fetcher.web.net import canonical
from fetcher.web.output import fit
from fetcher.web.output.fit import ToolContext
from fetcher.web.pipeline import Pipeline
from fetcher.web.search.tasks import CutPage
from fetcher.web.values import Document, FetchedPage

log = logging.getLogger(__name__)

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

JSON_TYPES: dict[str, type] = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}
"""The types in our JSON schemas, and the Python types that JSON is parsed into."""


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
        return self._settings.approval_required_by is not None

    def timeout(self) -> float:
        """Seconds within which `execute` ends by itself (SRD FR-WF-TIMEOUT-01)."""
        web = self._settings.webfetch
        return web.timeout_seconds + web.browser.network_idle_ms / 1000 + PAGE_LOAD_SECONDS + 2

    def approval_summary(self, arguments: Any) -> str:
        """One line for the person who approves; the URL's query is left out, since it may hold secrets."""
        request = checked(arguments)
        url, web = canonical.canonicalise(request["url"]), self._settings.webfetch
        in_browser = request.get("force_browser") or is_js_heavy(url, web.rendering)
        method = RenderingMethod.BROWSER if in_browser else RenderingMethod.HTTP
        return f"{NAME} {url.redacted} ({method} mode)"

    async def execute(self, arguments: Any, context: ToolContext | None = None) -> str:
        """Fetch the page and return the response as JSON text; raises only FetchError."""
        context = context or ToolContext()
        context.allow_truncation = False  # SRD FR-WF-03a: a truncated JSON text cannot be parsed
        with named(arguments), contained():
            with failures_logged():
                request = checked(arguments)
            page = await self._pipeline.fetch(request["url"], options_of(request, self._settings.webfetch))
            return await response_of(self._pipeline, page, request, context.effective_max_bytes)


def options_of(request: Mapping[str, Any], web: WebFetchSettings) -> FetchOptions:
    """How the page of a valid request is fetched."""
    return FetchOptions(
        mode=web.extraction.mode,
        timeout_seconds=web.timeout_seconds,
        max_bytes=web.max_download_bytes,
        no_cache=request.get("no_cache", False),
        force_browser=request.get("force_browser", False),
    )


async def response_of(
    pipeline: Pipeline, page: FetchedPage, request: Mapping[str, Any], max_bytes: int
) -> str:
    """The response to a valid request as JSON text; raises FetchError if nothing fits."""
    size = request.get("max_chunk_tokens", pipeline.settings.default_max_chunk_tokens)
    with failures_logged():
        text = Document(markdown=page.document.headed_markdown)
        chunks = await pipeline.make(CutPage(max_tokens=size, mode=pipeline.settings.extraction.mode), text)
        return await in_turn(fit.respond, page, chunks, max_bytes)


def named(arguments: Any) -> AbstractContextManager[None]:
    """Log records written inside name the fetch that a tool's arguments, valid or not, ask for."""
    given = arguments if isinstance(arguments, Mapping) else {}
    method = RenderingMethod.BROWSER if given.get("force_browser") is True else RenderingMethod.HTTP
    return under(canonical.attempted(given.get("url")), method)


@contextmanager
def failures_logged() -> Iterator[None]:
    """Log errors from before and after the pipeline; the pipeline logs its own."""
    try:
        yield
    except FetchError as error:
        log.info("fetch_failed", extra=here(error_code=error.code))
        raise


def checked(arguments: Any) -> dict[str, Any]:
    """The arguments, if all are valid (SRD FR-WF-02); raises `bad_args`."""
    request = matching(arguments, PARAMETERS)
    if not request["url"].strip():
        raise BadArguments("must not be empty", field="url")
    if not SMALLEST_CHUNK <= request.get("max_chunk_tokens", SMALLEST_CHUNK) <= LARGEST_CHUNK:
        raise BadArguments(f"must be from {SMALLEST_CHUNK} to {LARGEST_CHUNK}", field="max_chunk_tokens")
    return request


def matching(arguments: Any, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, if they match a tool's schema (SRD FR-ERR-JSON-02); raises `bad_args`."""
    properties = schema["properties"]
    if not isinstance(arguments, Mapping):
        raise SchemaViolated(f"must be a JSON object with {', '.join(properties)}")
    for field in schema["required"]:
        if field not in arguments:
            raise SchemaViolated("must be given", field=field)
    for field, value in arguments.items():
        if field not in properties:
            raise SchemaViolated(f"is none of {', '.join(properties)}", field=str(field))
        _require(value, properties[field], field)
    return dict(arguments)


def _require(value: Any, schema: Mapping[str, Any], field: str) -> None:
    """Raise `bad_args` if a value does not match its schema; schemas are a few levels deep."""
    if not isinstance(value, JSON_TYPES[schema["type"]]) or isinstance(value, bool) != (
        schema["type"] == "boolean"
    ):
        raise SchemaViolated(f"must be a JSON {schema['type']}", field=field)
    if value not in schema.get("enum", [value]):
        raise SchemaViolated(f"must be one of {', '.join(schema['enum'])}", field=field)
    if isinstance(value, dict):
        matching(value, schema)
    if isinstance(value, list):
        for each in value:
            _require(each, schema["items"], field)


def error_text(error: FetchError) -> str:
    """An error as the JSON envelope of SRD §3.7.1."""
    return json.dumps(error.envelope(), ensure_ascii=False)
