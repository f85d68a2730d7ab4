"""A local Slack on loopback: Web API, signed events, Socket Mode, files; for tests and for trying out."""
