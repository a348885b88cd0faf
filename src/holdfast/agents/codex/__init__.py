"""Codex CLI: what it keeps of its sessions. Its hooks are not installed."""
