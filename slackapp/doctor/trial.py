"""`--online --channel`: a test thread in which the app posts, updates, streams, uploads and deletes."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import uuid4

from slackapp.doctor.findings import Examination, Finding, bad, good, hint
from slackapp.doctor.shapes import ADDRESS, sample_answer
from slackapp.doctor.slack_failures import ADVICE
from slackapp.reply.answer_messages import messages
from slackapp.reply.progress import Page, ProgressView
from slackapp.slack.client import make_client
from slackapp.slack.errors import NotIncluded, PostError
from slackapp.slack.message import Mark, Message, MessageKind, Place
from slackapp.slack.posted import StreamIdentity
from slackapp.slack.poster import Poster

ROOT = "slack-web-reader doctor: a test. This thread is deleted in a moment."
FILE = ("doctor.csv", "列,値\r\n1,2\r\n".encode("utf-8-sig"), "text/csv")


def check_thread(examination: Examination) -> Iterator[Finding]:
    """Do in a test thread what the app does with a question; delete all of it again."""
    identity = examination.identity
    if not examination.channel or identity is None:
        return
    trial = _Trial(examination, Poster(make_client(examination.settings)))
    steps: tuple[tuple[str, Callable[[], None]], ...] = (
        ("post", trial.post),
        ("update", trial.update),
        ("stream", trial.stream),
        ("upload", trial.upload),
    )
    done: list[str] = []
    for name, step in steps:
        try:
            step()
            done.append(name)
        except NotIncluded as error:
            yield hint(f"test thread: {name} is refused ({error.code})", ADVICE["not_authorized"])
        except PostError as error:
            advice = ADVICE.get(
                error.code, "docs/operations.md lists Slack's codes; report it with this line."
            )
            yield bad(f"test thread: {name} failed ({error.code})", advice)
            if name == "post":
                break
    left = trial.delete()
    if left:
        yield bad(f"test thread: these could not be deleted: {', '.join(left)}", "Delete them by hand.")
    if done:
        yield good(
            f"test thread in {examination.channel}: {', '.join([*done, *([] if left else ['delete'])])}"
        )


class _Trial:
    """The test thread. Each step raises PostError."""

    def __init__(self, examination: Examination, poster: Poster) -> None:
        assert examination.identity is not None  # asked before
        self._identity = examination.identity
        self._poster = poster
        self._place = Place(channel=examination.channel)
        self._key = f"doctor:{uuid4().hex}"
        self._posted: list[str] = []
        self._files: list[str] = []

    def post(self) -> None:
        ts = self._poster.post(self._place, Message(text=ROOT, kind=MessageKind.ROOT), self._mark("root"))
        self._posted.append(ts)
        self._place = replace(self._place, thread_ts=ts, since=ts)
        progress = ProgressView(pages=(Page(url=ADDRESS),)).message()
        self._posted.append(self._poster.post(self._place, progress, self._mark("0")))

    def update(self) -> None:
        answer = messages(sample_answer())[0]
        self._poster.update(self._place.channel, self._posted[-1], answer, self._mark("0"))

    def stream(self) -> None:
        stream = StreamIdentity(bot_user=self._identity.bot_user, name=self._key[-12:])
        before = ProgressView(pages=(Page(url=ADDRESS),))
        ts = self._poster.start_stream(
            replace(self._place, since=self._posted[-1]),
            before.chunks(None, stream.name),
            user=self._identity.bot_user,
            team=self._identity.team_id,
            identity=stream,
        )
        self._posted.append(ts)
        after = replace(before, writing=True, text="streamed")
        self._poster.append_to_stream(self._place.channel, ts, after.chunks(before, stream.name))
        self._poster.stop_stream(self._place.channel, ts, self._mark("stream"))

    def upload(self) -> None:
        name, content, mime_type = FILE
        upload = self._poster.uploads.begin_upload(name, len(content))
        self._files.append(upload.id)
        self._poster.uploads.send_content(upload, content, mime_type)
        self._poster.uploads.share(upload, name, self._place)

    def delete(self) -> list[str]:
        """Delete everything, the first message last; return what could not be deleted."""
        left: list[str] = []
        for file in self._files:
            try:
                self._poster.uploads.delete(file)
            except PostError as error:
                left.append(f"file {file}: {error.code}")
        for ts in reversed(self._posted):
            try:
                self._poster.delete(self._place.channel, ts)
            except PostError as error:
                left.append(f"message {ts}: {error.code}")
        return left

    def _mark(self, part: str) -> Mark:
        return Mark(key=self._key, part=part)
