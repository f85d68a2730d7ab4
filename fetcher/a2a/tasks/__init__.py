"""Tasks of the agent server: a question is asked, its steps are told. Read `executor.py` first."""
