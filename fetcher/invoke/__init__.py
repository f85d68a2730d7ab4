"""The invocation Lambda: one request in, one agent asked, one JSON object out."""
