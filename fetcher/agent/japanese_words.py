"""Japanese marks of amounts and dates."""

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
