"""The engine's tools for programs that speak MCP, such as Claude Code. Read `page_tools.py` first."""
