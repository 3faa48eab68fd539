"""How the reads of one run share a cache and a server's patience; the same for all its attempts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Freshness = Literal["revalidate", "refresh", "offline"]

DEFAULT_MAX_BYTES = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsOptions:
    """What one call of the program says of reading documentation."""

    cache_dir: Path | None = None
    """Where pages are kept between runs; None keeps them for the run only."""
    max_cache_bytes: int = DEFAULT_MAX_BYTES
    freshness: Freshness = "revalidate"
    """
    What a stored page is good for.

    `revalidate` asks the server whether it is still the same, `refresh` fetches it again and says
    whether it was, `offline` asks nobody.
    """
    respect_robots: bool = True
    rate_limit_s: float = 0.0
    """Least time between two requests to one host, over all attempts."""
