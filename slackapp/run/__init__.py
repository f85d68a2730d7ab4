"""Builds the app, and connects it by Socket Mode, HTTP or Lambda. Read `wiring.py` first."""
