"""Checks an installation, and says for each fault what to do. Read `examine.py` first.

Each module has the checks of one kind: a function that takes the `Examination` and yields `Finding`s.
"""
