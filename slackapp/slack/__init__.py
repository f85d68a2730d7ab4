"""All calls to Slack that post, change or upload. Read `poster.py` first."""
