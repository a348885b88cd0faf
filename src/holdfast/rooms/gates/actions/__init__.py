"""Named actions: what a tool call does, in one vocabulary for code, YAML, docs and JSON."""
