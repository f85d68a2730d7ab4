"""The protocol of docs/protocol.md as an explicit-state model. Read `states.py` first, then `worker.py`."""
