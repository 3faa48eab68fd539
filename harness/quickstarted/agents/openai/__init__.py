"""
Models of OpenAI through the Responses API; the only door to the package `openai`.

`vendor` opens conversations, `conversation` keeps one, `stream` puts a reply together from the
events of `wire`, `faults` says what a failure means. The package is imported when a conversation is
prepared, and not before.
"""

from __future__ import annotations

import os

from quickstarted.agents.keys import KEY_VARIABLES
from quickstarted.agents.kinds import AgentKind
from quickstarted.agents.model import ModelAgent
from quickstarted.agents.openai.vendor import ADDRESS, OPENAI, OpenAIVendor


def openai(model: str | None) -> ModelAgent:
    """The agent `openai` with *model*; there is no model that would be right in a year."""
    assert model is not None
    vendor = OpenAIVendor(model=model, environ=os.environ)
    return ModelAgent(name=f"openai:{model}", vendor=vendor)


KIND = AgentKind(
    make=openai,
    argument="MODEL",
    needs_argument=True,
    packages=(OPENAI,),
    vendor="openai",
    key_variables=KEY_VARIABLES["openai"],
    address=ADDRESS,
)
