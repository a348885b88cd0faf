"""Claude Code: its payloads in our words, our answers in its."""
