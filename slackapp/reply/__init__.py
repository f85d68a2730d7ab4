"""One reply in Slack: placeholder, progress, answer, files. Read `session.py` first."""
