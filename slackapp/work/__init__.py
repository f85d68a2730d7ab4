"""One question from its claim to its end. Read `handler.py` first."""
