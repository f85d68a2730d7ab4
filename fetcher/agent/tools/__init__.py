"""The tools that the model may use, and the pages that they have opened. Read `toolbox.py` first."""
