"""The program of a reader process: one job after the other from its pipe, until the pipe closes.

It is started with the import path as arguments, reads no environment, and says nothing but answers: standard
output and standard error lead nowhere, so that no page's text ends up in a log.
"""

import gc
import os
import signal

from fetcher.codes import ErrorCode
from fetcher.web.errors import ReadingFailed, UnsupportedContentType
from fetcher.web.reading import decode, readers
from fetcher.web.sandbox import frames, messages
from fetcher.web.sandbox.frames import Frame
from fetcher.web.sandbox.limits import allow_seconds, confine

READY: Frame = (b"", b"", b"")
"""What a child says when it is ready for jobs."""


def main(memory_mb: int) -> None:
    for asked_to_end in (signal.SIGINT, signal.SIGTERM):  # which systemd sends to all: our parent may go on
        signal.signal(asked_to_end, signal.SIG_IGN)
    pipe = _take_pipe()
    decode.load()  # files cannot be opened later
    gc.freeze()
    gc.disable()
    confine(memory_mb)
    frames.send(pipe, READY)
    while (job := frames.receive(pipe)) is not None:
        frames.send(pipe, _answer(job))
        del job
        gc.collect()  # while nobody waits


def _take_pipe() -> int:
    """The pipe on a descriptor of its own: nothing that a library prints goes into it."""
    pipe = os.dup(0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    os.close(nowhere)
    return pipe


def _answer(job: Frame) -> Frame:
    head, body, _ = job
    allow_seconds(len(body))
    try:
        return messages.answer(readers.read(body, messages.context_of(head)), body=len(body))
    except UnsupportedContentType as error:
        return messages.refusal(error.code, str(error.details["content_type"]))
    except ReadingFailed as error:
        return messages.refusal(error.code, str(error.details["error"]))
    except MemoryError:
        return messages.refusal(ErrorCode.EXTRACTION_FAILED, "reading it takes too much memory")
    except Exception as error:  # noqa: BLE001 - the last resort: our fault, told without the page's words
        return messages.refusal(ErrorCode.INTERNAL, _place(error))


def _place(error: Exception) -> str:
    """What went wrong, and where in our code; no word of the page."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    file = trace.tb_frame.f_code.co_filename.rpartition("/")[2] if trace else ""
    return f"{type(error).__name__} in {file}:{trace.tb_lineno if trace else 0}"
