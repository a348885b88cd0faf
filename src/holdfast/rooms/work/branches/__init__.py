"""Where the work stands on a branch: git's own facts, and what commands printed of it."""

TABLES = ("branch_states", "pull_requests", "review_comments", "commits", "branch_parents")
KINDS = ("branch_seen", "work_seen")
