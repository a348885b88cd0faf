"""NOTES.md: the block we render, and the places worth knowing."""
