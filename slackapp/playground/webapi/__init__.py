"""The local Slack's Web API: arguments, methods, limits and faults. Read `api.py` first."""
