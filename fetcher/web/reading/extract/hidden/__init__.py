"""Text of a page that people cannot see, found by its styles. Read `hidden_text.py` first."""
