"""The model is told only of tools and parameters that exist, and of all that it needs."""

import re

import pytest

from fetcher.agent.model import prompts
from fetcher.agent.tools.definitions import DEFINITIONS
from fetcher.web.values import LinkPlace

PARAMETERS = {
    name for definition in DEFINITIONS.values() for name in definition["input_schema"]["properties"]
}
CONDITION = set(DEFINITIONS["export_table"]["input_schema"]["properties"]["where"]["items"]["properties"])
OTHER_WORDS = {"search_result", "image", "navigation", "footer", "continues", "at", "retryable", "false"}
"""Kinds of blocks, words of results, and formats."""
FORMATS = set(DEFINITIONS["export_table"]["input_schema"]["properties"]["format"]["enum"])


def test_every_tool_and_parameter_that_the_prompt_names_exists():
    """A name in Latin letters in lower case is one of a tool, of a parameter, or of something in a result."""
    named = set(re.findall(r"(?<![A-Za-z])[a-z][a-z_]+(?![A-Za-z])", prompts.SYSTEM + prompts.SEARCHING))
    assert named - DEFINITIONS.keys() - PARAMETERS - CONDITION - FORMATS - OTHER_WORDS == set()


def test_every_tool_is_named():
    assert [name for name in DEFINITIONS if name not in prompts.SYSTEM + prompts.SEARCHING] == []


@pytest.mark.parametrize(
    "name",
    [
        "start",
        "query",
        "no_cache",
        "force_browser",
        "table",
        "tables",
        "columns",
        "where",
        "sort",
        "descending",
        "limit",
    ],
)
def test_the_parameters_that_need_a_strategy_are_explained(name):
    assert name in PARAMETERS
    assert re.search(rf"(?<![a-z_]){name}(?![a-z_])", prompts.SYSTEM)


@pytest.mark.parametrize("place", [LinkPlace.NAVIGATION, LinkPlace.FOOTER])
def test_places_of_links_are_called_as_the_results_call_them(place):
    assert place in prompts.SYSTEM
