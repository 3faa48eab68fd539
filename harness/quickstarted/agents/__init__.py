"""Who acts: one file per agent; `agent_named` finds one by the name the command line gives."""

from __future__ import annotations

import importlib

from quickstarted.agents.protocol import Agent
from quickstarted.errors import NotYetSupported, UsageError

AGENTS = {
    "replay": "quickstarted.agents.replay:ReplayAgent",
    "claude": "quickstarted.agents.claude:claude",
}
"""Kind to what makes it; imported when it is asked for, so that no SDK is loaded for nothing."""

WITH_MODEL = frozenset({"claude"})
"""Kinds that take a model: `KIND:MODEL`."""

ANNOUNCED = ("openai", "gemini", "claude-code", "codex", "exec")
"""Agents that the documentation of a later version describes."""


__all__ = ["Agent", "agent_named"]


def agent_named(name: str, default_model: str | None = None) -> Agent:
    """
    Make the agent that *name* (`KIND` or `KIND:MODEL`) stands for.

    Args:
        name: As on the command line.
        default_model: For an agent that takes a model and names none (`--model`).

    Raises:
        UsageError: There is none of that name, or it takes no model.
        NotYetSupported: It is announced, and not in this version.

    """
    kind, separator, model = name.partition(":")
    known = ", ".join(AGENTS)
    if kind in ANNOUNCED:
        raise NotYetSupported(
            f"--agent {name}: this version does not have the agent {kind!r} yet",
            hint=f"It has: {known}.",
        )
    if kind not in AGENTS:
        raise UsageError(f"--agent {name}: there is no agent {kind!r}", hint=f"There is: {known}.")
    if separator and kind not in WITH_MODEL:
        raise UsageError(f"--agent {name}: the agent {kind!r} has no model to choose")
    if separator and not model.strip():
        raise UsageError(f"--agent {name}: there is no model after the colon")
    module, _, maker = AGENTS[kind].partition(":")
    make = getattr(importlib.import_module(module), maker)
    agent: Agent = make(model or default_model) if kind in WITH_MODEL else make()
    return agent
