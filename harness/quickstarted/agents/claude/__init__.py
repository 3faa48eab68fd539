"""
Claude through the Messages API; the only door to the package `anthropic`.

`ways` are the vendor's own API and those of clouds, `vendor` opens conversations, `conversation`
keeps one, `stream` puts a reply together, `faults` says what a failure means. The package is
imported when a conversation is prepared, and not before.
"""

from __future__ import annotations

import os

from quickstarted.agents.claude.address import ADDRESS
from quickstarted.agents.claude.vendor import ClaudeVendor
from quickstarted.agents.claude.ways import ANTHROPIC, PLATFORMS
from quickstarted.agents.keys import KEY_VARIABLES
from quickstarted.agents.kinds import AgentKind
from quickstarted.agents.model import ModelAgent
from quickstarted.errors import UsageError

DEFAULT_MODEL = "claude-sonnet-5-5"
"""Used where the command line names none; what ran is in every record."""


def claude(model: str | None) -> ModelAgent:
    """
    The agent `claude` with *model*.

    Raises:
        UsageError: A cloud is named, and no model of it.

    """
    name = "claude" if model is None else f"claude:{model}"
    platform, slash, rest = (model or "").partition("/")
    if platform in PLATFORMS and not (slash and rest.strip()):
        raise UsageError(
            f"--agent {name}: there is no model that it would take by itself there",
            hint=f"Name one as {platform} does: --agent claude:{platform}/MODEL.",
        )
    vendor = ClaudeVendor(model=model or DEFAULT_MODEL, environ=os.environ)
    return ModelAgent(name=name, vendor=vendor)


KIND = AgentKind(
    make=claude,
    argument="MODEL",
    packages=(ANTHROPIC,),
    vendor="anthropic",
    key_variables=KEY_VARIABLES["anthropic"],
    address=ADDRESS,
)
