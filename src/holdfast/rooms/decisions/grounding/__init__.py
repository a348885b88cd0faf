"""Whether the lines that a decision rests on can still be read, and where."""
