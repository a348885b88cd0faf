"""Holdfast: the continuity layer for coding agents."""

__version__ = "0.1.0"
