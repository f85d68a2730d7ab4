"""serverless.yml: what runs on AWS agrees with the code that runs there, and may do nothing else."""

import ast
import re
from pathlib import Path

import pytest
import yaml

from fetcher import configuration
from fetcher.agent import RemoteSettings
from fetcher.agent.remote.agent import GRACE_SECONDS
from fetcher.invoke.settings import InvokeSettings
from fetcher.settings import AgentSettings
from fetcher.startup import parameters
from fetcher.startup.environment import settable
from fetcher.startup.parameters import VARIABLE
from slackapp.lambda_handler import ACKNOWLEDGING, LAST_RECEIPT, RUN_SECONDS
from slackapp.lambda_handler import ANSWERING as ANSWERING_SECONDS
from slackapp.run import hand_over
from slackapp.settings import ON_LAMBDA, TABLES, SlackSettings, load
from slackapp.slack.client import TIMEOUT_SECONDS
from slackapp.stores.dynamodb.calls import CONNECT_SECONDS, READ_SECONDS
from slackapp.stores.dynamodb.schema import SCHEMAS, TTL_ATTRIBUTE, definition

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
INVOKE = yaml.load((ROOT / "deploy" / "invoke.yml").read_text("utf-8"), CloudFormation)
PROVIDER, PARAMS = STACK["provider"], STACK["params"]["default"]
FUNCTIONS = STACK["functions"][0] | INVOKE["functions"]
MAIN = STACK["resources"][0]
RESOURCES = MAIN["Resources"] | INVOKE["resources"]["Resources"]
CONDITIONS = MAIN["Conditions"] | INVOKE["resources"]["Conditions"]
ANSWERING = ("answer", "sweep")
ROLES = {"slack": "SlackRole", "answer": "AnswerRole", "sweep": "AnswerRole", "invoke": "InvokeRole"}
NOTHING = {"Ref": "AWS::NoValue"}


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


def table_resource(table):
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


def test_the_stack_goes_where_the_commands_look():
    """The document's variable, else AWS's own, else Tokyo; `--region` wins."""
    assert PROVIDER["region"] == (
        "${opt:region, env:AWS_REGION_NAME, env:AWS_REGION, env:AWS_DEFAULT_REGION, 'ap-northeast-1'}"
    )


def test_logs_are_kept_for_a_fortnight():
    assert PROVIDER["logRetentionInDays"] == 14


def _plain(environment):
    """The variables whose values are known before they are deployed."""
    return {name: value for name, value in environment.items() if isinstance(value, str) and "$" not in value}


def test_the_time_of_a_run_adds_up():
    """In the worst case that is still answered: each of Slack's calls takes as long as it may, the agent too,
    and Slack has to be waited for. A late file is waited for in what the agent left of its own time. What
    more files need is not in it."""
    environment = _plain(_environment("answer"))
    settings, agent = load(environment, ON_LAMBDA), configuration.load_agent(environment)
    call = TIMEOUT_SECONDS
    parts = {
        "secrets and store": ANSWERING_SECONDS + 3 * (CONNECT_SECONDS + READ_SECONDS),
        "message": call,  # of a reaction
        "guard": 3 * call,  # team, user, channel
        "placeholder": 2 * call,  # and the status
        "history": 2 * call,  # the thread, and its names
        "agent": agent.agent_timeout_seconds + GRACE_SECONDS,
        "answer": settings.patience_seconds + 2 * call,  # patience counts for the answer, and for its end
        "upload": 3 * call,  # its address, its content, its place
        "settling": settings.patience_seconds + 2 * (settings.settle_seconds + 2 * call),  # look, wait, look
    }
    assert sum(parts.values()) <= FUNCTIONS["answer"]["timeout"] == RUN_SECONDS
    assert settings.late_file_seconds <= agent.agent_timeout_seconds
    assert agent.model_timeout_seconds < agent.agent_timeout_seconds == AgentSettings().agent_timeout_seconds
    assert FUNCTIONS["sweep"]["timeout"] == RUN_SECONDS + 60  # until the next round


@pytest.mark.parametrize("name", ANSWERING)
def test_a_live_run_keeps_its_lease(name):
    """Several heartbeats may fail before another worker takes over (S16)."""
    settings = load(_plain(_environment(name)), ON_LAMBDA)
    assert settings.store_kind == "dynamodb"
    assert settings.heartbeat_seconds * 10 <= settings.lease_seconds <= 120


