"""Backslash escapes in Markdown, as CommonMark has them: before each ASCII sign, and before nothing else."""

ESCAPED = r"[!-/:-@\[-`{-~]"
"""The pattern of a sign that a backslash can escape."""
ESCAPE = rf"\\{ESCAPED}"
"""The pattern of a sign with its backslash."""
