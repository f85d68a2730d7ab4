"""What a reader process can do when its parser was taken over: nothing but answer."""

import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from fetcher.web.errors import ExtractionFailed, FetchError, InternalError
from fetcher.web.sandbox import limits, process
from fetcher.web.sandbox.channel import ReaderEnded
from fetcher.web.sandbox.limits import ReaderLimits
from fetcher.web.sandbox.process import ReaderProcess
from tests.fetcher.web.sandbox.readers import FILTERED, TAKEN_OVER, pool_of, told, unfiltered

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has this limit")


@pytest.fixture(scope="module")
def pool():
    """A pool whose readers run what they are given as Python."""
    with pool_of(program=TAKEN_OVER) as pool:
        yield pool


def test_a_reader_has_no_secret_in_its_environment(pool, monkeypatch):
    """The interpreter's own library path is all that it may inherit."""
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    with pool_of(program=TAKEN_OVER) as fresh:
        names = set(told(fresh, "told = ' '.join(os.environ)").split())
    assert names <= {*process.INHERITED, "LC_CTYPE", "__CF_USER_TEXT_ENCODING"}  # what Python and macOS add


def test_a_reader_is_in_a_session_of_its_own_far_from_our_directory(pool):
    facts = told(pool, "told = f'{os.getsid(0)} {os.getpid()} {os.getcwd()}'").split()
    assert facts[0] == facts[1] != str(os.getsid(0))
    assert facts[2] == "/"


OPENINGS = {
    "its parent's environment": "open(f'/proc/{os.getppid()}/environ', 'rb')",
    "a file": "open('/etc/hostname')",
    "a file to write": "open('/tmp/reader-was-here', 'w')",
    "a directory": "os.listdir('/')",
    "a socket": "socket.socket()",
    "a pipe": "os.pipe()",
    "a copy of its pipe": "os.dup(0)",
    "a file in place of its own": "(os.close(0), open('/etc/hostname'))",
}


@pytest.mark.parametrize("opening", OPENINGS.values(), ids=OPENINGS)
def test_a_reader_can_open_nothing(pool, opening):
    """No file, so not its parent's environment either, and no way into any network."""
    script = f"""
try:
    {opening}
    told = "opened"
except OSError as error:
    told = error.strerror
"""
    assert told(pool, script) in {"Too many open files", "Invalid argument", "Operation not permitted"}


CALLS_WITHOUT_A_DESCRIPTOR = (
    "os.truncate(path, 0)",
    "os.chmod(path, 0o777)",
    "os.rename(path, path + '.moved')",
    "os.unlink(path)",
    "os.mkdir(path + '.made')",
    "os.symlink('words of the page', path + '.link')",
    "os.stat(path)",
    "os.readlink(f'/proc/{os.getppid()}/exe')",
    "os.kill(os.getppid(), 0)",
    "resource.prlimit(os.getppid(), resource.RLIMIT_CPU)",
    "os.fork()",
    "os.execv('/bin/true', ['true'])",
    "native('process_vm_readv', os.getppid(), 0, 0, 0, 0, 0)",
    "native('ptrace', 16, os.getppid(), 0, 0)",
    "native('shmget', 77, 4096, 0o1666)",
    "native('syscall', 425, 1, ctypes.create_string_buffer(200))",  # io_uring_setup
)


@FILTERED
def test_a_reader_changes_no_file_and_touches_no_other_process(pool, tmp_path):
    """These calls need no descriptor, and root may do them all; limits alone do not stop them."""
    path = tmp_path / "file"
    path.write_text("kept")
    script = f"""
def native(name, *arguments):
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)

path, told = {str(path)!r}, []
for call in {CALLS_WITHOUT_A_DESCRIPTOR!r}:
    try:
        eval(call)
        told.append(f"{{call}} was done")
    except OSError as error:
        if error.errno != 1:
            told.append(f"{{call}}: {{error}}")
"""
    assert told(pool, script) == "[]"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "kept"


