"""How the local Slack sends events to apps: over HTTP and over Socket Mode. Read `publisher.py` first."""
