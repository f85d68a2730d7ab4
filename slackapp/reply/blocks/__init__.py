"""Markdown as Slack's blocks, and Slack's blocks as text.

Answers are shown as `rich_text`, not as `markdown` blocks: its styles need no marks, so emphasis beside
kana never shows raw asterisks, and its texts are never interpreted, so no page can say `<!channel>` or make
a link of its own. Read `markdown_nodes.py` first.
"""
