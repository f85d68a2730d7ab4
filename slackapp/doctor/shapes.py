"""Every shape of blocks that the app sends to Slack, as samples."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from fetcher.agent import Answer, Source
from slackapp import wording
from slackapp.guard.effective_policy import EffectivePolicy, ListedId, Origin
from slackapp.guard.usage import Used
from slackapp.health import Health
from slackapp.reply.answer_messages import EPHEMERAL_LIMITS, LIMITS, messages
from slackapp.reply.progress import Page, PageState, ProgressView
from slackapp.slack.message import Message
from slackapp.stores.contract import Entity
from slackapp.work.views import AdminPart, Home, home_blocks, reading_modal, reason_modal

ADDRESS = "https://example.com/"
ANSWER = f"""# {wording.sources_heading()}

**bold** _italic_ ~~strike~~ `code` [link]({ADDRESS})[1]

- item
  - inner item
1. first
2. second

> quote

```
code
```

---

| a | b |
|---|---:|
| 1 | [2]({ADDRESS}) |
"""
"""Markdown with every kind of node that an answer may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A payload for `blocks.validate`."""

    name: str
    kind: Literal["message", "view"]
    payload: dict[str, Any]


def sample_answer(text: str = ANSWER) -> Answer:
    return Answer(
        text=text,
        sources=(Source(number=1, url=ADDRESS, title="Example"),),
        undone=(wording.failed(),),
    )


def shapes() -> Iterator[Shape]:
    """The samples; a test compares them with all blocks that the code can make."""
    pages = tuple(Page(url=ADDRESS, title="Example", state=state) for state in PageState)
    sent: dict[str, tuple[Message, ...]] = {
        "answer": messages(sample_answer(), LIMITS[0], [page.line for page in pages]),
        "long answer": messages(sample_answer(f"{ANSWER}\n{'long. ' * 3_000}\n"), LIMITS[1])[-1:],
        "answer that only the asker sees": messages(sample_answer(), EPHEMERAL_LIMITS),
        "progress": (ProgressView(pages=pages, thinking=True).message(),),
    }
    for name, parts in sent.items():
        for number, message in enumerate(parts, start=1):
            payload = {"text": message.text, "blocks": [dict(block) for block in message.blocks]}
            yield Shape(name=f"{name}, part {number}", kind="message", payload=payload)
    now = datetime.now(UTC)
    listed = ListedId(entity=Entity.TEAM, id="T0123ABCD", origins=(Origin.TABLE,))
    home = Home(
        channel="D0123ABCD",
        places=("C0123ABCD",),
        left=(10, 10_000),
        threads=((ADDRESS, "C0123ABCD", int(now.timestamp())),),
        read_reaction="newspaper",
        admin=AdminPart(
            usage={"C0123ABCD": Used(3, 1_000)},
            policy=EffectivePolicy(mode="whitelist", listed=(listed,)),
            health=Health(at=now, store="sqlite", store_answers=True, model="offline", browser=""),
        ),
    )
    tab = {"type": "home", "blocks": home_blocks(home)}
    yield Shape(name="home tab of an admin", kind="view", payload=tab)
    yield Shape(name="modal for a link", kind="view", payload=reading_modal("D0123ABCD"))
    yield Shape(name="modal for a reason", kind="view", payload=reason_modal("doctor"))
