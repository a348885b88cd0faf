"""The agents we know: one file each, which reads its dialect and writes its dialect.

Which agent speaks is told by what it says, not by the command line: other agents read Claude
Code's settings file too.
"""
