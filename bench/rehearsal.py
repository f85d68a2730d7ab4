"""`python -m bench.rehearsal`: deploys to an emulator, and does there what docs/deploy.md tells operators.

The emulator is moto's server, which has an environment of its own:

    $ python -m venv build/moto && build/moto/bin/pip install 'moto[all,server]'
    $ make package && .venv/bin/python -m bench.rehearsal --moto build/moto/bin/python

osls itself deploys, as to AWS. The function that acknowledges then runs here under Lambda's own runtime, with
the variables that the deployed one has, against the emulator's parameters and queues. Of a template, moto
leaves out alarms, HTTP APIs, aliases and readers of queues: `cfn-lint` and the tests check these.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import boto3  # type: ignore[import-untyped]
from slack_sdk.signature import SignatureVerifier

from tests.fakes.api_gateway import PATH, event_of
from tests.fakes.lambda_runtime import FunctionFailed, LambdaRuntime
from tests.slackapp.payloads import mention

ROOT = Path(__file__).parent.parent
TOKYO, OREGON = "ap-northeast-1", "us-west-2"
KEYS = {"AWS_ACCESS_KEY_ID": "AKIDTEST", "AWS_SECRET_ACCESS_KEY": "secret"}
SERVER = """
import sys
from moto.cloudformation import models
models.validate_template_cfn_lint = lambda template: []  # `make package` has linted it, without two warnings
from moto.server import main
main(sys.argv[1:])
"""


class Rehearsal:
    """The steps, in their order; each raises if it does not end as the page says."""

    def __init__(self, url: str, osls: Path) -> None:
        self._url, self._osls = url, osls

    def steps(self) -> tuple[Callable[[], str], ...]:
        return (
            self.deploy,
            self.deploy_again,
            self.upgrade,
            self.go_back,
            self.find_by_tags,
            self.store_secrets,
            self.change_a_secret,
            self.second_stage,
            self.whitelist,
            self.remove,
        )

    def deploy(self) -> str:
        self._run("deploy", "--stage", "dev")
        queue = self._aws("sqs").get_queue_url(QueueName="slack-web-reader-dev-questions")["QueueUrl"]
        kept = self._aws("sqs").get_queue_attributes(QueueUrl=queue, AttributeNames=["All"])["Attributes"]
        assert kept["VisibilityTimeout"] == "3600"
        assert "slack-web-reader-dev-failed" in kept["RedrivePolicy"]
        functions = sorted(each["FunctionName"] for each in self._aws("lambda").list_functions()["Functions"])
        assert functions == [f"slack-web-reader-dev-{name}" for name in ("answer", "slack", "sweep")]
        return f"{len(functions)} functions, without `invoke`"

    def deploy_again(self) -> str:
        said = self._run("deploy", "--stage", "dev")
        assert "No changes to deploy" in said, said
        return "nothing changes: the package is the same"

    def upgrade(self) -> str:
        self._run("deploy", "--stage", "dev", "--param", "anthropicModel=claude-next")
        assert self._variables("slack-web-reader-dev-answer")["ANTHROPIC_MODEL"] == "claude-next"
        return "the functions have the new settings"

    def go_back(self) -> str:
        moments = re.findall(r"Timestamp: (\d+)", self._run("deploy", "list", "--stage", "dev"))
        self._run("rollback", "--stage", "dev", "--timestamp", moments[0])
        assert self._variables("slack-web-reader-dev-answer")["ANTHROPIC_MODEL"] == ""
        return f"to {moments[0]}, the first of {len(moments)} deployments, with its settings"

    def find_by_tags(self) -> str:
        wanted = [{"Key": "app", "Values": ["slack-web-reader"]}, {"Key": "stage", "Values": ["dev"]}]
        found = self._aws("resourcegroupstaggingapi").get_resources(TagFilters=wanted)
        assert any(":stack/" in row["ResourceARN"] for row in found["ResourceTagMappingList"])
        [group] = self._aws("logs").describe_log_groups(logGroupNamePrefix="/aws/http-api/")["logGroups"]
        assert (group["logGroupName"], group["retentionInDays"]) == ("/aws/http-api/slack-web-reader-dev", 14)
        return "by `app` and `stage`; the access log is kept for 14 days"

    def store_secrets(self) -> str:
        """A sandbox that started before them is not broken for ever."""
        variables = self._variables("slack-web-reader-dev-slack")
        self._function = LambdaRuntime("slackapp.lambda_handler.handler", variables, name="slack")
        self._function.__enter__()
        with suppress(FunctionFailed):
            self._function.invoke(_signed("first"))
            raise AssertionError("it has no secret")
        self._put("first")
        assert self._function.invoke(_signed("first"))["statusCode"] == 200
        [message] = self._received()
        assert message["headers"]["x-slack-bolt-lazy-function-name"] == "answer_later"
        return "the sandbox that had none acknowledges, and the queue has the request"

    def change_a_secret(self) -> str:
        time.sleep(11)  # it was read a moment ago
        self._put("second")
        assert self._function.invoke(_signed("second"))["statusCode"] == 200
        assert self._function.invoke(_signed("first"))["statusCode"] == 401
        self._function.__exit__()
        return "at once, without a deployment"

    def second_stage(self) -> str:
        more = ("invoke=true", "concurrency=20", "acknowledgements=10", "alarmTopic=alarms", "kmsKey=key-1")
        given = [part for each in more for part in ("--param", each)]
        self._run("deploy", "--stage", "prod", "--region", OREGON, *given)
        [rule] = [
            each
            for each in self._aws("events", OREGON).list_rules()["Rules"]
            if "invoke" in each.get("EventPattern", "")
        ]
        assert json.loads(rule["EventPattern"]) == {"source": ["slack-web-reader-prod.invoke"]}
        found = self._aws("lambda", OREGON).get_function_concurrency(
            FunctionName="slack-web-reader-prod-slack"
        )
        assert int(found["ReservedConcurrentExecutions"]) == 10
        return f"in {OREGON}, with `invoke`, whose events name the stage"

    def whitelist(self) -> str:
        """The region of AWS's own variable counts, and the command says so."""
        words = ["whitelist", "add", "team", "T0123ABCD"]
        done = subprocess.run(
            [sys.executable, "-m", "slackapp", *words],
            cwd=ROOT,
            env=self._environ() | {"AWS_REGION": OREGON, "APP_STAGE": "prod"},
            capture_output=True,
            text=True,
            check=True,
        )
        table = "slack-web-reader-prod-whitelist"
        assert done.stderr == f"whitelist: region {OREGON}, stage prod, table {table}\n"
        assert self._aws("dynamodb", OREGON).scan(TableName=table)["Count"] == 1
        return done.stderr.strip()

    def remove(self) -> str:
        """The whitelist stays, and the next stack takes it."""
        table = "slack-web-reader-dev-whitelist"
        self._run("remove", "--stage", "dev")
        assert self._aws("dynamodb").list_tables()["TableNames"] == [table]
        self._run("deploy", "--stage", "dev", "--param", f"whitelistTable={table}")
        assert self._variables("slack-web-reader-dev-answer")["WHITELIST_TABLE"] == table
        return f"{table} stays, and is used by the next stack"

    def _aws(self, service: str, region: str = TOKYO) -> Any:
        keys = {"aws_access_key_id": "AKIDTEST", "aws_secret_access_key": "secret"}
        return boto3.client(service, endpoint_url=self._url, region_name=region, **keys)

    def _environ(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "AWS_ENDPOINT_URL": self._url, **KEYS}

    def _run(self, *words: str) -> str:
        """osls, as an operator types it."""
        done = subprocess.run(
            [self._osls, *words], cwd=ROOT, env=self._environ(), capture_output=True, text=True, check=False
        )
        assert not done.returncode, done.stdout + done.stderr
        return done.stdout + done.stderr

    def _variables(self, function: str) -> dict[str, str]:
        """What the deployed function has, and where the emulator is."""
        found = self._aws("lambda").get_function_configuration(FunctionName=function)
        return {**found["Environment"]["Variables"], "AWS_ENDPOINT_URL": self._url}

    def _put(self, secret: str) -> None:
        name = "/slack-web-reader/dev/SLACK_SIGNING_SECRET"
        self._aws("ssm").put_parameter(Name=name, Value=secret, Type="SecureString", Overwrite=True)

    def _received(self) -> list[Any]:
        queue = self._aws("sqs").get_queue_url(QueueName="slack-web-reader-dev-questions")["QueueUrl"]
        messages = self._aws("sqs").receive_message(QueueUrl=queue).get("Messages", [])
        return [json.loads(message["Body"]) for message in messages]


def _signed(secret: str) -> dict[str, Any]:
    """A mention, signed now."""
    body = json.dumps(mention())  # type: ignore[no-untyped-call]
    moment = str(int(time.time()))
    signature = SignatureVerifier(secret).generate_signature(timestamp=moment, body=body)
    headers = {"X-Slack-Request-Timestamp": moment, "X-Slack-Signature": str(signature)}
    return event_of(PATH, headers | {"Content-Type": "application/json"}, body.encode())


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.rehearsal", description=__doc__)
    parser.add_argument("--moto", default="build/moto/bin/python", help="a Python that has moto's server")
    parser.add_argument("--osls", default="build/osls/node_modules/.bin/osls", type=Path)
    parser.add_argument("--port", default="5566")
    options = parser.parse_args()
    url = f"http://127.0.0.1:{options.port}"
    server = subprocess.Popen(
        [options.moto, "-c", SERVER, "--port", options.port],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(100):
            with suppress(OSError):
                urlopen(f"{url}/moto-api/data.json", timeout=1)
                break
            time.sleep(0.2)
        for step in Rehearsal(url, options.osls.absolute()).steps():
            sys.stdout.write(f"{step.__name__}: {step()}\n")
            sys.stdout.flush()
    finally:
        server.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
