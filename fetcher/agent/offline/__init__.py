"""An answer without a model: passages of the pages that bear on the question. Read `reader.py` first."""
