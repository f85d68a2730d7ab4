"""Japanese words of grammar, which say nothing about what a text is about, and marks of amounts and dates."""

PARTICLES = "がでとにのはへもやを"

GRAMMAR = (
    "について|に関(?:して|する)",  # about
    "て?(?:ください|下さい)|お願い",  # please
    "(?:教え|おしえ)て?|知りたい",  # tell me, I want to know
    "でしょう|です|ます|ません|ました",  # polite endings
    "とは|という|ど(?:の|う|んな)|な[にん]|何",  # what
    "[こそあ](?:の|れ|こ)|など|こと|もの",  # this, that, and so on
    "する|し(?:たい|て)|あ[るり]|いる",  # do, be
    "方法|場合",  # way, case
)
"""Words of a question that are not searched for, as alternatives of a pattern."""

YEN = "円"
DATE_MARKS = ("年", "月", "日")
"""What stands behind an amount, and behind the parts of a date."""
ERAS = {"令和": 2019, "平成": 1989, "昭和": 1926, "大正": 1912, "明治": 1868}
"""The first year of each era of the calendar."""
FIRST_YEAR = "元"
POWERS = {"千万": 10_000_000, "百万": 1_000_000, "兆": 10**12, "億": 10**8, "万": 10_000, "千": 1000}
"""What a number in front of them is multiplied by; longer words come first."""
AFTER_NOON = "午後|夜"
DURATIONS = {"秒": 1.0, "分": 60.0, "時間": 3600.0, "日間": 86_400.0, "週間": 604_800.0}
"""Units of time, in seconds."""