def test_an_acknowledgement_is_over_in_slacks_time():
    """The secret and the queue may be asked again for so long; the rest of three seconds is for the start. A
    service that says nothing is waited for no longer."""
    assert parameters.CONNECT_SECONDS + parameters.READ_SECONDS <= ACKNOWLEDGING
    assert hand_over.CONNECT_SECONDS + hand_over.READ_SECONDS <= hand_over.SECONDS
    assert ACKNOWLEDGING + hand_over.SECONDS <= 2.5
    assert FUNCTIONS["slack"]["timeout"] <= 10


@pytest.mark.parametrize("queue", ["QuestionQueue", "RequestQueue"])
def test_what_is_handed_over_is_tried_again_before_an_operator_has_to_look_at_it(queue):
    """One at a time, as often as the function believes, and never while it still works on it."""
    properties = MAIN["Resources"]["QuestionQueue"]["Properties"] | RESOURCES[queue]["Properties"]
    assert properties["RedrivePolicy"] == {
        "deadLetterTargetArn": {"Fn::GetAtt": ["FailedQueue", "Arn"]},
        "maxReceiveCount": LAST_RECEIPT,
    }
    assert 900 == properties["VisibilityTimeout"] > FUNCTIONS["answer"]["timeout"]
    assert (
        properties["MessageRetentionPeriod"]
        < RESOURCES["FailedQueue"]["Properties"]["MessageRetentionPeriod"]
    )
    [reader] = [
        event["sqs"]
        for event in FUNCTIONS["answer"]["events"]
        if event["sqs"]["arn"] == {"Fn::GetAtt": [queue, "Arn"]}
    ]
    assert reader["batchSize"] == 1
    assert {"Fn::GetAtt": [queue, "Arn"]} in _statements("AnswerRole")["Work"]["Resource"]
    assert {"Fn::GetAtt": [queue, "Arn"]} in _statements("SlackRole")["HandOver"]["Resource"]
    for name in ("slack", "answer"):
        variable = "QUESTION_QUEUE" if queue == "QuestionQueue" else "REQUEST_QUEUE"
        assert _environment(name)[variable] == {"Ref": queue}


def test_answers_leave_room_for_acknowledgements_in_a_new_account():
    """A new account runs ten invocations at a time, and can set none of them aside; an answer takes one for
    minutes, an acknowledgement for a tenth of a second."""
    questions, requests = (event["sqs"]["maximumConcurrency"] for event in FUNCTIONS["answer"]["events"])
    assert (questions, requests) == ("${param:concurrency}", 2)
    sweeper = 2  # one round may not be over when the next one begins
    assert PARAMS["concurrency"] + requests + sweeper <= 8
    aside = FUNCTIONS["slack"]["reservedConcurrency"]["Fn::If"]
    assert aside == ["SetsConcurrencyAside", "${param:acknowledgements}", NOTHING]
    assert CONDITIONS["SetsConcurrencyAside"] == {
        "Fn::Not": [{"Fn::Equals": ["${param:acknowledgements}", "0"]}]
    }
    assert PARAMS["acknowledgements"] == "0"  # text: the number 0 is not equal to it
    assert [name for name in FUNCTIONS if "reservedConcurrency" in FUNCTIONS[name]] == ["slack", "invoke"]


def test_invoke_takes_no_more_places_than_its_own():
    """Other programs call it, as often as they like; "0" is for accounts that may set none aside."""
    limit = FUNCTIONS["invoke"]["reservedConcurrency"]["Fn::If"]
    assert limit == ["LimitsInvoke", "${param:invokeConcurrency}", NOTHING]
    assert PARAMS["invokeConcurrency"] == "5"
    assert CONDITIONS["LimitsInvoke"] == {"Fn::Not": [{"Fn::Equals": ["${param:invokeConcurrency}", "0"]}]}


def test_a_function_that_is_kept_ready_hands_over_as_any_other_does():
    """With provisioned concurrency it runs under an alias: no right and no variable may name it."""
    assert FUNCTIONS["slack"]["provisionedConcurrency"] == "${param:provisioned}"
    assert PARAMS["provisioned"] == 0
    actions = {
        action
        for role in ROLES.values()
        for each in _statements(role).values()
        for action in _listed(each["Action"])
    }
    assert not any(action.startswith("lambda:") for action in actions)
    assert not any("snapStart" in function for function in FUNCTIONS.values())


def test_an_event_of_invoke_has_somewhere_to_go():
    """Its answer, and the event itself where there is none; both are kept for some days, and encrypted."""
    places = {"onSuccess": "InvokeAnswerQueue", "onFailure": "InvokeFailedQueue"}
    expected = {
        when: {"type": "sqs", "arn": {"Fn::GetAtt": [queue, "Arn"]}} for when, queue in places.items()
    }
    assert FUNCTIONS["invoke"]["destinations"] == expected
    allowed = _statements("InvokeRole")["Destinations"]
    assert allowed["Action"] == "sqs:SendMessage"
    assert allowed["Resource"] == [{"Fn::GetAtt": [queue, "Arn"]} for queue in places.values()]


