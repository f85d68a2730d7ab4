"""Receives Slack's events and turns their payloads into `Incoming`. Read `registration.py` first."""
