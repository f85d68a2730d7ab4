"""A Chromium for one rendering: what it starts with, and what is left of it."""

import asyncio
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from fetcher.web.browser import command_line, launch
from fetcher.web.browser.devtools_pipe import DevToolsPipe
from fetcher.web.browser.launch import FirstError, launch_chromium
from fetcher.web.browser.process import PREFIX, Chromium
from fetcher.web.errors import BrowserCrashed, BrowserUnavailable
from tests.fetcher.web.browser.ground import chromium
from tests.fetcher.web.browser.programs import program, until


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where profiles are made during a test; it must be empty afterwards."""
    directory = tmp_path / "profiles"
    directory.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(directory))
    yield directory
    assert list(directory.iterdir()) == []


async def _launch(binary, work=lambda pipe: asyncio.sleep(0), first_error=None):
    first_error = first_error or FirstError()
    async with launch_chromium(
        binary, sandbox=True, largest_document=1 << 20, first_error=first_error
    ) as pipe:
        return await first_error.run(work(pipe))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("sys.exit(0)", "it ended at once"),
        ("sys.exit('No usable sandbox!')", "it ended at once: No usable sandbox!"),
        ("greet('HeadlessChrome/99.0.4844.51')", "99.0.4844.51 is too old"),
        ("greet('')", "is too old"),
    ],
)
def test_a_program_that_is_no_usable_chromium_is_unavailable(tmp_path, place, body, error):
    """SRD FR-WF-11: version 100 at least; whatever went wrong at the start is said."""
    path = program(tmp_path, body)
    with pytest.raises(BrowserUnavailable) as refused:
        asyncio.run(_launch(path))
    assert refused.value.details["chromium_path"] == path
    assert error in refused.value.details["error"]


def test_version_100_is_new_enough(tmp_path, place):
    asyncio.run(_launch(program(tmp_path, "greet('HeadlessChrome/100.0.4896.60'); hear()")))


def test_a_browser_that_ends_before_its_greeting_is_read_has_crashed(tmp_path, place, groups, monkeypatch):
    """On a busy machine the answer and the end of the pipe arrive together; nobody waits for more."""
    honest = DevToolsPipe.send

    def busy_until_the_end(pipe, *arguments, **options):
        number = honest(pipe, *arguments, **options)
        until(lambda: not groups[0].members)
        return number

    monkeypatch.setattr(DevToolsPipe, "send", busy_until_the_end)
    path = program(tmp_path, "greet('HeadlessChrome/156.0')")

    async def story():
        async with asyncio.timeout(60):
            await _launch(path, work=lambda pipe: pipe.call("Target.setDiscoverTargets"))

    with pytest.raises(BrowserCrashed):
        asyncio.run(story())


def test_a_program_that_does_not_answer_is_given_up(tmp_path, place, monkeypatch):
    monkeypatch.setattr(launch, "LONGEST_START", 0.1)
    with pytest.raises(BrowserUnavailable) as refused:
        asyncio.run(_launch(program(tmp_path, "time.sleep(60)")))
    assert refused.value.details["error"] == "it did not answer"


def test_a_browser_that_ends_while_it_is_used_has_crashed(tmp_path, place):
    path = program(tmp_path, "greet('HeadlessChrome/156.0'); hear()")
    with pytest.raises(BrowserCrashed):
        asyncio.run(_launch(path, lambda pipe: pipe.call("Page.navigate")))


def test_a_browser_that_holds_too_much_memory_is_stopped(tmp_path, place, monkeypatch):
    monkeypatch.setattr(launch, "MOST_MEMORY", 60 << 20)
    monkeypatch.setattr(launch, "LOOK_EVERY", 0.01)
    path = program(tmp_path, "greet('HeadlessChrome/156.0'); a = bytearray(100 << 20); hear(); hear()")
    with pytest.raises(BrowserCrashed, match="stopped") as crashed:
        asyncio.run(_launch(path, lambda pipe: pipe.call("Page.navigate")))
    assert "MiB of memory" in crashed.value.details["error"]


def test_without_room_for_a_profile_the_browser_is_unavailable(tmp_path, monkeypatch):
    """A disk that is full or not there has the code of a browser that is not there."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    with pytest.raises(BrowserUnavailable) as refused:
        asyncio.run(_launch("/bin/true"))
    assert "it cannot be started: " in refused.value.details["error"]


