"""Identity: its mathematics, its keeping, and what is said of it."""
