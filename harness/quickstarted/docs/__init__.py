"""The documentation client: the agent's only way to read remote pages."""

from quickstarted.docs.client import DocsClient
from quickstarted.docs.model import (
    Blocked,
    DocsRules,
    Failed,
    HostHeaders,
    Page,
    Reading,
    Redirected,
    Site,
    Withheld,
)

__all__ = [
    "Blocked",
    "DocsClient",
    "DocsRules",
    "Failed",
    "HostHeaders",
    "Page",
    "Reading",
    "Redirected",
    "Site",
    "Withheld",
]
