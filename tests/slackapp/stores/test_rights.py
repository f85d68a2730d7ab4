"""The functions on AWS may do what the store asks of DynamoDB, and nothing else.

Every method runs on DynamoDB Local behind the role of the template: as AWS does, each request is refused
whose operation the role does not allow on its table or index.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse  # type: ignore[import-untyped]

from slackapp.settings import TABLES, SlackSettings
from slackapp.stores.contract import StoreRefused
from slackapp.stores.dynamodb import DynamoDBStore, connect
from tests.fakes.dynamodb import FUTURE
from tests.slackapp.stores.calls import CALLS, LATER
from tests.slackapp.stores.conftest import PATIENCE, PREFIX
from tests.slackapp.stores.test_workspaces import fill
from tests.test_serverless import RESOURCES, ROOT, table_resource

OSLS = ROOT / "build" / "osls" / "node_modules" / ".bin" / "osls"
BY_HAND = {"create_tables", "add_to_whitelist", "remove_from_whitelist"}
"""Only commands call these, with the rights of an operator."""
INSIDE_TRANSACTIONS = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem"}
"""https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html"""


@pytest.fixture(scope="module", params=["serverless.yml", "built"])
def allowed(request, tmp_path_factory):
    """The pairs of operation and table or index that the role of `answer` and `sweep` allows."""
    resources = RESOURCES if request.param == "serverless.yml" else _built(tmp_path_factory.mktemp("stack"))
    [policy] = resources["AnswerRole"]["Properties"]["Policies"]
    statements = [each for each in policy["PolicyDocument"]["Statement"] if "Action" in each]
    return {
        (action.removeprefix("dynamodb:"), _table(statement["Resource"]))
        for statement in statements
        for action in ([statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"])
        if action.startswith("dynamodb:")
    }


def _built(folder: Path) -> Any:
    """The resources of the template that `make package` builds."""
    if not OSLS.exists():
        pytest.skip("osls is not installed; `make package` does so")
    shutil.copy(ROOT / "serverless.yml", folder)
    (folder / "deploy").symlink_to(ROOT / "deploy")
    (folder / "build").mkdir()
    (folder / "build" / "lambda.zip").touch()
    subprocess.run([OSLS, "package", "--package", "built"], cwd=folder, check=True, capture_output=True)
    template = folder / "built" / "cloudformation-template-update-stack.json"
    return json.loads(template.read_text("utf-8"))["Resources"]


def _table(resource: Any) -> str:
    """The table, or `table/index/name`, of a resource of the role."""
    resource = resource["Fn::If"][1] if "Fn::If" in resource else resource
    if "Fn::Sub" in resource:
        name, index = resource["Fn::Sub"].removeprefix("${").split(".Arn}")
    else:
        (name, _), index = resource["Fn::GetAtt"], ""
    [table] = [table for table in TABLES if table_resource(table) == name]
    return f"{table}{index}"


def _asked(operation: str, arguments: Any) -> set[tuple[str, str]]:
    """The rights that a request needs."""
    if operation == "TransactWriteItems":
        writes = [next(iter(write.items())) for write in arguments["TransactItems"]]
        return {(INSIDE_TRANSACTIONS[kind], write["TableName"]) for kind, write in writes}
    if "RequestItems" in arguments:
        return {(operation, table) for table in arguments["RequestItems"]}
    index = f"/index/{arguments['IndexName']}" if "IndexName" in arguments else ""
    return {(operation, arguments["TableName"] + index)}


@pytest.fixture
def restricted(dynamodb, dynamodb_endpoint, allowed):
    """A store of a function, and the rights that it has used."""
    settings = SlackSettings(dynamodb_endpoint_url=dynamodb_endpoint, dynamodb_table_prefix=PREFIX)
    client, used = connect(settings, read_seconds=PATIENCE), set()

    def check(params, model, **_):
        body = json.loads(params["body"])
        asked = {(operation, table.removeprefix(PREFIX)) for operation, table in _asked(model.name, body)}
        used.update(asked)
        if not asked <= allowed:
            error = {"Code": "AccessDeniedException", "Message": str(asked - allowed)}
            metadata = {"HTTPStatusCode": 400, "RetryAttempts": 0}
            return AWSResponse("", 400, {}, None), {"Error": error, "ResponseMetadata": metadata}
        return None

    client.meta.events.register("before-call.dynamodb", check)
    store = DynamoDBStore(client, settings.table_name)
    yield store, used
    store.close()


def test_the_role_allows_what_the_store_does_and_nothing_else(restricted, allowed):
    store, used = restricted
    for name in CALLS.keys() - BY_HAND - {"delete_workspace"}:
        CALLS[name](store)
    fill(store, "T1")
    assert store.expired_claims(now=LATER + 1, limit=10)
    store.claim("linked", "{}", owner="o", now=FUTURE, lease_until=LATER, expires_at=LATER, link="n")
    assert store.delete_workspace("T1") == 12
    assert used == allowed


def test_what_operators_do_by_hand_the_role_does_not_allow(restricted):
    store, _ = restricted
    for name in BY_HAND:
        with pytest.raises(StoreRefused, match="AccessDenied"):
            CALLS[name](store)
