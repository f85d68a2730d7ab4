"""A local Slack on loopback, for tests and for trying the app. Read `server.py` first, then `playground.py`."""
