"""Documents that are not pages: PDF, workbooks, Word, CSV, feeds, JSON. Read `library_readers.py` first.

CSV, feeds and JSON need no library, so every reader process reads them. PDF and Office need libraries, which
only the readers of documents load.
"""
