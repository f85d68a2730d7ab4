"""The conversation before a question, and the agent's request. Read `history.py` first."""
