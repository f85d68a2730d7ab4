"""What operators copy and read: `.env.example`, examples for a shell, the pages in Japanese."""

import re
from pathlib import Path

import pytest
from pydantic import SecretStr

from fetcher.settings import AgentSettings
from slackapp.codes import RefusalCode
from slackapp.settings import SlackSettings
from tests.test_documentation import KNOWN, PAGES, _rows

ROOT = Path(__file__).parent.parent
MODELS = (SlackSettings, AgentSettings)
FOREIGN = {"HTTPS_PROXY"}


def example():
    """The names and values of the example, those that are commented out included."""
    lines = (ROOT / ".env.example").read_text("utf-8").splitlines()
    found = (re.fullmatch(r"(?:# )?([A-Z][A-Z0-9_]+)=(.*)", line) for line in lines)
    return {line[1]: line[2] for line in found if line}


def test_the_example_names_settings_that_exist_and_every_secret():
    secrets = {
        name.upper()
        for model in MODELS
        for name, field in model.model_fields.items()
        if isinstance(field.default, SecretStr)
    }
    assert secrets >= {"SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "ANTHROPIC_API_KEY"}
    assert secrets - example().keys() == set()
    assert example().keys() - KNOWN - FOREIGN == set()


@pytest.mark.parametrize("model", MODELS)
def test_the_values_of_the_example_are_the_defaults(model):
    """A copy of it without a change is an installation without any setting."""
    shown = {
        name.lower(): value
        for name, value in example().items()
        if value and name.lower() in model.model_fields
    }
    assert model.model_validate(shown) == model()


SECRET = re.compile(
    r"(?:export |^\$ )\S*(?:TOKEN|SECRET|API_KEY|PASSWORD)=|xox[a-z]-|xapp-|sk-ant-|--value [^\"$]"
    r"|--value \"(?!\$)"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_example_puts_a_secret_into_the_history_of_a_shell(page):
    blocks = re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    lines = [line.strip() for block in blocks for line in block.splitlines()]
    assert [line for line in lines if SECRET.search(line)] == []


@pytest.mark.parametrize(
    "line",
    [
        "$ export SLACK_BOT_TOKEN=xoxb-1",
        "$ SLACK_SIGNING_SECRET=abc make run",
        "$ aws ssm put-parameter --name N --value abc",
        '$ aws ssm put-parameter --name N --value "abc"',
        "$ run --key sk-ant-1",
    ],
)
def test_such_examples_are_recognised(line):
    assert SECRET.search(line)


def test_every_setting_is_explained_in_japanese():
    rows = _rows("settings.md")
    assert [name for name in KNOWN if not re.search("[ぁ-んァ-ヶ一-龠]", rows[name][-1])] == []


def test_every_reason_to_refuse_and_every_event_of_the_page_in_japanese_exists():
    english = (ROOT / "docs/operations.md").read_text("utf-8")
    japanese = (ROOT / "docs/ja/operations.md").read_text("utf-8")
    assert [code for code in RefusalCode if f"`{code}`" not in japanese] == []
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", japanese))
    assert {name for name in named if f"`{name}`" not in english} == set()
