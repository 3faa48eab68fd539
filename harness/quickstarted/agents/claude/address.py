"""Where the Messages API is."""

from __future__ import annotations

from quickstarted.agents.address import ADDRESSES

ADDRESS = ADDRESSES["anthropic"]
