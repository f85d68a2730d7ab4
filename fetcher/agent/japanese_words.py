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
