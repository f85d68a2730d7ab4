"""The rights of the person or program that deploys, against what CloudFormation needs for each resource.

What it needs stands in the schemas of its resource types (`handlers`), which cfn-lint carries.
"""

import json
import re
from fnmatch import fnmatchcase
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.test_serverless import RESOURCES

ROOT = Path(__file__).parent.parent.parent
POLICY = json.loads((ROOT / "deploy" / "deployer-policy.json").read_text("utf-8"))
LONGEST = 6144
"""Characters of a managed policy, white space not counted (AWS: "IAM and AWS STS quotas")."""
MADE_BY_OSLS = (
    *("ApiGatewayV2::Api", "ApiGatewayV2::Integration", "ApiGatewayV2::Route", "ApiGatewayV2::Stage"),
    *("Events::Rule", "Lambda::Alias", "Lambda::EventInvokeConfig", "Lambda::EventSourceMapping"),
    *("Lambda::Function", "Lambda::Permission", "Lambda::Version", "Logs::LogGroup"),
    *("Scheduler::Schedule", "S3::Bucket", "S3::BucketPolicy"),
)
TYPES = sorted({f"AWS::{name}" for name in MADE_BY_OSLS} | {row["Type"] for row in RESOURCES.values()})
UNUSED = re.compile(
    # Other services that a resource may be connected with, and is not here.
    r"(codedeploy|ec2|elasticfilesystem|firehose|kinesis|kms|s3files|s3tables):.*"
    # Parts of a resource that the stack does not have.
    r"|dynamodb:.*(Replica|Kinesis|ImportTable|ResourcePolicy|Item).*"
    r"|iam:((At|De)tachRolePolicy|.*PermissionsBoundary)|lambda:.*(CodeSigning|CapacityProvider|RuntimeAlias).*"
    r"|logs:.*(KmsKey|IndexPolicy|PutDataProtection|BearerToken|DeletionProtection|PutLogEvents|LogStream).*"
    r"|logs:DeleteResourcePolicy|s3:.*(Metadata|Analytics|Cors|CORS|Lifecycle|Metrics|Replication|Website|Lock).*"
    r"|s3:(Put(Accelerate|IntelligentTiering|Inventory)Configuration|PutBucket(Abac|Acl|Logging|Notification))"
    r"|s3:(DeleteBucketEncryption|PutObjectAcl|REST.PUT.OBJECT|getObject)"
)
KNOW_NO_RESOURCE = {"KnowsNoResource", "Queues"}


def _needed(kind):
    """The permissions of a resource's life, without those for lists."""
    folder = Path(str(distribution("cfn-lint").locate_file("cfnlint"))) / "data" / "schemas"
    files = json.loads((folder / "providers" / "ap-northeast-1.json").read_text("utf-8"))
    handlers = json.loads((folder / "resources" / f"{files[kind]}.json").read_text("utf-8"))["handlers"]
    return {permission for name in handlers if name != "list" for permission in handlers[name]["permissions"]}


def _actions(statement):
    return [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]


@pytest.mark.parametrize("kind", TYPES)
def test_cloudformation_may_do_for_the_deployer_what_a_resource_needs(kind):
    allowed = [action for statement in POLICY["Statement"] for action in _actions(statement)]
    needed = {permission for permission in _needed(kind) if not UNUSED.fullmatch(permission)}
    assert needed
    assert [one for one in sorted(needed) if not any(fnmatchcase(one, action) for action in allowed)] == []


@pytest.mark.parametrize("statement", POLICY["Statement"], ids=lambda statement: statement["Sid"])
def test_a_right_is_for_this_app_alone(statement):
    """By the name of what it is used on; the API has none, and its role is AWS's own."""
    resources = statement["Resource"]
    resources = [resources] if isinstance(resources, str) else resources
    if statement["Sid"] in KNOW_NO_RESOURCE:
        assert resources == ["*"]
    elif statement["Sid"] not in {"HttpApi", "RoleOfTheHttpApi", "MappingsKnowOnlyTheirOwnIds"}:
        assert all("slack-web-reader" in resource for resource in resources)
    assert not any(action.endswith(":*") for action in _actions(statement))


def test_roles_are_passed_to_functions_and_their_schedule_only():
    [passing] = [row for row in POLICY["Statement"] if "iam:PassRole" in _actions(row)]
    services = ["lambda.amazonaws.com", "scheduler.amazonaws.com"]
    assert passing["Condition"] == {"StringEquals": {"iam:PassedToService": services}}


def test_the_policy_is_short_enough_for_iam():
    assert len(re.sub(r"\s", "", json.dumps(POLICY))) <= LONGEST
