"""The agent as a server: A2A 1.0 and 0.3, and the document's `execute_task`, on one address."""
