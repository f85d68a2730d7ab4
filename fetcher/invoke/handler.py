"""The Lambda function's entry point, and its wiring."""

import functools
import logging
import os
from typing import Any

from fetcher import logs
from fetcher.invoke.backends.selection import BackendSelection
from fetcher.invoke.context import RuntimeEnvironment
from fetcher.invoke.invoker import Invoker
from fetcher.invoke.settings import load


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Answers one event; raises NoAnswer if it failed and its sender does not wait."""
    return Invoker(open_selection, RuntimeEnvironment()).answer(event, context)


@functools.cache
def open_selection() -> BackendSelection:
    """The backends that all invocations of this process share; after a ConfigurationError, built anew."""
    settings = load()
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:  # elsewhere, the caller sets up its own logs
        logs.to_stream(logging.getLevelNamesMapping()[settings.invoke_log_level])
    return BackendSelection(settings)
