"""Tables as the HTML Standard forms them, as Markdown and as rows. Read `slots.py` first."""
