"""The project's tracker: its tools, its file, or our own list."""
