"""Reads the web for people and agents, safely."""
