"""
Gemini through the Gemini API; the only door to the package `google.genai`.

`vendor` opens conversations, `conversation` keeps one, `stream` puts a reply together, `faults`
says what a failure means. The package is imported when a conversation is prepared, and not before.
"""

from __future__ import annotations

import os

from quickstarted.agents.gemini.vendor import ADDRESS, GOOGLE_GENAI, GeminiVendor
from quickstarted.agents.keys import KEY_VARIABLES
from quickstarted.agents.kinds import AgentKind
from quickstarted.agents.model import ModelAgent


def gemini(model: str | None) -> ModelAgent:
    """The agent `gemini` with *model*; there is no model that would be right in a year."""
    assert model is not None
    vendor = GeminiVendor(model=model, environ=os.environ)
    return ModelAgent(name=f"gemini:{model}", vendor=vendor)


KIND = AgentKind(
    make=gemini,
    argument="MODEL",
    needs_argument=True,
    packages=(GOOGLE_GENAI,),
    vendor="gemini",
    key_variables=KEY_VARIABLES["gemini"],
    address=ADDRESS,
)
