"""Words and signs that documents use: data only, for tables, paragraphs and page numbers."""

import re

CELL_FIGURE = re.compile(
    r"[-+(△▲]?+\s*+[\\$¥￥€£]?+\s*+[0-9０-９][0-9０-９,.，．:/\-eE]*+\s*+\)?+\s*+"
    r"(?:[%％円年月日時分秒個件人名台]|[A-Za-z]{1,3})?"
)
"""A cell that is a figure, with its unit."""

LIST_ITEM = re.compile(
    r"[・●○■□◆◇▪•※→\-–*]\s?|[（(]?(?:[0-9]{1,3}|[０-９]{1,3}|[ア-ンa-zA-Zivx①-⑳])[)）.．、]\s?"
    r"|[①-⑳]|第[0-9０-９一二三四五六七八九十]+[章節条項]"
)
"""The beginning of a line that begins a paragraph."""

PAGE_NUMBER = re.compile(
    r"(?i)[-‐–—―\s(（]*+(?>page|p\.?+|ページ)?+\s*+[0-9０-９]{1,4}+\s*+(?>(?:/|of|／)\s*+[0-9０-９]{1,4}+)?+\s*+"
    r"(?>ページ|頁)?+[-‐–—―\s)）]*+"
)

MADE_UP_TITLE = re.compile(r"(?i)(?:microsoft \w+ - |untitled|無題|.*\.(?:docx?|xlsx?|pptx?|indd|tex|dvi)$)")
"""A title that a program wrote, not a person."""
