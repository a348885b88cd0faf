"""Sessions: their lives, their project, their chain."""
