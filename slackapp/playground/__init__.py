"""A local Slack on loopback, for tests and for trying out. Read `server.py` first, then `playground.py`."""