@pytest.mark.parametrize(
    "queue", [name for name, each in RESOURCES.items() if each["Type"] == "AWS::SQS::Queue"]
)
def test_every_queue_is_encrypted_and_takes_the_largest_message(queue):
    properties = MAIN["Resources"]["QuestionQueue"]["Properties"] | RESOURCES[queue]["Properties"]
    assert properties["SqsManagedSseEnabled"] is True
    assert properties["MaximumMessageSize"] == 1024 * 1024


def test_the_ways_in_are_the_three_that_are_meant():
    """Slack's requests carry a signature; callers of `/invoke` need IAM's. Events name their stage: all
    stages of an account share a bus."""
    assert FUNCTIONS["slack"]["events"] == [{"httpApi": "POST /slack/events"}]
    [event] = FUNCTIONS["sweep"]["events"]
    schedule = event["schedule"]
    assert (schedule["method"], schedule["rate"]) == ("scheduler", ["rate(1 minute)"])
    assert schedule["roleArn"] == {"Fn::GetAtt": ["SweepScheduleRole", "Arn"]}
    assert schedule["name"].startswith("${self:service}-")  # as the deployer's policy has it
    [statement] = _statements("SweepScheduleRole").values()
    assert statement["Action"] == "lambda:InvokeFunction"
    assert statement["Resource"]["Fn::Sub"].endswith(":function:${self:service}-${sls:stage}-sweep")
    http, event = FUNCTIONS["invoke"]["events"]
    assert http == {"httpApi": {"method": "POST", "path": "/invoke", "authorizer": {"type": "aws_iam"}}}
    assert event == {"eventBridge": {"pattern": {"source": ["${self:service}-${sls:stage}.invoke"]}}}
    assert FUNCTIONS["invoke"]["tracing"] == "Active"


def test_invoke_is_deployed_only_where_it_is_wanted():
    assert PARAMS["invoke"] == "false"
    assert STACK["custom"]["invoke"] == {
        "true": "${file(deploy/invoke.yml)}",
        "false": {"functions": {}, "resources": {}},
    }
    for part in ("functions", "resources"):
        assert STACK[part][1:] == [f"${{self:custom.invoke.${{param:invoke}}.{part}}}"]


ALARMS = {name: each["Properties"] for name, each in RESOURCES.items() if each["Type"].endswith("::Alarm")}


@pytest.mark.parametrize("name", ALARMS)
def test_an_alarm_tells_the_topic_that_is_named(name):
    [topic] = ALARMS[name]["AlarmActions"]["Fn::If"][1]
    assert topic["Fn::Sub"].endswith(":sns:${AWS::Region}:${AWS::AccountId}:${param:alarmTopic}")
    assert ALARMS[name]["AlarmName"].startswith("${self:service}-${sls:stage}-")
    assert ALARMS[name]["TreatMissingData"] == ("breaching" if name == "SweepAlarm" else "notBreaching")


def _watched(alarm):
    """What an alarm counts: names of metrics, and of functions or queues."""
    metrics = [each["MetricStat"]["Metric"] for each in alarm.get("Metrics", ()) if "MetricStat" in each]
    for metric in metrics or [alarm]:
        [dimension] = metric["Dimensions"]
        value = dimension["Value"]
        yield metric["MetricName"], value.get("Ref") or value["Fn::GetAtt"][0]


def test_errors_throttles_failed_and_waiting_requests_and_a_silent_sweeper_raise_alarms():
    watched = {pair for alarm in ALARMS.values() for pair in _watched(alarm)}
    functions = {f"{name.capitalize()}LambdaFunction" for name in FUNCTIONS}
    assert {name for metric, name in watched if metric == "Throttles"} == functions
    assert {name for metric, name in watched if metric == "Errors"} == functions
    visible = {name for metric, name in watched if metric == "ApproximateNumberOfMessagesVisible"}
    assert visible == {"FailedQueue", "InvokeFailedQueue", "QuestionQueue", "RequestQueue"}
    waiting = [each["MetricStat"] for each in ALARMS["WaitingAlarm"]["Metrics"] if "MetricStat" in each]
    assert [each["Stat"] for each in waiting] == ["Minimum"] * 2  # one that is read at once is no backlog
    sweep = ALARMS["SweepAlarm"]
    assert list(_watched(sweep)) == [("Invocations", "SweepLambdaFunction")]
    assert (sweep["Threshold"], sweep["ComparisonOperator"]) == (1, "LessThanThreshold")


