"""The local Slack's state: teams, people, channels, messages, files. Read `workspace.py` first."""
