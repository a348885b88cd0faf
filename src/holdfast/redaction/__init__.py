"""Secrets never reach the ledger: the gate that every kept text passes, and what it looks for."""
