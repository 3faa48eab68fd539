"""Attempts on disk: found again, compared, locked, joined."""
