"""Golden files: what a person reads, compared with what was looked at and found right."""

from __future__ import annotations

import os
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"
TRACES = GOLDEN / "traces"


def golden(name: str, text: str) -> str:
    """
    The golden file *name*; with QS_UPDATE_GOLDEN set, *text* becomes it first.

    Look at the difference before committing it.
    """
    path = GOLDEN / name
    if os.environ.get("QS_UPDATE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")
