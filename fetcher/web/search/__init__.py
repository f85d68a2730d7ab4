"""Finds the passages of a page that answer a question, for the model and for the offline reader alike.

Read `ranking.py` first.
"""