@pytest.mark.parametrize("steps", range(0, 8, 2))
def test_cancelling_at_any_step_of_the_start_leaves_nothing(tmp_path, place, groups, steps):
    """Neither a process, nor a profile, nor a descriptor: the loop's warnings are errors here."""
    path = program(tmp_path, "time.sleep(60)")

    async def story():
        before = _descriptors()
        task = asyncio.create_task(_launch(path))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        assert _descriptors() == before

    asyncio.run(story())


def _descriptors():
    return len(list(Path("/dev/fd").iterdir()))


def test_cancelling_leaves_neither_process_nor_profile(place, groups):
    """Whoever gives a fetch up need not wait for what it had started."""

    async def story():
        started = asyncio.Event()

        async def work(pipe):
            assert groups[0].members
            started.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(_launch(chromium(), work))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(story())
    assert groups[0].members == []


def test_chromium_starts_with_an_empty_environment_and_without_a_port(place, groups, monkeypatch):
    """E16: no token reaches it, and nobody else can drive it."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")

    async def look(pipe):
        await pipe.call("Browser.getVersion")
        return _variables(groups[0].pid), _listening(groups[0].pid)

    names, listening = asyncio.run(_launch(chromium(), look))
    assert names <= {b"HOME", b"TMPDIR", b"PATH", b"PWD"}
    assert listening == []


def _variables(pid):
    """The names of a process's environment."""
    variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return {variable.partition(b"=")[0] for variable in variables if variable}


def _listening(pid):
    """The TCP sockets on which a process listens."""
    sockets = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            sockets.add(str(link.readlink()))
    rows = [
        row.split()
        for table in ("tcp", "tcp6")
        for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    return [row[1] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets]


KILLED = """
import asyncio, sys, tempfile
tempfile.tempdir = sys.argv[2]
from fetcher.web.browser import process
from fetcher.web.browser.launch import FirstError, launch_chromium
honest = process.start
def start(*arguments):
    started = honest(*arguments)
    print(started.pid, flush=True)
    return started
process.start = start
async def main():
    error = FirstError()
    async with launch_chromium(sys.argv[1], sandbox=True, largest_document=1 << 20, first_error=error):
        await asyncio.Event().wait()
asyncio.run(main())
"""


def test_chromium_ends_with_a_process_that_is_killed(place):
    """Nobody is left to end it, so it ends itself; its profile goes with the next rendering."""
    command = [sys.executable, "-c", KILLED, chromium(), str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[4]) as owner:
        assert owner.stdout
        group = Chromium(pid=int(owner.stdout.readline()), reading=-1, writing=-1)
        assert group.members
        owner.send_signal(signal.SIGKILL)
    until(lambda: not group.members)
    assert [path.name.startswith(PREFIX) for path in place.iterdir()] == [True]
    asyncio.run(_launch(chromium()))


@pytest.mark.parametrize(
    ("sandbox", "root", "given_up"), [(True, False, False), (True, True, True), (False, False, True)]
)
def test_the_sandbox_is_given_up_as_root_or_by_a_setting_only(
    tmp_path, place, monkeypatch, sandbox, root, given_up
):
    """E16."""
    monkeypatch.setattr(command_line, "is_root", lambda: root)
    answer = "greet('HeadlessChrome/156.0'); say(id=hear()['id'], result={'argv': sys.argv}); hear()"

    async def story():
        path = program(tmp_path, answer)
        async with launch_chromium(
            path, sandbox=sandbox, largest_document=1, first_error=FirstError()
        ) as pipe:
            return await pipe.call("Argv")

    assert ("--no-sandbox" in asyncio.run(story())["argv"]) is given_up
