"""The cold acknowledgement: from the start of a process to the answer to Slack, from the packaged archive.

As on Lambda: AWS's runtime client under the runtime's own Python, one processor, no home directory, code that
cannot be written to, secrets from Parameter Store. AWS itself is a server on this machine that answers at
once; the time to fetch and unpack the archive is not in it. The packages that acknowledging imports have no
compiled parts, so the archive for ARM runs on any processor.
"""

import hashlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO

from slack_sdk.signature import SignatureVerifier

from bench.figures import spread
from deploy import package
from tests.fakes.api_gateway import PATH, event_of
from tests.fakes.lambda_worker import Api, Invocation, Process, Server, Worker

HANDLER = "slackapp.lambda_handler.handler"
RUNS = 7
MOST_SECONDS = 1.0
"""Of processor, in the median, which a busy machine does not change much. Slack waits three seconds."""
SECRETS = {"SLACK_BOT_TOKEN": "xoxb-bench", "SLACK_SIGNING_SECRET": "bench-secret"}
RUNTIME_CLIENT = ("awslambdaric", "simplejson", "snapshot-restore-py")
"""What Lambda has beside the archive."""
QUEUE = "https://sqs.ap-northeast-1.amazonaws.com/123456789012/bench"


def report() -> str:
    """A Markdown table: with the archive's bytecode, and without it."""
    version = package.runtime()
    python = package.python_of(version)
    if not python or not package.ZIP.is_file():
        return f"The cold acknowledgement: not measured, there is no archive or no Python {version}."
    with TemporaryDirectory() as folder:
        code, bare = Path(folder, "code"), Path(folder, "bare")
        with zipfile.ZipFile(package.ZIP) as archive:
            archive.extractall(code)
        shutil.copytree(code, bare, ignore=lambda _, names: {name for name in names if name == "__pycache__"})
        client = install_runtime_client(Path(folder, "client"), python, version)
        runs = [(acknowledge(python, code, client), acknowledge(python, bare, client)) for _ in range(RUNS)]
    words = f"Python {version}, one processor, {RUNS} runs in turns"
    lines = [
        f"| from the start of a process to the acknowledgement, {words} | s (median) | spread | s of CPU |",
        "|---|--:|---|--:|",
    ]
    names = {"`build/lambda.zip`": f" (at most {MOST_SECONDS})", "the same without its bytecode": ""}
    for (name, bound), side in zip(names.items(), zip(*runs, strict=True), strict=True):
        seconds, busy = zip(*side, strict=True)
        lines.append(f"| {name} | {median(seconds):.2f} | {spread(seconds)} | {median(busy):.2f}{bound} |")
    return "\n".join(lines)


def install_runtime_client(folder: Path, python: str, version: str) -> Path:
    """AWS's runtime client for that Python, with the hashes of the lock, compiled."""
    lock = (package.ROOT / "requirements" / "dev.lock").read_text("utf-8")
    rows = re.findall(r"^\S+==.*?(?=^\S|\Z)", lock, re.MULTILINE | re.DOTALL)
    chosen = folder.with_suffix(".lock")
    chosen.write_text("".join(row for row in rows if row.split("==")[0] in RUNTIME_CLIENT), "utf-8")
    platforms = [f"--platform=manylinux_2_{minor}_{os.uname().machine}" for minor in range(17, 40)]
    options = ["--require-hashes", "--no-deps", "--only-binary=:all:", f"--python-version={version}"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *options, *platforms]
    subprocess.run([*pip, "--target", str(folder), "-r", str(chosen)], check=True, stderr=subprocess.DEVNULL)
    subprocess.run([python, "-m", "compileall", "-q", str(folder)], check=True)
    return folder


def acknowledge(python: str, code: Path, client: Path) -> tuple[float, float]:
    """The seconds from the start of a process to its answer to one message of Slack; those of processor."""
    body = json.dumps(
        {
            "type": "event_callback",
            "team_id": "T0BENCH",
            "authorizations": [{"is_bot": True, "user_id": "U0READER"}],
            "event": {
                "type": "app_mention",
                "user": "U0TANAKA",
                "channel": "C0GENERAL",
                "ts": "1700000000.000100",
                "text": "<@U0READER> https://a.example/",
            },
        }
    ).encode()
    now = str(int(time.time()))
    signer = SignatureVerifier(SECRETS["SLACK_SIGNING_SECRET"])
    headers = {
        "Content-Type": "application/json",
        "X-Slack-Request-Timestamp": now,
        "X-Slack-Signature": signer.generate_signature(timestamp=now, body=body) or "",
    }
    invocation = Invocation(
        request_id="bench",
        arn="arn:aws:lambda:ap-northeast-1:123456789012:function:bench",
        payload=json.dumps(event_of(PATH, headers, body)).encode(),
        seconds=30,
    )
    one_processor = ["taskset", "--cpu-list", str(max(os.sched_getaffinity(0)))]

    def start(handler: str, environ: Mapping[str, str], log: IO[bytes]) -> Process:
        command = [*one_processor, python, "-m", "awslambdaric", handler]
        return subprocess.Popen(command, cwd=code, env=dict(environ), stdout=log, stderr=log)

    aws = Server(_Aws)
    environ = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{code}:{client}",
        "PYTHONDONTWRITEBYTECODE": "1",  # as where the code cannot be written to
        "LAMBDA_TASK_ROOT": str(code),
        "AWS_LAMBDA_FUNCTION_NAME": "bench",
        "AWS_REGION": "ap-northeast-1",
        "AWS_DEFAULT_REGION": "ap-northeast-1",
        "AWS_ACCESS_KEY_ID": "AKIDBENCH",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL": f"http://{aws.address}",
        "SECRET_PARAMETERS": ",".join(f"/bench/{name}" for name in SECRETS),
        "QUESTION_QUEUE": QUEUE,
        "REQUEST_QUEUE": QUEUE,
    }
    with TemporaryFile() as log:
        used, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        worker = Worker(HANDLER, environ, log, start)
        outcome = worker.run(invocation)
        seconds = time.perf_counter() - began
        worker.close()
        aws.close()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        log.seek(0)
        assert not outcome.error, (outcome, log.read())
        assert json.loads(outcome.payload)["statusCode"] == 200, (outcome, log.read())
    return seconds, after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime


class _Aws(Api):
    """Parameter Store with the secrets; a function or a queue that takes what it is given."""

    def do_POST(self) -> None:  # noqa: N802  # its name in the base class
        content = self.body()
        if self.headers.get("X-Amz-Target", "").endswith(".GetParameters"):
            wanted = {name.rsplit("/", 1)[1]: name for name in json.loads(content)["Names"]}
            found = [{"Name": wanted[name], "Value": SECRETS[name]} for name in SECRETS if name in wanted]
            self.answer(200, json.dumps({"Parameters": found, "InvalidParameters": []}).encode())
        elif self.headers.get("X-Amz-Target", "").endswith(".SendMessage"):
            text = json.loads(content)["MessageBody"].encode()
            digest = hashlib.md5(text, usedforsecurity=False).hexdigest()
            self.answer(200, json.dumps({"MessageId": "bench", "MD5OfMessageBody": digest}).encode())
        else:
            self.answer(202)


if __name__ == "__main__":
    print(report())
