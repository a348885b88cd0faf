"""Settling in: what `holdfast init` writes into a project, and how it is taken out again."""
