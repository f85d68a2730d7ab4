"""Makes the response from a page: counts tokens, splits chunks, fits the JSON. Read `fit.py` first."""
