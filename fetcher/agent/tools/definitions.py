"""The tools that the model is told of: names, descriptions and JSON schemas of their arguments."""

from typing import Any

from fetcher.agent.model.contract import Block
from fetcher.web import tool as web_fetch

_URL = {"type": "string", "description": "The page's http or https URL, as it stands in the conversation"}


def _definition(
    name: str, description: str, properties: dict[str, Any], optional: tuple[str, ...] = ()
) -> Block:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "input_schema": schema}


_DEFINITIONS: tuple[Block, ...] = (
    _definition(
        "fetch_url",
        "Reads a web page, a text file or a document (PDF, Excel, Word, CSV, feed) quickly. "
        "Prefer this for a first look. Long pages are cut.",
        {"url": _URL},
    ),
    {
        "name": web_fetch.NAME,
        "description": (
            f"{web_fetch.DESCRIPTION}. Use it when fetch_url was cut or failed, for long pages, "
            "for a fresh copy (no_cache) or for pages that scripts fill (force_browser)."
        ),
        "input_schema": web_fetch.PARAMETERS
        | {
            "properties": {  # the model gets passages of our own size
                name: schema
                for name, schema in web_fetch.PARAMETERS["properties"].items()
                if name != "max_chunk_tokens"
            }
        },
    },
    _definition(
        "find_in_page",
        "Finds the passages of a page already read which bear on a query. Use it for long pages, and for "
        "what the page's main text lacks: it also looks in headers, side columns and footers.",
        {
            "url": _URL,
            "query": {"type": "string", "description": "Words to look for, in the page's language"},
        },
    ),
    _definition(
        "export_table",
        "Makes a file of a table of a page that was already read, exactly as it stands there. "
        "Always prefer this to retyping a table with create_file.",
        {
            "url": _URL,
            "table": {
                "type": "integer",
                "description": "The table's number in the list that came with the page",
            },
            "format": {"type": "string", "enum": ["csv", "json", "xlsx"]},
            "file_name": {"type": "string", "description": "A name for the file, without path"},
        },
        optional=("file_name",),
    ),
    _definition(
        "create_file",
        "Makes a file of text that you composed, when the user asked for a file.",
        {
            "file_name": {"type": "string"},
            "mime_type": {
                "type": "string",
                "description": "text/csv, application/json, text/plain, or Excel's type with CSV as content",
            },
            "content": {"type": "string"},
        },
    ),
)
DEFINITIONS: dict[str, Block] = {definition["name"]: definition for definition in _DEFINITIONS}
"""By name, in the order in which the model is told of them."""
