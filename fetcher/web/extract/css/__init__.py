"""CSS as far as it says whether text is seen; `text.py` comes first, `sheets.py` puts all together."""
