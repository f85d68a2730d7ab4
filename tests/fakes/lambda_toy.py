"""A function for the tests of `LambdaRuntime`: does what its event says."""

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

CALLS = {"count": 0}


def handler(event: dict[str, Any], context: Any) -> Any:
    CALLS["count"] += 1
    if "touch" in event:
        Path(event["touch"]).touch()
    return ACTS[event["act"]](event, context)


def _tell(event: dict[str, Any], context: Any) -> dict[str, Any]:
    return {
        "said": event.get("say"),
        "pid": os.getpid(),
        "calls": CALLS["count"],
        "arn": context.invoked_function_arn,
        "name": context.function_name,
        "left": context.get_remaining_time_in_millis(),
        "secret": os.environ.get("TOY_SECRET"),
    }


def _fail(event: dict[str, Any], context: Any) -> None:
    raise ValueError(event["say"])


def _exit(event: dict[str, Any], context: Any) -> None:
    os._exit(3)


def _hang(event: dict[str, Any], context: Any) -> None:
    time.sleep(60)


def _fail_once(event: dict[str, Any], context: Any) -> None:
    """Fails unless it has been here before."""
    mark = Path(event["mark"])
    if not mark.exists():
        mark.touch()
        raise RuntimeError("not yet")
    Path(event["done"]).touch()


def _promise(event: dict[str, Any], context: Any) -> str:
    """Answers, and leaves a thread behind that is to count on."""
    counted = Path(event["counted"])

    def count() -> None:
        while True:
            counted.write_text(str(int(counted.read_text() or 0) + 1))
            time.sleep(0.001)

    counted.write_text("0")
    threading.Thread(target=count, daemon=True).start()
    return "promised"


def _hand_over(event: dict[str, Any], context: Any) -> int:
    """The lazy hop, as Bolt does it: invokes itself, and answers without waiting."""
    import boto3  # type: ignore[import-untyped]

    invocation = boto3.client("lambda").invoke(
        FunctionName=event.get("function", context.invoked_function_arn),
        InvocationType="Event",
        Payload=json.dumps(event["later"]),
    )
    return int(invocation["StatusCode"])


ACTS = {
    "tell": _tell,
    "fail": _fail,
    "exit": _exit,
    "hang": _hang,
    "fail_once": _fail_once,
    "promise": _promise,
    "hand_over": _hand_over,
}
