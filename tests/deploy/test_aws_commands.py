"""Commands for AWS in the documents, and the role of AgentCore, against AWS's own descriptions."""

import json
import re
from functools import cache
from pathlib import Path

import botocore.session  # type: ignore[import-untyped]
import pytest
from botocore import xform_name

ROOT = Path(__file__).parent.parent.parent
OF_THE_COMMAND_LINE = {("logs", "tail"), ("ecr", "get-login-password")}
"""Commands that are not operations of a service."""
ALSO = {("bedrock-runtime", "converse"), ("logs", "tail")}
"""Commands of one word; other such words follow "aws" in sentences."""
GENERAL = {"query", "output", "region", "cli-read-timeout", "profile", "no-cli-pager", "max-items"}


def _commands():
    """Every `aws SERVICE COMMAND …` of the documents: its file, service, command and options."""
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = path.read_text("utf-8").replace("\\\n", " ")
        for line in re.findall(r"(?<![\w/.-])aws ([a-z][a-z0-9-]+ [a-z][a-z0-9-]+[^\n`|;]*)", text):
            service, command, *rest = line.split()
            if "-" in command or (service, command) in ALSO:
                yield (
                    path.name,
                    service,
                    command,
                    tuple(re.findall(r"(?<=--)[a-z][a-z0-9-]*", " ".join(rest))),
                )


COMMANDS = sorted(set(_commands()))


@cache
def _operations(service):
    """The operations of a service, as the command line names them, to their arguments."""
    model = botocore.session.get_session().get_service_model(service)
    shapes = {name: model.operation_model(name).input_shape for name in model.operation_names}
    return {
        xform_name(name, "-"): {xform_name(member, "-") for member in (shape.members if shape else ())}
        for name, shape in shapes.items()
    }


@pytest.mark.parametrize(("page", "service", "command", "options"), COMMANDS)
def test_a_command_exists_with_its_options(page, service, command, options):
    if (service, command) not in OF_THE_COMMAND_LINE:
        known = _operations(service)[command]
        # The command line turns a switch `--x` and `--no-x` into one argument.
        assert {option.removeprefix("no-") for option in options} - known <= GENERAL


def test_the_documents_name_commands():
    named = {(page, service, command) for page, service, command, _ in COMMANDS}
    assert ("a2a.md", "bedrock-agentcore-control", "create-agent-runtime") in named
    assert ("deploy.md", "bedrock", "create-inference-profile") in named


def _read(name):
    return json.loads((ROOT / "deploy" / name).read_text("utf-8"))["Statement"]


def test_only_agentcore_takes_the_role_on_and_only_for_this_account():
    [trust] = _read("agentcore-trust.json")
    assert trust["Principal"] == {"Service": "bedrock-agentcore.amazonaws.com"}
    assert trust["Action"] == "sts:AssumeRole"
    assert trust["Condition"] == {
        "StringEquals": {"aws:SourceAccount": "ACCOUNT"},
        "ArnLike": {"aws:SourceArn": "arn:aws:bedrock-agentcore:REGION:ACCOUNT:*"},
    }


def test_the_role_on_agentcore_loads_its_image_and_streams_from_the_model():
    """Rights on everything are those that know no resource, or that a condition limits."""
    rights = {row["Sid"]: row for row in _read("agentcore-policy.json")}
    assert rights["Model"]["Action"] == "bedrock:InvokeModelWithResponseStream"
    assert rights["Image"]["Resource"].endswith(":repository/web-fetch")
    assert "--repository-name web-fetch" in (ROOT / "docs" / "a2a.md").read_text("utf-8")
    whole = {sid for sid, row in rights.items() if row["Resource"] == "*"}
    assert whole == {"Registry", "Metrics", "FirstUse"}
    assert all("Condition" in rights[sid] for sid in whole - {"Registry"})
