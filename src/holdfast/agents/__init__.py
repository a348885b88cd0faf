"""The agents we know: a folder each, and a line in `known.py` and `surroundings.py`."""
