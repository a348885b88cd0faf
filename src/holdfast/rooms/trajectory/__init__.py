"""The ledger as JSON lines, for people and other tools."""
