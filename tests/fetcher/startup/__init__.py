"""Tests of what every command does first."""
