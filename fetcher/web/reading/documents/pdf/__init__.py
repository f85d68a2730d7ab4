"""PDF: characters become runs, runs lines, lines paragraphs in reading order. Read `reader.py` first."""
