"""SQLite: one file per user, many short-lived writers."""
