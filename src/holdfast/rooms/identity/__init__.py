"""Identity: what a session is about, and whether it still is."""
