"""Continuity: what one session did, told to the next."""
