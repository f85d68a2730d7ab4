"""A worker of `LambdaRuntime` without its cold start, for tests that kill many of them."""

import os
import sys
from collections.abc import Mapping
from typing import IO

from fetcher import agent, configuration
from fetcher.web.output import tokens
from slackapp import lambda_handler
from slackapp.slack import poster
from slackapp.stores.dynamodb import connect
from slackapp.thread import history
from slackapp.work import handler as handle
from tests.fakes.forks import FORKS

READY = (agent, configuration, connect, handle, history, lambda_handler, poster)
"""Imported before the fork, so that no worker has to."""
tokens.count("")  # loads its table


class Forked:
    """Keeps what a worker needs of `subprocess.Popen`; what it prints is lost."""

    def __init__(self, handler: str, environ: Mapping[str, str], _log: IO[bytes]) -> None:
        self._process = FORKS.Process(target=_serve, args=(handler, dict(environ)), daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid  # it has been started
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> int | None:
        self._process.join()
        return self._process.exitcode


def _serve(handler: str, environ: Mapping[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environ)
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(silence, stream.fileno())
    from awslambdaric.__main__ import main  # type: ignore[import-untyped]  # looks at the environment

    main(["awslambdaric", handler])
