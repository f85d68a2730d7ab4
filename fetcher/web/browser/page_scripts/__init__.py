"""Parts of the script that takes a snapshot of a rendered page. Read `hidden_text.py` above them first."""
