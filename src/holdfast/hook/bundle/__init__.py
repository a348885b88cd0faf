"""The hook's modules in one file: built, stripped and loaded."""
