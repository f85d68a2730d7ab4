"""The model: its contract, Claude behind it, its prompts and the loop. Read `loop.py` first."""
