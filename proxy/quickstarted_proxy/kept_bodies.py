"""The body of an answer that is read from a file: what the layers and the package cache share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mitmproxy.proxy import commands

KEPT_BODY = "quickstarted_kept_body"
"""In a flow's metadata: what the body of its answer is read from."""


@dataclass
class KeptBody:
    """The body of an answer that is read from a file."""

    flow: Any
    body: Any
    """As it was found in the flow's metadata."""
    client_tls: Any
    sent: bool = False
    """To be set by the hook: all of it."""


@dataclass
class KeptBodyHook(commands.StartHook):  # type: ignore[misc]  # mitmproxy is not followed
    """The head of an answer is sent, and its body is to follow from a file."""

    data: KeptBody
