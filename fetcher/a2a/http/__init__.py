"""HTTP and JSON-RPC of the agent server: who may call, and what. Read `endpoint.py` first."""
