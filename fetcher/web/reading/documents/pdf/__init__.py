"""PDF: characters with places become runs, runs lines, lines blocks in reading order. Read `reader.py` first."""
