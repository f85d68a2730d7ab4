"""What the model may do, on which pages, and what it is told. Read `toolbox.py` first."""
