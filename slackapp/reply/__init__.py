"""The life of one reply in Slack: placeholder, progress, parts, files. Read `session.py` first."""
