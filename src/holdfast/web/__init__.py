"""The dashboard: pages for a person, on this machine alone, from the same rooms as commands."""
