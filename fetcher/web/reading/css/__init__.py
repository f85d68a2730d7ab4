"""CSS, as far as it decides whether text is seen: tokens, selectors, sheets. Read `sheets.py` first."""
