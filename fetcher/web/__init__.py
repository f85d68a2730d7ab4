"""The engine behind `web_fetch`: from a URL to Markdown that a model can use."""
