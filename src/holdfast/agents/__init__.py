"""The agents we know: a folder each, or a module where only its finished sessions are read."""