def test_the_whitelist_stays_when_the_stack_is_removed():
    """People have filled it by hand. The next stack is told its name."""
    table = RESOURCES["WhitelistTable"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    assert table["Condition"] == "OwnsWhitelist"
    assert CONDITIONS["OwnsWhitelist"] == {"Fn::Equals": ["${param:whitelistTable}", ""]}
    others = [name for name, each in RESOURCES.items() if each["Type"].endswith("::Table")]
    assert {RESOURCES[name]["DeletionPolicy"] for name in others if name != "WhitelistTable"} == {"Delete"}


@pytest.mark.parametrize("role", sorted(set(ROLES.values())))
def test_a_key_of_ones_own_decrypts_parameters_and_nothing_else(role):
    key = _statements(role)["Key"]
    assert (key["Action"], key["Condition"]) == (
        "kms:Decrypt",
        {"StringEquals": {"kms:ViaService": {"Fn::Sub": "ssm.${AWS::Region}.amazonaws.com"}}},
    )
    assert key["Resource"]["Fn::Sub"].endswith(":key/${param:kmsKey}")


ASKING = {*settable(SlackSettings), *settable(AgentSettings), *settable(RemoteSettings)}
KNOWN = {
    "slack": {*ASKING},
    "answer": ASKING,
    "sweep": ASKING,
    "invoke": {*settable(InvokeSettings), *settable(AgentSettings)},
}
LAMBDA = {VARIABLE, *hand_over.QUEUES}
"""Read before the settings are loaded, or without them."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_variable_is_a_setting(name):
    """A misspelt variable would silently leave a default in force."""
    names = set(_environment(name)) - LAMBDA
    engine = {key for key in names if key.startswith("WEBFETCH_")}
    assert {key.lower() for key in names - engine} <= KNOWN[name]
    configuration.load({key: _environment(name)[key] for key in engine})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_secret_stands_in_the_environment(name):
    """Whoever may look at a function would read it there."""
    assert SECRETS.isdisjoint(_environment(name))


@pytest.mark.parametrize(("name", "role"), ROLES.items())
def test_a_function_may_read_the_secrets_that_it_is_told_of_and_no_other(name, role):
    """What acknowledges needs to know only whether Slack has signed. Keys are named where they are needed: an
    incomplete set of secrets is read with every request."""
    told = _environment(name)["SECRET_PARAMETERS"]
    named = told["Fn::Join"][1] if isinstance(told, dict) else [told]
    plain = [each["Fn::If"][1] if isinstance(each, dict) else each for each in named]
    allowed = [
        arn["Fn::Sub"].split(":parameter")[1] for arn in _listed(_statements(role)["Secrets"]["Resource"])
    ]
    assert allowed == plain
    conditions = {
        each["Fn::If"][1].rsplit("/")[-1]: each["Fn::If"][0] for each in named if isinstance(each, dict)
    }
    keys = {"ANTHROPIC_API_KEY": "NeedsModelKey", "SEARCH_API_KEY": "NeedsSearchKey"}
    assert conditions == ({} if name == "slack" else keys)
    assert {path.rsplit("/", 1)[1] for path in allowed} <= SECRETS
    assert name != "slack" or told == "${param:secrets}/SLACK_SIGNING_SECRET"


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_the_stores_own_schema(table):
    """`python -m slackapp tables create` and CloudFormation make the same tables."""
    properties = dict(RESOURCES[table_resource(table)]["Properties"])
    assert properties.pop("TableName") == f"${{self:service}}-${{sls:stage}}-{table}"
    expiry = {"TimeToLiveSpecification": {"AttributeName": TTL_ATTRIBUTE, "Enabled": True}}
    properties.pop("PointInTimeRecoverySpecification", None)
    assert properties == definition(SCHEMAS[table]) | (expiry if SCHEMAS[table].expires else {})


@pytest.mark.parametrize("name", ANSWERING)
def test_the_functions_are_told_the_tables(name):
    told = {table: _environment(name)[f"{table.upper()}_TABLE"] for table in TABLES}
    [condition, told["whitelist"], other] = told["whitelist"]["Fn::If"]
    assert told == {table: {"Ref": table_resource(table)} for table in TABLES}
    assert (condition, other) == ("OwnsWhitelist", "${param:whitelistTable}")


@pytest.mark.parametrize("role", sorted(set(ROLES.values())))
def test_no_right_is_given_wholesale(role):
    """X-Ray and Marketplace know no resources; everything else names its own."""
    for sid, statement in _statements(role).items():
        assert not any("*" in action for action in _listed(statement["Action"]))
        assert ("*" in _listed(statement["Resource"])) == (sid in {"Traces", "FirstUse"})


@pytest.mark.parametrize(
    ("role", "conditions"),
    [
        ("SlackRole", ["UsesOwnKey"]),
        ("AnswerRole", ["UsesOwnKey", "AsksRemoteAgent", "UsesBedrock", "UsesBedrock"]),
        ("InvokeRole", ["InvokesAgents", "InvokesRuntimes", "UsesOwnKey", "UsesBedrock", "UsesBedrock"]),
    ],
)
def test_a_model_or_agent_elsewhere_may_be_called_only_where_it_is_chosen(role, conditions):
    (policy,) = RESOURCES[role]["Properties"]["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    assert [statement["Fn::If"][0] for statement in statements if "Fn::If" in statement] == conditions


@pytest.mark.parametrize(
    ("parameter", "condition"), [("agentAliases", "InvokesAgents"), ("agentRuntimes", "InvokesRuntimes")]
)
def test_no_agent_may_be_asked_that_nobody_named(parameter, condition):
    """A stack that is deployed as it is gives no right to the account's other agents."""
    assert PARAMS[parameter] == ""
    named = {"Fn::Not": [{"Fn::Equals": [f"${{param:{parameter}}}", ""]}]}
    assert CONDITIONS[condition] == named


def test_invoke_may_call_each_of_a_list_of_agents_and_runtimes():
    """ARNs between commas, as CloudFormation would read them; AgentCore asks for rights on endpoints too."""
    aliases = _statements("InvokeRole")["Agents"]["Resource"]
    assert _listed_by_cloudformation(aliases, "${param:agentAliases}", "arn:a,arn:b") == ["arn:a", "arn:b"]
    runtimes = _statements("InvokeRole")["Runtimes"]["Resource"]
    endpoints = [f"arn:{name}/runtime-endpoint/*" for name in "ab"]
    listed = _listed_by_cloudformation(runtimes, "${param:agentRuntimes}", "arn:a,arn:b")
    assert listed == ["arn:a", "arn:b", *endpoints]


def _listed_by_cloudformation(value, parameter, given):
    """The value of `Fn::Split` and `Fn::Join`, with a parameter filled in."""
    if isinstance(value, str):
        return value.replace(parameter, given)
    if isinstance(value, list):
        return [_listed_by_cloudformation(each, parameter, given) for each in value]
    [(function, (separator, inner))] = value.items()
    inner = _listed_by_cloudformation(inner, parameter, given)
    return inner.split(separator) if function == "Fn::Split" else separator.join(inner)


def test_no_parameter_stands_for_everything():
    assert not any("*" in str(value) for value in PARAMS.values())


@pytest.mark.parametrize("role", ["AnswerRole", "InvokeRole"])
def test_a_model_on_bedrock_is_only_streamed(role):
    """The agent makes no other call of a model."""
    assert _statements(role)["Model"]["Action"] == "bedrock:InvokeModelWithResponseStream"


@pytest.mark.parametrize("role", ["AnswerRole", "InvokeRole"])
def test_the_first_use_of_a_model_is_allowed_and_nothing_else_of_marketplace(role):
    """The condition is that of AWS's own policy AmazonBedrockLimitedAccess; the account's profiles count."""
    statement = _statements(role)["FirstUse"]
    assert statement["Action"] == ["aws-marketplace:Subscribe", "aws-marketplace:ViewSubscriptions"]
    assert statement["Condition"] == {"StringEquals": {"aws:CalledViaLast": "bedrock.amazonaws.com"}}
    kinds = [arn["Fn::Sub"].split(":")[-1] for arn in _statements(role)["Model"]["Resource"]]
    assert kinds == ["foundation-model/anthropic.*", "inference-profile/*", "application-inference-profile/*"]


def test_the_public_address_is_throttled():
    """Anybody may call it, and every call starts a function; Slack's own 30,000 events an hour fit in."""
    settings = MAIN["extensions"]["HttpApiStage"]["Properties"]["DefaultRouteSettings"]
    assert settings["ThrottlingRateLimit"] == "${param:requestRate}"
    assert settings["ThrottlingBurstLimit"] == "${param:requestBurst}"
    assert 30_000 / 3600 < PARAMS["requestRate"] <= PARAMS["requestBurst"] <= 500


def test_every_parameter_is_documented():
    rows = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs" / "deploy.md").read_text("utf-8"), re.MULTILINE)
    assert set(PARAMS) <= set(rows)
