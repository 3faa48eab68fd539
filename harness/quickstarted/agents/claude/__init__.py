"""
Claude through the Messages API; the only door to the package `anthropic`.

`vendor` opens conversations, `conversation` keeps one, `stream` puts a reply together, `faults`
says what a failure means. The package is imported when a conversation is prepared, and not before.
"""

from __future__ import annotations

import os

from quickstarted.agents.claude.vendor import ClaudeVendor
from quickstarted.agents.model import ModelAgent

DEFAULT_MODEL = "claude-sonnet-5-5"
"""Used where the command line names none; what ran is in every record."""


def claude(model: str | None) -> ModelAgent:
    """The agent `claude` with *model*."""
    vendor = ClaudeVendor(model=model or DEFAULT_MODEL, environ=os.environ)
    return ModelAgent(name="claude" if model is None else f"claude:{model}", vendor=vendor)
