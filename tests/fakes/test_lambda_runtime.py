"""Lambda on loopback behaves as Lambda does, with the real `awslambdaric` and the real boto3."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import boto3  # type: ignore[import-untyped]
import pytest

from tests.fakes.lambda_runtime import FunctionFailed, LambdaRuntime

TOY = "tests.fakes.lambda_toy.handler"


@pytest.fixture(scope="module")
def running() -> Iterator[LambdaRuntime]:
    """Starting a worker takes a while, so those that survive a test are used by the next."""
    with LambdaRuntime(TOY, {"TOY_SECRET": "swordfish"}, name="toy", timeout=20) as function:
        yield function


@pytest.fixture
def function(running: LambdaRuntime) -> Iterator[LambdaRuntime]:
    yield running
    assert running.settle()
    running.failed.clear()


def _appears(path):
    """Whether somebody makes a file soon."""
    give_up = time.monotonic() + 10
    while not path.exists() and time.monotonic() < give_up:
        time.sleep(0.005)
    return path.exists()


def _gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_a_function_is_told_what_lambda_tells(function):
    """Its event, its environment, its name, its ARN and the time that is left."""
    told = function.invoke({"act": "tell", "say": "料金表"})
    assert (told["said"], told["secret"]) == ("料金表", "swordfish")
    assert (told["name"], told["arn"]) == ("toy", function.arn)
    assert 10_000 < told["left"] <= 20_000


def test_a_worker_is_used_again(function):
    """What a module keeps between invocations is still there."""
    first, second = function.invoke({"act": "tell"}), function.invoke({"act": "tell"})
    assert (second["pid"], second["calls"]) == (first["pid"], first["calls"] + 1)


@pytest.mark.skipif(not Path("/proc").exists(), reason="the state of a process is read from /proc")
def test_a_worker_stands_still_between_invocations(function, tmp_path):
    """Work that a thread was to do after the answer is not done on Lambda."""
    counted = tmp_path / "counted"
    assert function.invoke({"act": "promise", "counted": str(counted)}) == "promised"
    pids = [worker.pid for worker in function._idle]
    give_up = time.monotonic() + 10
    while any(_state(pid) != "T" for pid in pids) and time.monotonic() < give_up:
        time.sleep(0.005)
    before = counted.read_text()
    time.sleep(0.05)  # fifty turns of a thread that runs
    assert counted.read_text() == before


def _state(pid):
    return Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()[0]


def test_an_exception_comes_back_with_its_type(function):
    with pytest.raises(FunctionFailed, match="out of order") as failed:
        function.invoke({"act": "fail", "say": "out of order"})
    assert (failed.value.error, failed.value.error_type) == ("Unhandled", "ValueError")
    assert "out of order" in function.log


def test_a_worker_that_exits_fails_its_invocation_alone(function):
    """The next invocation gets another worker."""
    with pytest.raises(FunctionFailed) as failed:
        function.invoke({"act": "exit"})
    assert failed.value.error == "Runtime.ExitError"
    assert function.invoke({"act": "tell"})["calls"] >= 1


def test_a_handler_that_cannot_be_imported_fails():
    with (
        LambdaRuntime("tests.fakes.no_such_module.handler") as broken,
        pytest.raises(FunctionFailed) as failed,
    ):
        broken.invoke({})
    assert failed.value.error_type == "Runtime.ImportModuleError"


def test_a_function_that_takes_too_long_is_killed():
    with LambdaRuntime(TOY, timeout=0.3) as function:
        with pytest.raises(FunctionFailed) as failed:
            function.invoke({"act": "hang"})
        assert (failed.value.error, function.busy) == ("Sandbox.Timedout", 0)


def test_a_function_invokes_itself_and_does_not_wait(function, tmp_path):
    """The lazy hop: accepted at once, done by another worker."""
    done = tmp_path / "done"
    later = {"act": "tell", "touch": str(done)}
    assert function.invoke({"act": "hand_over", "later": later}) == 202
    assert function.settle()
    assert done.exists()
    assert function.failed == []


def test_a_killed_worker_is_gone_and_its_event_is_not_lost(function, tmp_path):
    """SIGKILL in the middle of an asynchronous invocation; without retries the event ends in `failed`."""
    begun = tmp_path / "begun"
    later = {"act": "hang", "touch": str(begun)}
    function.invoke({"act": "hand_over", "later": later})
    assert _appears(begun)
    (pid,) = [worker.pid for worker in function._busy]
    assert function.kill() == 1
    assert _gone(pid)
    assert function.settle()
    assert function.failed == [later]


def test_an_event_that_failed_is_tried_again(tmp_path):
    done = tmp_path / "done"
    event = {"act": "fail_once", "mark": str(tmp_path / "mark"), "done": str(done)}
    with LambdaRuntime(TOY, retries=2) as function:
        function.run_later(json.dumps(event).encode())
        assert function.settle()
        assert done.exists()
        assert function.failed == []


def test_boto3_invokes_from_outside(function):
    """`aws lambda invoke` would do the same."""
    client = boto3.client(
        "lambda",
        endpoint_url=function.url,
        region_name="ap-northeast-1",
        aws_access_key_id="AKIDTEST",
        aws_secret_access_key="secret",
    )
    answer = client.invoke(FunctionName="toy", Payload=b'{"act": "tell", "say": "hello"}')
    assert b'"hello"' in answer["Payload"].read()
    failed = client.invoke(FunctionName="toy", Payload=b'{"act": "fail", "say": "no"}')
    assert failed["FunctionError"] == "Unhandled"
    with pytest.raises(client.exceptions.ResourceNotFoundException):
        client.invoke(FunctionName="another", Payload=b"{}")
    client.close()