@FILTERED
def test_a_kernel_that_refuses_the_filter_is_told(caplog):
    """The page is read all the same: the other walls stand."""
    with pool_of(program=unfiltered(TAKEN_OVER)) as pool:
        assert told(pool, "told = 'read'") == "read"
    assert "reader_unfiltered" in caplog.messages


@LINUX
def test_the_limits_are_set_before_the_first_job(pool):
    """And cannot be lifted by a process without privileges: the hard ones are as low."""
    reader = int(told(pool, "told = os.getpid()"))
    for kind in (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC):
        assert resource.prlimit(reader, kind) == (0, 0)
    with pytest.raises(InternalError):
        told(pool, "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))")


@LINUX
def test_a_memory_bomb_stays_inside(pool):
    """It is the page that fails; the reader that comes next reads on."""
    with pytest.raises(ExtractionFailed):
        told(pool, "told = 'x' * 600_000_000")
    assert told(pool, "told = 1 + 1") == "2"


@LINUX
def test_memory_has_the_limit_that_was_set():
    take = "told = len('x' * 150_000_000)"
    with pool_of(ReaderLimits(memory_mb=128), program=TAKEN_OVER) as small, pytest.raises(ExtractionFailed):
        told(small, take)
    with pool_of(program=TAKEN_OVER) as usual:
        assert told(usual, take) == "150000000"


def test_each_job_has_processor_time_of_its_own():
    """The kernel counts the whole life of a process, so the limit moves; a runaway is ended by it."""
    program = TAKEN_OVER.replace("child.main", "limits.LEAST_SECONDS = 1\nchild.main")
    spend = "end = time.process_time() + 0.6\nwhile time.process_time() < end: pass\ntold = 'done'"
    with pool_of(program=program) as pool:
        assert [told(pool, spend) for _ in range(4)] == ["done"] * 4
        with pytest.raises(ExtractionFailed):
            told(pool, "while True: pass", seconds=60)
    assert limits.LEAST_SECONDS == 5


CRASHES = {
    "an end": "os._exit(0)",
    "a crash": "os.kill(os.getpid(), signal.SIGSEGV)",
    "a fault in native code": "ctypes.string_at(0)",
}


@pytest.mark.parametrize("crash", CRASHES.values(), ids=CRASHES)
def test_a_reader_that_crashes_takes_nobody_along(pool, crash):
    """The page that did it has its code, and the next is read."""
    with pytest.raises(ExtractionFailed):
        told(pool, crash)
    assert told(pool, "told = 'read'") == "read"


def test_a_fault_of_ours_says_where_and_nothing_of_the_page(pool):
    with pytest.raises(InternalError) as fault:
        told(pool, "raise KeyError('words of the page')")
    assert fault.value.details["error"].startswith("KeyError in ")
    assert "words" not in str(fault.value.details)


def test_what_a_reader_prints_goes_nowhere(capfd):
    """Neither into our output nor into its answer: a parser's complaint quotes the page."""
    with pool_of(program=TAKEN_OVER) as pool:
        assert told(pool, "[os.write(number, b'page text') for number in (1, 2)]; told = 'x'") == "x"
    assert capfd.readouterr() == ("", "")


ANSWERS = {
    "no frame": "os.write(pipe, b'x' * 100)",
    "an endless frame": "os.write(pipe, b'\\xff' * 12)",
    "half a frame": "os.write(pipe, frames.HEADER.pack(10, 0, 0) + b'{}'); os._exit(0)",
    "no JSON": "frames.send(pipe, (b'{', b'', b''))",
    "a pickle": "frames.send(pipe, (pickle.dumps(1), b'', b''))",
    "two answers": "frames.send(pipe, (b'{}', b'', b'') ); told = 'x'",
}


@pytest.mark.parametrize("script", ANSWERS.values(), ids=ANSWERS)
def test_a_forged_answer_is_the_end_of_its_reader(pool, script):
    """Whatever it is, the page has failed and the next one is read by another."""
    with pytest.raises(ExtractionFailed):
        told(pool, script)
    assert told(pool, "told = 'read'") == "read"


