"""Who acts: one file per agent; `agent_named` finds one by the name the command line gives."""

from __future__ import annotations

import importlib

from quickstarted.agents.protocol import Agent
from quickstarted.errors import NotYetSupported, UsageError

AGENTS = {"replay": "quickstarted.agents.replay:ReplayAgent"}
"""Name to where it lives; imported when it is asked for, so that no SDK is loaded for nothing."""

ANNOUNCED = ("claude", "openai", "gemini", "claude-code", "codex", "exec")
"""Agents that the documentation of a later version describes."""


def agent_named(name: str) -> Agent:
    """
    Make the agent that *name* (`KIND` or `KIND:MODEL`) stands for.

    Raises:
        UsageError: There is none of that name.
        NotYetSupported: It is announced, and not in this version.

    """
    kind, _, model = name.partition(":")
    known = ", ".join(AGENTS)
    if kind in ANNOUNCED:
        raise NotYetSupported(
            f"--agent {name}: this version does not have the agent {kind!r} yet",
            hint=f"It has: {known}.",
        )
    if kind not in AGENTS:
        raise UsageError(f"--agent {name}: there is no agent {kind!r}", hint=f"There is: {known}.")
    module, _, cls = AGENTS[kind].partition(":")
    agent: Agent = getattr(importlib.import_module(module), cls)(model or None)
    return agent
