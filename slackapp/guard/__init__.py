"""Who is answered, and who not: claim, existence, whitelist, rate, budget (S1)."""

from slackapp.guard.guard import Guard, Refusal

__all__ = ["Guard", "Refusal"]
