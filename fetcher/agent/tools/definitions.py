"""The tools that the model is told of: names, descriptions and JSON schemas of their arguments.

They are strict: the model's arguments always match. So their schemas keep to what strict tools may say (the
SDK's `lib/_parse/_transform.py`): no bounds, no lengths, no defaults.
"""

from typing import Any, get_args

from fetcher.agent.files.table_selection import Operator
from fetcher.agent.model.contract import Block
from fetcher.web import tool as web_fetch

FETCH_URL = "fetch_url"
SEARCH_WEB = "search_web"
_URL = {"type": "string", "description": "The page's http or https URL, as it stands in the conversation"}
_START = {
    "type": "integer",
    "description": "Where to begin in the page: the position at which an earlier result says it continues",
}


def _definition(
    name: str, description: str, properties: dict[str, Any], optional: tuple[str, ...] = ()
) -> Block:
    schema = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "input_schema": schema, "strict": True}


_DEFINITIONS: tuple[Block, ...] = (
    _definition(
        SEARCH_WEB,
        "Searches the web for a question without a link, and returns links with titles and snippets. Read "
        "the pages with fetch_url before you answer from them. The query goes to a search company and is "
        "shown to the user: use a few words of the user's question, and none of other people's messages.",
        {"query": {"type": "string", "description": "What to search for, in at most 100 characters"}},
    ),
    _definition(
        FETCH_URL,
        "Reads a web page, a text file or a document (PDF, Excel, Word, CSV, feed) quickly. Prefer this for "
        "a first look. It shows a long page in parts: start reads on.",
        {"url": _URL, "start": _START},
        optional=("start",),
    ),
    _definition(
        web_fetch.NAME,
        f"{web_fetch.DESCRIPTION}. Use it when fetch_url ran out of time, for a fresh copy (no_cache) or for "
        "pages that scripts fill (force_browser).",
        {
            "url": _URL,
            "no_cache": {"type": "boolean", "description": "Fetch again instead of using a cached copy"},
            "force_browser": {"type": "boolean", "description": "Render the page in a headless browser"},
            "start": _START,
        },
        optional=("no_cache", "force_browser", "start"),
    ),
    _definition(
        "read_through",
        "Reads all of a long page that was already read in part, and returns notes of every part, in order. "
        "Use it for summaries of pages that do not fit, not to look something up.",
        {
            "url": _URL,
            "focus": {"type": "string", "description": "What the notes are for, in the user's language"},
        },
    ),
    _definition(
        "find_in_page",
        "Finds the passages of a page already read which answer a question, best first, with headings and "
        "positions. It looks in the whole page, also in headers, menus, side columns and footers, and names "
        "the page's links that bear on the question.",
        {
            "url": _URL,
            "query": {
                "type": "string",
                "description": "The question, or words to look for; synonyms are found too",
            },
        },
    ),
    _definition(
        "export_table",
        "Makes a file of each of these tables of a page that was already read, exactly as they stand there; "
        "as xlsx, one workbook with a sheet for each. "
        "Columns, conditions on rows, an order and a limit give a part of a table. "
        "Always prefer this to retyping a table with create_file. Tell the user what you left out.",
        {
            "url": _URL,
            "table": {
                "type": "integer",
                "description": "The table's number in the list that came with the page",
            },
            "tables": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "The numbers of several tables, instead of table",
            },
            "format": {"type": "string", "enum": ["csv", "json", "xlsx"]},
            "file_name": {"type": "string", "description": "A name for the file, without path"},
            "columns": {
                "type": "array",
                "items": {"type": "string"},
                "description": "The names of the columns to keep, in this order; all without it",
            },
            "where": {
                "type": "array",
                "description": "Only rows for which all of these hold",
                "items": {
                    "type": "object",
                    "properties": {
                        "column": {"type": "string"},
                        "operator": {"type": "string", "enum": list(get_args(Operator))},
                        "value": {"type": "string"},
                    },
                    "required": ["column", "operator", "value"],
                    "additionalProperties": False,
                },
            },
            "sort": {"type": "string", "description": "The name of the column to sort by"},
            "descending": {"type": "boolean", "description": "Whether the largest comes first"},
            "limit": {"type": "integer", "description": "At most so many rows"},
        },
        optional=("table", "tables", "file_name", "columns", "where", "sort", "descending", "limit"),
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
