"""Where the work stands on a branch: git's own facts, and what commands printed of it."""
