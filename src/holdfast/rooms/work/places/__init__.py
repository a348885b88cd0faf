"""Where things lie: the files and names that a session's first prompt means."""
