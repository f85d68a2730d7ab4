"""What callers get of a page: tokens counted, chunks cut, JSON that fits. Read `fit.py` first."""
