"""DynamoDB Local, AWS's own, in a process of its own: the real client talks to it over loopback.

It needs Java and its jar: where `FETCHER_TEST_DYNAMODB_JAR` says, else where `make dynamodb` unpacks it.
It removes rows whose TTL has passed by the machine's own clock, within seconds: a test whose time stands
still must let it stand in the future, at `FUTURE`.
"""

import contextlib
import fcntl
import http.client
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

UNPACKED = Path(__file__).parent.parent.parent / "build" / "dynamodb-local"
START_SECONDS = 60
FUTURE = 4_102_444_800.0
"""The year 2100."""
LATER = datetime(2100, 1, 10, 12, tzinfo=UTC)
"""A moment of that year, for a clock."""
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


_OUTLIVING: list[subprocess.Popen[bytes]] = []
"""Servers that others may still use when this process no longer does: Python warns of those it forgets."""


class NotInstalled(Exception):
    """What DynamoDB Local needs is not on this machine."""


def jar(environ: dict[str, str] | os._Environ[str] = os.environ) -> Path:
    """Where the server is."""
    if named := environ.get("FETCHER_TEST_DYNAMODB_JAR"):
        if not Path(named).is_file():
            raise NotInstalled(f"FETCHER_TEST_DYNAMODB_JAR names no file: {named}")
        return Path(named)
    if found := sorted(UNPACKED.glob("package/lib/*/DynamoDBLocal.jar")):
        return found[-1]
    raise NotInstalled("DynamoDB Local is not installed; `make dynamodb` does so")


def own_credentials() -> dict[str, str]:
    """Credentials of this process alone: the server keeps the tables of each access key apart.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html
    """
    return CREDENTIALS | {"AWS_ACCESS_KEY_ID": f"local{os.getpid()}"}


@contextlib.contextmanager
def running_dynamodb() -> Iterator[str]:
    """A server without any table; the URL of its endpoint."""
    server, endpoint = _start_dynamodb()
    try:
        yield endpoint
    finally:
        server.terminate()
        server.wait()


def _start_dynamodb() -> tuple[subprocess.Popen[bytes], str]:
    program, java = jar(), shutil.which("java")
    if not java:
        raise NotInstalled("DynamoDB Local needs Java")
    port = _free_port()
    server = subprocess.Popen(
        [
            java,
            # Starting soon matters more here than running fast later.
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Djava.library.path=./DynamoDBLocal_lib",
            "-jar",
            program.name,
            "-inMemory",
            "-disableTelemetry",
            "-port",
            str(port),
        ],
        cwd=program.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(server, port)
    except BaseException:
        server.kill()
        server.wait()
        raise
    return server, f"http://127.0.0.1:{port}"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _wait_for(server: subprocess.Popen[bytes], port: int) -> None:
    """Until it answers: its first answer takes longer than a client of ours would wait."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        if server.poll() is not None:
            raise RuntimeError(f"DynamoDB Local ended with status {server.returncode}")
        try:
            _ask(port)
            return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("DynamoDB Local did not start")


def _ask(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=START_SECONDS)
    headers = {
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260110/local/dynamodb/aws4_request, "
        "SignedHeaders=host, Signature=0",
    }
    connection.request("POST", "/", b"{}", headers)
    connection.getresponse().read()
    connection.close()


@contextlib.contextmanager
def shared_dynamodb(place: Path) -> Iterator[str]:
    """The one server of all processes that name this folder: the first one starts it, the last one ends it.

    Each process holds a shared lock on a file while it uses the server. The one that can lock it alone is
    the last.
    """
    record, users = place / "dynamodb", os.open(place / "dynamodb.users", os.O_CREAT | os.O_RDWR)
    server = None
    with _locked(place / "dynamodb.turn"):
        if not record.exists():
            server, endpoint = _start_dynamodb()
            _OUTLIVING.append(server)
            record.write_text(f"{server.pid} {endpoint}")
        fcntl.flock(users, fcntl.LOCK_SH)
        process, endpoint = record.read_text().split()
    try:
        yield endpoint
    finally:
        with _locked(place / "dynamodb.turn"), contextlib.suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.kill(int(process), signal.SIGTERM)
            if server:
                server.wait()
            record.unlink()
        os.close(users)


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


@pytest.fixture(scope="session")
def dynamodb_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The one DynamoDB Local of a test run, with credentials that it takes; skips where there is none."""
    with contextlib.ExitStack() as stack:
        try:
            endpoint = stack.enter_context(shared_dynamodb(tmp_path_factory.getbasetemp()))
        except NotInstalled as reason:
            pytest.skip(str(reason))
        environment = stack.enter_context(pytest.MonkeyPatch.context())
        for name, value in own_credentials().items():
            environment.setenv(name, value)
        yield endpoint
