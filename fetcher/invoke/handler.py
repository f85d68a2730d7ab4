"""The Lambda function's entry point, and its wiring."""

import functools
import logging
import os
from typing import Any

from fetcher import logs
from fetcher.invoke.backends import open_backend
from fetcher.invoke.invoker import Invoker, RuntimeEnvironment
from fetcher.invoke.settings import InvokeSettings, load


def handler(event: Any, context: Any) -> dict[str, Any]:
    """Answers one event; raises NoAnswer if it failed and its sender does not wait."""
    return Invoker(_settings, open_backend, RuntimeEnvironment()).answer(event, context)


@functools.cache
def _settings() -> InvokeSettings:
    """The settings of this process; after a ConfigurationError, they are read anew."""
    settings = load()
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:  # elsewhere, the caller sets up its own logs
        logs.to_stream(logging.getLevelNamesMapping()[settings.invoke_log_level])
    return settings
