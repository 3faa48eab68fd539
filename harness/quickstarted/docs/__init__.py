"""The documentation client: the agent's only way to read remote pages."""

from quickstarted.docs.client import DocsClient
from quickstarted.docs.library import DocsLibrary
from quickstarted.docs.model import (
    Blocked,
    Changed,
    DocsRules,
    Failed,
    HostHeaders,
    Page,
    Reading,
    Redirected,
    Site,
    Withheld,
)
from quickstarted.docs.options import DocsOptions
from quickstarted.docs.store import configured_cache

__all__ = [
    "Blocked",
    "Changed",
    "DocsClient",
    "DocsLibrary",
    "DocsOptions",
    "DocsRules",
    "Failed",
    "HostHeaders",
    "Page",
    "Reading",
    "Redirected",
    "Site",
    "Withheld",
    "configured_cache",
]
