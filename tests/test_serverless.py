"""serverless.yml: what runs on AWS agrees with the code that runs there, and may do nothing else."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from fetcher import configuration
from fetcher.agent import RemoteSettings
from fetcher.invoke.settings import InvokeSettings
from fetcher.settings import AgentSettings
from slackapp.settings import TABLES, SlackSettings, load
from slackapp.stores.dynamodb.schema import SCHEMAS, TTL_ATTRIBUTE, WORKING_INDEX, definition

ROOT = Path(__file__).parent.parent
SECRETS = {
    "SLACK_BOT_TOKEN",
    "SLACK_SIGNING_SECRET",
    "SLACK_APP_TOKEN",
    "ANTHROPIC_API_KEY",
    "SEARCH_API_KEY",
}


class CloudFormation(yaml.SafeLoader):
    """YAML with CloudFormation's short forms, each as its long one."""


def _long_form(loader, suffix, node):
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
        value = value.split(".", 1) if suffix == "GetAtt" else value
    else:
        value = loader.construct_sequence(node, deep=True)
    return {suffix if suffix == "Ref" else f"Fn::{suffix}": value}


CloudFormation.add_multi_constructor("!", _long_form)
STACK = yaml.load((ROOT / "serverless.yml").read_text("utf-8"), CloudFormation)
PROVIDER, FUNCTIONS = STACK["provider"], STACK["functions"]
RESOURCES = STACK["resources"]["Resources"]
SLACK = ("slack", "sweep", "recover")


def _environment(function):
    return PROVIDER["environment"] | FUNCTIONS[function]["environment"]


def _statements(role):
    """A role's statements by their names; those under a condition too."""
    (policy,) = RESOURCES[role]["Properties"]["Policies"]
    plain = [
        statement["Fn::If"][1] if "Fn::If" in statement else statement
        for statement in policy["PolicyDocument"]["Statement"]
    ]
    return {statement["Sid"]: statement for statement in plain}


def _listed(value):
    return value if isinstance(value, list) else [value]


def _table_resource(table):
    return "".join(word.capitalize() for word in table.split("_")) + "Table"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_handler_exists(name):
    """A handler that is not there fails at the first request only."""
    module, function = FUNCTIONS[name]["handler"].rsplit(".", 1)
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text("utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_everything_runs_on_the_platform_that_is_packaged():
    assert PROVIDER["runtime"] == "python${env:LAMBDA_PYTHON, '3.13'}"  # as `deploy/package.py` reads it
    assert PROVIDER["architecture"] == "arm64"
    assert not any({"runtime", "architecture"} & set(function) for function in FUNCTIONS.values())
    assert STACK["package"] == {"artifact": "build/lambda.zip"}


def test_logs_are_kept_for_a_fortnight():
    assert PROVIDER["logRetentionInDays"] == 14


SIGNATURE_SECONDS = 300
"""How long Slack's signature is good."""


@pytest.mark.parametrize("name", SLACK)
def test_a_run_is_over_before_its_lease(name):
    """Otherwise the sweeper would take over what still answers (S16)."""
    settings = load(
        {
            key: value
            for key, value in _environment(name).items()
            if isinstance(value, str) and "$" not in value
        }
    )
    question = float(_environment(name)["AGENT_TIMEOUT_SECONDS"])
    assert AgentSettings().model_timeout_seconds < question == AgentSettings().agent_timeout_seconds
    assert question + 20 <= FUNCTIONS[name]["timeout"]
    assert FUNCTIONS[name]["timeout"] < settings.lease_seconds
    assert (settings.lease_seconds, settings.heartbeat_seconds, settings.store_kind) == (270, 10, "dynamodb")


def test_an_event_is_dropped_before_its_signature_expires():
    """The lazy hop verifies Slack's signature again (S16); an event that outlived its run is of no use."""
    assert FUNCTIONS["slack"]["maximumEventAge"] <= min(240, SIGNATURE_SECONDS)
    assert FUNCTIONS["slack"]["maximumEventAge"] >= FUNCTIONS["slack"]["timeout"]
    assert FUNCTIONS["slack"]["maximumRetryAttempts"] == 2


@pytest.mark.parametrize(
    ("name", "role", "kept"),
    [("slack", "SlackRole", "GivenUpQueue"), ("invoke", "InvokeRole", "FailedQueue")],
)
def test_what_fails_for_good_is_kept(name, role, kept):
    queue = {"Fn::GetAtt": [kept, "Arn"]}
    assert FUNCTIONS[name]["destinations"]["onFailure"] == {"type": "sqs", "arn": queue}
    assert _statements(role)["Failed"]["Resource"] == queue
    assert "sqs:SendMessage" in _listed(_statements(role)["Failed"]["Action"])
    assert RESOURCES[kept]["Properties"]["SqsManagedSseEnabled"] is True


def test_what_slack_sent_and_aws_gave_up_is_recovered_before_somebody_has_to_look_at_it():
    """One at a time, as often as the function believes, and never while it still works on it."""
    queue = RESOURCES["GivenUpQueue"]["Properties"]
    assert queue["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": ["FailedQueue", "Arn"]},
        "maxReceiveCount": 4,
    }
    assert "\nLAST_RECEIPT = 4\n" in (ROOT / "slackapp/lambda_handler.py").read_text("utf-8")
    assert FUNCTIONS["recover"]["events"] == [
        {"sqs": {"arn": {"Fn::GetAtt": ["GivenUpQueue", "Arn"]}, "batchSize": 1}}
    ]
    assert queue["VisibilityTimeout"] >= 6 * FUNCTIONS["recover"]["timeout"]


