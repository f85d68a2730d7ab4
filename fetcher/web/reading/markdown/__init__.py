"""Articles and plain text as Markdown (SRD FR-WF-13a to 13d). Read `writer.py` first."""
