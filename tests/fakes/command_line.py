"""Our commands in processes of their own that have imported them already.

A new interpreter takes half a second to do so. Tests of how a program starts, or ends by a signal, start a
real one.
"""

import os
import runpy
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryDirectory

from fetcher import __main__ as fetcher_command
from fetcher import ask
from tests.fakes.forks import FORKS

READY = (ask, fetcher_command)
"""Imported before the fork, so that no command has to."""
LONGEST = 60.0


def run(module: str, *arguments: str, environ: Mapping[str, str]) -> CompletedProcess[str]:
    """What `python -m module …` prints and returns in an environment that has these variables alone."""
    with TemporaryDirectory() as place:
        out, err = Path(place, "out"), Path(place, "err")
        process = FORKS.Process(target=_main, args=(module, arguments, dict(environ), str(out), str(err)))
        process.start()
        process.join(LONGEST)
        if process.exitcode is None:
            process.kill()
            process.join()
        status = process.exitcode
        assert status is not None
        process.close()
        printed = [path.read_text("utf-8") for path in (out, err)]
        return CompletedProcess([module, *arguments], status, *printed)


def _main(module: str, arguments: tuple[str, ...], environ: Mapping[str, str], out: str, err: str) -> None:
    os.environ.clear()
    os.environ.update(environ)
    for number, path in ((1, out), (2, err)):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
    sys.modules.pop(f"{module}.__main__", None)  # it runs anew; what it imports stays
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
