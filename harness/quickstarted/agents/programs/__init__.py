"""Agents that are programs of their own, at work inside the sandbox."""
