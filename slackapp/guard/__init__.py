"""Decides who is answered: existence, whitelist, rate, budget (S1). Read `guard.py` first."""

from slackapp.guard.guard import Guard, Refusal

__all__ = ["Guard", "Refusal"]
