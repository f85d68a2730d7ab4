"""CSS, as far as it says whether text is seen: tokens, declarations, selectors, sheets. Read `sheets.py` first."""
