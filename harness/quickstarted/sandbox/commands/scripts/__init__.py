"""Shell programs that run inside a sandbox, as package files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def script(name: str) -> str:
    """Return the text of one program, e.g. `run.sh`."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
