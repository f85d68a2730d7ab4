"""What may be fetched, what the model sees of pages, what an answer may hold. Read `provenance.py` first."""
