"""Searches with the Claude API's own tool, in a call that knows the query and nothing else.

The tool runs at Anthropic, where our code does not see its query before it leaves. So it is not given to the
model that reads the thread: that model calls our tool, the query is checked, and this call passes it on. What
the model writes here is not used, only the links.

`web_search_20250305` is the version that runs no code; later ones filter results with it. Authorities: the
SDK's `types/web_search_tool_20250305_param.py` and `types/web_search_tool_result_block.py`, and Anthropic's
pages "Web search tool" and "Server tools".
"""

import asyncio
from collections.abc import Mapping
from typing import Any

from fetcher.agent.errors import ModelFailed, ModelRejected
from fetcher.agent.model.claude import translated
from fetcher.agent.model.clients import Client, open_api
from fetcher.agent.model.model_features import features_of, request_fields
from fetcher.agent.values import Usage
from fetcher.agent.web_search.contract import Found, rejected, results_from, unavailable
from fetcher.settings import AgentSettings, SearchLanguage

SECONDS = 30.0
MOST_CALLS = 3
"""A turn that the API pauses is sent back as it came, so often at most."""
MOST_TOKENS = 4000
COUNTRIES: Mapping[SearchLanguage, str] = {"ja": "JP", "en": "US", "ko": "KR", "zh": "CN"}
SYSTEM = "Call web_search once, with the user's text as the query, unchanged. Then write only the word done."


class ClaudeSearch:
    def __init__(self, settings: AgentSettings) -> None:
        self._settings = settings

    async def search(self, query: str, language: SearchLanguage, most: int) -> Found:
        """The links for a query; raises ToolRefused."""
        settings = self._settings
        name = settings.anthropic_model
        effort = "low" if "low" in features_of(name).efforts else ""
        location = {"type": "approximate", "country": COUNTRIES[language]}
        tool = {"type": "web_search_20250305", "name": "web_search", "max_uses": 1, "user_location": location}
        body = {
            "model": name,
            **request_fields(name, effort=effort, thinking="", on_bedrock=False),
            "max_tokens": MOST_TOKENS,
            "system": SYSTEM,
            "tools": [tool],
            "messages": [{"role": "user", "content": query}],
        }
        try:
            client = await asyncio.to_thread(open_api, settings)
            try:
                async with asyncio.timeout(SECONDS):
                    found = await _converse(client, body)
            finally:
                await client.close()
        except TimeoutError:
            raise unavailable("there was no time left") from None
        except ModelFailed as failure:
            refusal = rejected if isinstance(failure, ModelRejected) else unavailable
            raise refusal(failure.message) from None
        return Found(results=found.results[:most], usage=found.usage)


async def _converse(client: Client, body: dict[str, Any]) -> Found:
    """Call the API until a search has ended; raises ToolRefused, TimeoutError or ModelFailed."""
    from anthropic import AnthropicError

    usage, paused = Usage(), list[Any]()
    for _ in range(MOST_CALLS):
        try:
            reply = await client.send(body)
            content, counted = reply["content"], reply["usage"]
            usage += Usage(
                calls=1, input_tokens=counted["input_tokens"], output_tokens=counted["output_tokens"]
            )
            searched = [block["content"] for block in content if block["type"] == "web_search_tool_result"]
        except AnthropicError as error:
            refusal = translated(error, client.secrets)
            # A turn that was paused inside a search is sometimes refused when it comes back.
            raise unavailable(refusal.message) if paused else refusal from None
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise unavailable(f"the reply is not as it should be ({type(error).__name__})") from None
        if found := [one for one in searched if isinstance(one, list)]:
            rows = [row for one in found for row in one]
            return Found(results=results_from(rows, snippet="page_age"), usage=usage)
        for failure in searched:
            code = failure.get("error_code") if isinstance(failure, Mapping) else "no results"
            raise unavailable(str(code)[:40])
        if reply.get("stop_reason") != "pause_turn":
            break
        paused += content
        body = body | {"messages": [*body["messages"][:1], {"role": "assistant", "content": paused}]}
    raise unavailable("no search was made")
