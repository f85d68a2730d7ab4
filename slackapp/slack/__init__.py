"""The only place that sends anything to Slack. Read `poster.py` first."""