def test_the_ways_in_are_the_three_that_are_meant():
    """Slack's requests carry a signature; whoever calls `/invoke` needs IAM's."""
    assert FUNCTIONS["slack"]["events"] == [{"httpApi": "POST /slack/events"}]
    assert FUNCTIONS["sweep"]["events"] == [{"schedule": "rate(1 minute)"}]
    http, event = FUNCTIONS["invoke"]["events"]
    assert http == {"httpApi": {"method": "POST", "path": "/invoke", "authorizer": {"type": "aws_iam"}}}
    assert event == {"eventBridge": {"pattern": {"source": ["${self:service}.invoke"]}}}
    assert FUNCTIONS["invoke"]["tracing"] == "Active"


ASKING = {*SlackSettings.model_fields, *AgentSettings.model_fields, *RemoteSettings.model_fields}
KNOWN = {
    "slack": ASKING,
    "sweep": ASKING,
    "recover": ASKING,
    "invoke": {*InvokeSettings.model_fields, *AgentSettings.model_fields},
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_variable_is_a_setting(name):
    """A misspelt variable would silently leave a default in force."""
    names = set(_environment(name)) - {"SECRET_PARAMETERS"}
    engine = {key for key in names if key.startswith("WEBFETCH_")}
    assert {key.lower() for key in names - engine} <= KNOWN[name]
    configuration.load({key: _environment(name)[key] for key in engine})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_secret_stands_in_the_environment(name):
    """Whoever may look at a function would read it there."""
    assert SECRETS.isdisjoint(_environment(name))


@pytest.mark.parametrize(
    ("name", "role"),
    [("slack", "SlackRole"), ("sweep", "SlackRole"), ("recover", "SlackRole"), ("invoke", "InvokeRole")],
)
def test_a_function_may_read_the_secrets_that_it_is_told_of_and_no_other(name, role):
    told = _environment(name)["SECRET_PARAMETERS"].split(",")
    allowed = [
        arn["Fn::Sub"].split(":parameter")[1] for arn in _listed(_statements(role)["Secrets"]["Resource"])
    ]
    assert allowed == told
    assert {path.rsplit("/", 1)[1] for path in told} <= SECRETS


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_the_stores_own_schema(table):
    """`python -m slackapp tables create` and CloudFormation make the same tables."""
    properties = dict(RESOURCES[_table_resource(table)]["Properties"])
    assert properties.pop("TableName") == f"${{self:service}}-${{sls:stage}}-{table}"
    expiry = {"TimeToLiveSpecification": {"AttributeName": TTL_ATTRIBUTE, "Enabled": True}}
    properties.pop("PointInTimeRecoverySpecification", None)
    assert properties == definition(SCHEMAS[table]) | (expiry if SCHEMAS[table].expires else {})


@pytest.mark.parametrize("name", SLACK)
def test_the_functions_are_told_the_tables(name):
    told = {table: _environment(name)[f"{table.upper()}_TABLE"] for table in TABLES}
    assert told == {table: {"Ref": _table_resource(table)} for table in TABLES}


PARTS = {
    "dedupe": ("claims", ("Claims", "ExpiredClaims")),
    "whitelist": ("whitelist", ("Whitelist",)),
    "rate_limit": ("usage_counters", ("Meters",)),
    "existence_check_cache": ("lookup_cache", ("Remembered",)),
}
BY_HAND = {"PutItem", "DeleteItem"}
"""Only `python -m slackapp whitelist` changes the whitelist."""
SHORT = {"put": "PutItem", "update": "UpdateItem", "get": "GetItem"}


@pytest.mark.parametrize("table", TABLES)
def test_the_rights_on_a_table_are_exactly_the_operations_that_the_store_uses(table):
    """Least rights: none is missing and none is left over."""
    module, sids = PARTS[table]
    source = (ROOT / "slackapp" / "stores" / "dynamodb" / f"{module}.py").read_text("utf-8")
    used = {SHORT[name] for name in re.findall(r"_calls\.(put|update|get)\(", source)}
    used |= {name.title().replace("_", "") for name in re.findall(r'\.send\(\s*"(\w+)"', source)}
    used -= BY_HAND if table == "whitelist" else set()
    statements = [_statements("SlackRole")[sid] for sid in sids]
    assert {action for statement in statements for action in _listed(statement["Action"])} == {
        f"dynamodb:{name}" for name in used
    }
    resource = _table_resource(table)
    assert statements[0]["Resource"] == {"Fn::GetAtt": [resource, "Arn"]}
    assert all(
        statement["Resource"] == {"Fn::Sub": f"${{{resource}.Arn}}/index/{WORKING_INDEX}"}
        for statement in statements[1:]
    )


@pytest.mark.parametrize("role", ["SlackRole", "InvokeRole"])
def test_no_right_is_given_wholesale(role):
    """X-Ray knows no resources; everything else names its own."""
    for sid, statement in _statements(role).items():
        assert not any("*" in action for action in _listed(statement["Action"]))
        assert ("*" in _listed(statement["Resource"])) == (sid == "Traces")


def test_only_the_slack_function_may_be_invoked_by_itself():
    """The lazy hop."""
    statement = _statements("SlackRole")["AnswerLater"]
    assert statement["Action"] == "lambda:InvokeFunction"
    assert statement["Resource"]["Fn::Sub"].endswith(":function:${self:service}-${sls:stage}-slack")


@pytest.mark.parametrize(
    ("role", "conditions"),
    [
        ("SlackRole", ["AsksRemoteAgent", "UsesBedrock"]),
        ("InvokeRole", ["InvokesAgents", "InvokesRuntimes", "UsesBedrock"]),
    ],
)
def test_a_model_or_agent_elsewhere_may_be_called_only_where_it_is_chosen(role, conditions):
    (policy,) = RESOURCES[role]["Properties"]["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    assert [statement["Fn::If"][0] for statement in statements if "Fn::If" in statement] == conditions


@pytest.mark.parametrize(
    ("parameter", "condition"), [("agentAliases", "InvokesAgents"), ("agentRuntime", "InvokesRuntimes")]
)
def test_no_agent_may_be_asked_that_nobody_named(parameter, condition):
    """A stack that is deployed as it is gives no right to the account's other agents."""
    assert STACK["params"]["default"][parameter] == ""
    named = {"Fn::Not": [{"Fn::Equals": [f"${{param:{parameter}}}", ""]}]}
    assert STACK["resources"]["Conditions"][condition] == named


def test_no_parameter_stands_for_everything():
    assert not any("*" in str(value) for value in STACK["params"]["default"].values())


def test_the_public_address_is_throttled():
    """Anybody may call it, and every call starts a function; Slack's own 30,000 events an hour fit in."""
    settings = STACK["resources"]["extensions"]["HttpApiStage"]["Properties"]["DefaultRouteSettings"]
    assert settings["ThrottlingRateLimit"] == "${param:requestRate}"
    assert settings["ThrottlingBurstLimit"] == "${param:requestBurst}"
    defaults = STACK["params"]["default"]
    assert 30_000 / 3600 < defaults["requestRate"] <= defaults["requestBurst"] <= 500


def test_concurrency_is_limited_only_where_somebody_says_so():
    """A new account has too little of it to set any aside; the number 0 is not equal to the text."""
    limit = FUNCTIONS["slack"]["reservedConcurrency"]["Fn::If"]
    assert limit == ["LimitsConcurrency", "${param:concurrency}", {"Ref": "AWS::NoValue"}]
    condition = STACK["resources"]["Conditions"]["LimitsConcurrency"]
    assert condition == {"Fn::Not": [{"Fn::Equals": ["${param:concurrency}", "0"]}]}
    assert STACK["params"]["default"]["concurrency"] == "0"
    assert [name for name, function in FUNCTIONS.items() if "reservedConcurrency" in function] == ["slack"]
    assert not any("provisionedConcurrency" in function for function in FUNCTIONS.values())


def test_every_parameter_is_documented():
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "deploy.md").read_text("utf-8"), re.MULTILINE)
    assert set(STACK["params"]["default"]) <= set(rows)