FORGES_THE_NEXT = """
def send(pipe, frame):
    usual(pipe, frame)
    time.sleep(0.2)
    usual(pipe, forged)

usual = frames.send
forged = messages.answer(Reading(document=Document(markdown="forged\\n"), media_type="text/plain"), body=0)
frames.send = send
"""


def test_an_answer_before_its_question_is_the_end_of_its_reader():
    """It would be taken for what the next page says."""
    with pool_of(ReaderLimits(processes=1, short=0), program=TAKEN_OVER) as pool:
        told(pool, FORGES_THE_NEXT)
        assert told(pool, "told = 'read'") == "read"  # and a forged answer behind it
        channel = pool._readers[0]._channel
        until = time.monotonic() + 60
        while channel.idle and time.monotonic() < until:
            os.sched_yield()
        assert not channel.idle
        assert told(pool, "told = 'read'") == "read"


@pytest.fixture
def reader():
    reader = ReaderProcess(400)
    reader.wait_until_ready(60)
    yield reader
    reader.close()


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_does_not_end_a_reader(reader, signal_number):
    """Nor what a service manager sends to all: whoever is to end decides when."""
    os.kill(reader.pid, signal_number)
    with pytest.raises(TimeoutError):
        reader.wait_until_ready(0.2)
    assert reader.usable


def test_a_reader_ends_when_its_pipe_closes(reader):
    """So none outlives us, however we end."""
    reader._channel.close()
    assert reader._process.wait(60) == 0


PARENT = """
import time
from fetcher.web.sandbox.process import ReaderProcess
reader = ReaderProcess(400)
reader.wait_until_ready(60)
print(reader.pid, flush=True)
time.sleep(60)
"""


def test_a_reader_ends_with_a_process_that_was_killed():
    """Nothing is left to clean up where nobody can."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        os.kill(pid, 0)
        parent.kill()
    until = time.monotonic() + 60
    while _runs(pid) and time.monotonic() < until:
        os.sched_yield()
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether a process lives; one that nobody collected does not."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False)
    return bool(state.stdout.strip()) and not state.stdout.startswith("Z")


def test_a_reader_imports_what_it_needs_and_no_more():
    """It is up in a fifth of a second, and knows nothing of settings, networks and models."""
    script = "import sys; import fetcher.web.sandbox.child; print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    foreign = {
        "anthropic",
        "asyncio",
        "bs4",
        "boto3",
        "httpcore2",
        "pydantic",
        "slack_bolt",
        "subprocess",
        "socket",
    }
    assert foreign.isdisjoint(modules)
    assert not [
        name
        for name in modules
        if name.startswith(("fetcher.settings", "fetcher.web.cache", "fetcher.agent"))
    ]


def test_a_reader_that_cannot_start_is_a_fault_of_ours(monkeypatch):
    """The page is not blamed, and later ones have their chance."""
    monkeypatch.setattr("fetcher.web.sandbox.process.sys.executable", "/does/not/exist")
    with pool_of() as pool:
        with pytest.raises(FetchError) as fault:
            told(pool, "x")
        assert isinstance(fault.value, InternalError)
        monkeypatch.undo()
        assert told(pool, "x") == "x"


def test_without_threads_there_is_no_reader(monkeypatch):
    def no_more_threads(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", no_more_threads)
    with pool_of() as pool, pytest.raises(InternalError):
        told(pool, "x")


def test_a_reader_that_ends_while_it_starts_is_not_ready():
    """Another is started, a few times; then it is a fault of ours."""
    with pool_of(program="raise SystemExit") as pool, pytest.raises(InternalError):
        told(pool, "x")
    reader = ReaderProcess(400)
    try:
        reader.kill()
        with pytest.raises(ReaderEnded):
            reader.wait_until_ready(30)
    finally:
        reader.close()
