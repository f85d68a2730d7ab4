"""Checks an installation, and says for each fault what to do. Read `examine.py` first."""
