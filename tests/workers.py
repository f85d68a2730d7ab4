"""`-p tests.workers --workers 4`: tests are collected once and run by several processes.

Collecting takes longer than most modules take to run, so no process does it again: the workers are forks of
the process that has collected. Each takes a module, sends its reports, and takes the next one. All tests of
a module run in one worker, in their order, so that fixtures of a module are made once.
"""

import gc
import itertools
import multiprocessing
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait
from typing import Any

import pytest

FIRST = (
    "tests/soak/",
    "tests/test_linear.py",
    "tests/test_everything_is_read.py",
    "tests/scenarios/test_playground.py",
    "tests/fetcher/web/sandbox/",
    "tests/scenarios/",
    "tests/fetcher/web/browser/",
    "tests/protocol/",
    "tests/fetcher/test_",
    "tests/slackapp/reply/test_session.py",
    "tests/slackapp/run/",
)
"""Modules that take long begin first, so that none of them runs alone at the end."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--workers", type=int, default=0, help="run the tests in so many processes")


def pytest_configure(config: pytest.Config) -> None:
    # The libraries of macOS do not survive a fork: tests run one after the other there.
    if sys.platform == "linux" and config.getoption("workers") and not config.option.collectonly:
        gc.disable()  # while tests are collected: nearly all of what is made stays
        config.pluginmanager.register(Workers(config.getoption("workers")), "forked-workers")


class Workers:
    """Runs what was collected; the reports reach pytest as if it had run them itself."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._modules: list[list[pytest.Item]] = []
        self._running: dict[Connection, tuple[Any, str]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed:  # a module could not be collected: pytest says so
            return None
        self._modules = [list(items) for _, items in itertools.groupby(session.items, _module)]
        self._modules.sort(key=lambda items: _rank(_module(items[0])))
        assert threading.active_count() == 1, (
            "a module starts a thread when it is imported: it cannot be forked"
        )
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all workers
        gc.collect()
        gc.freeze()  # what was collected stays in memory that all workers share
        gc.enable()
        waiting = iter(range(len(self._modules)))
        try:
            for _ in range(min(self._most, len(self._modules))):
                self._start_worker(session)
            while self._running:
                for pipe in wait(list(self._running)):
                    self._listen(session, pipe, waiting)  # type: ignore[arg-type]
                if session.shouldfail:
                    raise session.Failed(session.shouldfail)
        finally:
            for process, _ in self._running.values():
                process.terminate()
                process.join()
        return True

    def _start_worker(self, session: pytest.Session) -> None:
        ours, theirs = multiprocessing.Pipe()
        inherited = [ours, *self._running]
        process = multiprocessing.get_context("fork").Process(
            target=self._work, args=(session, theirs, inherited)
        )
        process.start()
        theirs.close()
        self._running[ours] = process, ""

    def _listen(self, session: pytest.Session, pipe: Connection, waiting: Iterator[int]) -> None:
        """Take one message of a worker: what it begins, a report, or that it wants a module."""
        process, test = self._running[pipe]
        try:
            kind, value = pipe.recv()
        except EOFError:
            del self._running[pipe]
            process.join()
            if process.exitcode:
                _report_crash(session, test, process.exitcode)
                if test:
                    self._start_worker(session)
            return
        if kind == "begin":
            self._running[pipe] = process, value
        elif kind == "next":
            pipe.send(next(waiting, None))
        else:
            report = session.config.hook.pytest_report_from_serializable(config=session.config, data=value)
            session.config.hook.pytest_runtest_logreport(report=report)

    def _work(self, session: pytest.Session, pipe: Connection, inherited: list[Connection]) -> None:
        """What a worker does. It ends without what Python does at an end: that is the collector's."""
        status = 1
        try:
            for end in inherited:
                end.close()  # else neither the end of a worker nor that of the collector would be noticed
            plugins = session.config.pluginmanager
            plugins.unregister(name="terminalreporter")
            plugins.unregister(self)
            plugins.register(_Reporter(session.config, pipe))
            capture: Any = plugins.get_plugin("capturemanager")
            capture.stop_global_capturing()  # its files are shared with the collector
            capture.start_global_capturing()
            self._run_modules(pipe)
            status = 0
        except BaseException:  # noqa: BLE001 - the collector reports that this worker ended
            os.write(2, traceback.format_exc().encode())
        finally:
            pipe.close()
            os._exit(status)

    def _run_modules(self, pipe: Connection) -> None:
        def next_module() -> list[pytest.Item]:
            pipe.send(("next", None))
            number = pipe.recv()
            return [] if number is None else self._modules[number]

        items = next_module()
        while items:
            following: list[pytest.Item] = []
            for item, successor in itertools.zip_longest(items, items[1:]):
                if successor is None:  # pytest ends the fixtures that the next test does not need
                    following = next_module()
                pipe.send(("begin", item.nodeid))
                after = successor or (following[0] if following else None)
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            items = following


class _Reporter:
    """Sends a worker's reports to the collector."""

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self._config = config
        self._pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._pipe.send(("report", data))


def _report_crash(session: pytest.Session, test: str, status: int) -> None:
    said = f"The worker ended with status {status}. Later tests of this module have not run."
    report = pytest.TestReport(test, (test, None, test), {}, "failed", said, "call")
    session.config.hook.pytest_runtest_logreport(report=report)


def _module(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _rank(module: str) -> int:
    return next((number for number, start in enumerate(FIRST) if module.startswith(start)), len(FIRST))
