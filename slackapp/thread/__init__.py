"""The conversation so far: the thread, its text, the agent's request. Read `history.py` first."""
