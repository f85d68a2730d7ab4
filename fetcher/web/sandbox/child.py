"""The program of a reader process: it does one job after the other from its pipe, until the pipe closes.

It is started with the import path as arguments, and reads no environment. It sends only answers: standard
output and standard error go to /dev/null, so that no page's text gets into a log.
"""

import gc
import os
import signal

from fetcher.codes import DocumentCode, ErrorCode
from fetcher.web.errors import ReadingFailed, UnsupportedContentType
from fetcher.web.output import tokens
from fetcher.web.reading import decode, readers
from fetcher.web.sandbox import frames, messages
from fetcher.web.sandbox.frames import Frame
from fetcher.web.sandbox.limits import LEAST_SECONDS, LEAST_SECONDS_FOR_DOCUMENTS, allow_seconds, confine
from fetcher.web.sandbox.system_calls import refuse_other_calls


def main(memory_mb: int, *, documents: bool) -> None:
    """Do jobs until the pipe closes."""
    for asked_to_end in (signal.SIGINT, signal.SIGTERM):  # systemd sends them to all processes
        signal.signal(asked_to_end, signal.SIG_IGN)  # the parent ends its children
    pipe = _take_pipe()
    decode.load()  # files cannot be opened later
    kinds = readers.READERS
    if not documents:  # readers of pages also cut the text of documents
        tokens.count("")  # the first count loads the tokeniser
    else:  # only here: a process that reads pages needs none of these libraries
        from fetcher.web.reading.documents.library_readers import DOCUMENT_READERS

        kinds = (*DOCUMENT_READERS, *kinds)
    gc.freeze()
    gc.disable()
    confine(memory_mb)
    frames.send(pipe, frames.READY if refuse_other_calls() else frames.UNFILTERED)
    while (job := frames.receive(pipe)) is not None:
        frames.send(pipe, _answer(job, kinds))
        del job
        gc.collect()  # now, while no job waits


def _take_pipe() -> int:
    """Move the pipe to another descriptor, so that output of libraries does not get into it."""
    pipe = os.dup(0)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
    return pipe


def _answer(job: Frame, kinds: readers.Readers) -> Frame:
    head, body, _ = job
    is_for_pages = kinds is readers.READERS
    allow_seconds(len(body), LEAST_SECONDS if is_for_pages else LEAST_SECONDS_FOR_DOCUMENTS)
    try:
        if made := messages.task_answer(head, body):
            return made
        context = messages.context_of(head)
        reading = readers.read(body, context, kinds).within(context.max_chars)
        return messages.answer(reading, body=len(body))
    except UnsupportedContentType as error:
        return messages.refusal(error.code, str(error.details["content_type"]))
    except ReadingFailed as error:
        return messages.refusal(error.code, str(error.details["error"]))
    except MemoryError:
        code = ErrorCode.EXTRACTION_FAILED if is_for_pages else DocumentCode.DOCUMENT_TOO_LARGE
        return messages.refusal(code, "reading it takes too much memory")
    except Exception as error:  # noqa: BLE001 - the last resort: a fault in this program, reported without the page's text
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        file = trace.tb_frame.f_code.co_filename.rpartition("/")[2] if trace else ""
        place = f"{type(error).__name__} in {file}:{trace.tb_lineno if trace else 0}"
        return messages.refusal(ErrorCode.INTERNAL, place)
