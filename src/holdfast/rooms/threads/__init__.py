"""Threads of work: what a user sees as one task, over sessions, branches and days."""
