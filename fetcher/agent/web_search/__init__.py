"""Searches of the web, by the provider that settings choose. Read `contract.py` first."""
