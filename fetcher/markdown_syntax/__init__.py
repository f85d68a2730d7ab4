"""Markdown's syntax, read in one place for both packages: lines and blocks, code spans, entities, escapes."""
