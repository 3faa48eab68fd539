"""Where the Messages API is."""

from __future__ import annotations

from quickstarted.agents.address import ServiceAddress

ADDRESS = ServiceAddress(variable="ANTHROPIC_BASE_URL", usual="https://api.anthropic.com")
