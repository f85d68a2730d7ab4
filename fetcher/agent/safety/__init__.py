"""Which URLs may be fetched, what the model sees, what an answer may hold. Read `provenance.py` first."""
