"""Dreams: what was put in order while nobody waited."""
