"""Blocks read back as text."""

from typing import Any

import pytest

from slackapp.reply.blocks.markdown_nodes import parse
from slackapp.reply.blocks.slack_blocks import block, note
from slackapp.thread.block_text import text_of
from slackapp.thread.message_links import own_links

MARKDOWN = """\
## 見出し

本文に[料金](https://a.example/)と https://b.example/ があります。

- 一
  - 二

番号つき

1. 番号
2. 途切れた番号
   の続き
5. 番号

> 引用
> 続き

> > 引用の引用

> - 点

> ```
> code
> ```

```
code
```

| a | b |
|---|---|
| 1<br>2 | 3 |"""


def test_our_blocks_say_what_the_markdown_said():
    """What we answered once is what the model reads later."""
    assert text_of([block(node) for node in parse(MARKDOWN)]) == MARKDOWN


def test_notes_and_buttons_are_no_part_of_an_answer():
    assert text_of([note("（続き 2/2）"), {"type": "context_actions"}, {"type": "divider"}]) == ""


def test_a_citation_is_its_number():
    """The source list has the link."""
    blocks = [block(node) for node in parse("本文 [1]", {1: "https://a.example/"})]
    assert text_of(blocks) == "本文 [1]"


def test_other_apps_blocks_are_read_too():
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "mrkdwn", "text": "節"}},
        {"type": "markdown", "text": "**印**"},
        {"type": "unknown"},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "a|b"}]]},
    ]
    assert text_of(blocks) == "節\n\n**印**\n\n| a\\|b |\n|---|"


@pytest.mark.parametrize(
    "block",
    [
        "text",
        None,
        {"type": "rich_text", "elements": ["text"]},
        {"type": "rich_text", "elements": [{"type": "rich_text_list", "indent": "deep"}]},
        {"type": "header", "text": "text"},
        {"type": "table", "rows": [[{"type": "raw_text"}]]},
        {"type": "table", "rows": 5},
    ],
    ids=str,
)
def test_a_block_that_nobody_has_seen_yet_costs_only_itself(block):
    """A thread with unknown blocks can still be read."""
    assert text_of([block, {"type": "markdown", "text": "本文"}]) == "本文"
    own_links({"blocks": [block], "attachments": [block]})
