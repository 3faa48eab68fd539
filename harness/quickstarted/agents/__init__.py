"""
Who acts; `agent_named` finds an agent by the name that the command line gives.

A new agent is a module with an `AgentKind` in it and a line in `AGENTS`, or, in a package of its
own, an entry point of the group `quickstarted.agents`; nothing else has to know of it.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import EntryPoint, entry_points

from quickstarted.agents.kinds import AgentKind
from quickstarted.agents.protocol import Agent
from quickstarted.errors import NotYetSupported, UsageError

AGENTS = {
    "replay": "quickstarted.agents.replay:KIND",
    "claude": "quickstarted.agents.claude:KIND",
    "openai": "quickstarted.agents.openai:KIND",
    "gemini": "quickstarted.agents.gemini:KIND",
    "claude-code": "quickstarted.agents.programs.claude_code:KIND",
    "codex": "quickstarted.agents.programs.codex:KIND",
    "exec": "quickstarted.agents.programs.exec_command:KIND",
}
"""Name to its `AgentKind`; imported when it is asked for, so that no SDK is loaded for nothing."""

GROUP = "quickstarted.agents"
"""Entry points of other packages, name to `AgentKind`."""

ANNOUNCED: tuple[str, ...] = ()
"""Agents that the documentation of a later version describes."""


__all__ = ["Agent", "AgentKind", "agent_named", "known_agents", "known_kinds", "vendor_of"]


def agent_named(name: str, default_model: str | None = None) -> Agent:
    """
    Make the agent that *name* (`KIND` or `KIND:ARGUMENT`) stands for.

    Args:
        name: As on the command line.
        default_model: For an agent that takes a model and names none (`--model`).

    Raises:
        UsageError: There is none of that name, or what follows the colon cannot be.
        NotYetSupported: It is announced, and not in this version.

    """
    called, separator, given = name.partition(":")
    kind = _kind_of(name, called)
    if separator and not kind.argument:
        raise UsageError(f"--agent {name}: the agent {called!r} has no model to choose")
    if separator and not given.strip():
        raise UsageError(f"--agent {name}: there is no {kind.argument.lower()} after the colon")
    default = default_model if kind.argument == "MODEL" else None
    argument = given if separator else default
    if kind.needs_argument and argument is None:
        raise UsageError(
            f"--agent {name}: there is no {kind.argument.lower()} that it would take by itself",
            hint=f"Name one: --agent {called}:{kind.argument}.",
        )
    return kind.make(argument)


def known_agents() -> tuple[str, ...]:
    """Names of all agents that can be asked for here."""
    return (*AGENTS, *(point.name for point in _others()))


def known_kinds() -> Iterator[tuple[str, AgentKind]]:
    """All agents with what they tell of themselves; another package's that fails is left out."""
    for name in AGENTS:
        yield name, _own(name)
    for point in _others():
        with suppress(UsageError):
            yield point.name, _loaded(point)


def vendor_of(name: str) -> str:
    """Whose service the agent *name* asks; an agent that names no vendor stands for itself."""
    called = name.partition(":")[0]
    try:
        return _kind_of(name, called).vendor or called
    except UsageError:
        # One that cannot be asked for on the command line.
        return called


def _kind_of(name: str, called: str) -> AgentKind:
    if called in AGENTS:
        return _own(called)
    for point in _others():
        if point.name == called:
            return _loaded(point)
    known = ", ".join(known_agents())
    if called in ANNOUNCED:
        raise NotYetSupported(
            f"--agent {name}: this version does not have the agent {called!r} yet",
            hint=f"It has: {known}.",
        )
    raise UsageError(f"--agent {name}: there is no agent {called!r}", hint=f"There is: {known}.")


def _others() -> list[EntryPoint]:
    """Agents of other packages; none takes the name of one of ours."""
    return [point for point in entry_points(group=GROUP) if point.name not in AGENTS]


def _own(name: str) -> AgentKind:
    module, _, attribute = AGENTS[name].partition(":")
    kind: AgentKind = getattr(importlib.import_module(module), attribute)
    return kind


def _loaded(point: EntryPoint) -> AgentKind:
    where = f"--agent {point.name}: {point.value}"
    try:
        kind = point.load()
    except (ImportError, AttributeError) as exc:
        raise UsageError(f"{where} cannot be loaded: {exc}") from exc
    if not isinstance(kind, AgentKind):
        raise UsageError(f"{where} is not an AgentKind")
    return kind
