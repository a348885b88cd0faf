"""Decisions, what they rest on, and whether it can still be read there."""
