"""`--tier quick`: what protects a change. `--tier rest`: everything else. Without it, all tests run."""

import pytest

REST = (
    "tests/conformance/",
    "tests/deploy/",
    "tests/evals/",
    "tests/fakes/",
    "tests/fetcher/a2a/test_command.py",
    "tests/fetcher/invoke/test_handler.py",
    "tests/fetcher/web/browser/",
    "tests/fetcher/web/sandbox/",
    "tests/fuzz/",
    "tests/protocol/",
    "tests/scenarios/test_browser",
    "tests/scenarios/test_playground.py",
    "tests/scenarios/test_slack_flood.py",
    "tests/scenarios/test_slack_kill.py",
    "tests/scenarios/test_slack_lambda.py",
    "tests/scenarios/test_slack_pause.py",
    "tests/scenarios/test_stall.py",
    "tests/scenarios/test_wire.py",
    "tests/slackapp/playground/",
    "tests/soak/",
    "tests/test_linear.py",
    "tests/test_possessive.py",
)
"""Browsers, other processes, workers that are killed or paused at each moment, outside data, the fakes' own
tests, fuzzing, the soak, and how long hostile text takes."""
QUICK = ("tests/scenarios/test_browser.py::test_it_wf_br_01",)
"""What of these runs at every change."""
STORES = "tests/slackapp/stores/"
"""The contract of the stores runs on both of them; stories run on SQLite first."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=["quick", "rest"], help="run only these tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    tier = config.getoption("tier")
    if tier:
        left = [item for item in items if is_quick(item.nodeid) != (tier == "quick")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if is_quick(item.nodeid) == (tier == "quick")]


def is_quick(test: str) -> bool:
    on_dynamodb = "dynamodb" in test.partition("[")[2] and not test.startswith(STORES)
    return test.startswith(QUICK) or not (test.startswith(REST) or on_dynamodb)
