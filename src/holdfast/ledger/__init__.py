"""The ledger: what was learnt, appended once and never edited."""
