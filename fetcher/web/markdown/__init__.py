"""Articles and plain text as Markdown (SRD FR-WF-13a to 13d)."""

from fetcher.web.markdown.white_space import normalise
from fetcher.web.markdown.writer import render

__all__ = ["normalise", "render"]
