"""From bytes to a document: decoding, HTML, main content, Markdown, tables. Read `readers.py` first."""
