"""What a model wrote as the arguments of a tool, read as JSON."""

from __future__ import annotations

import json
from typing import Any

from quickstarted.events import plain


def read_arguments(written: str) -> tuple[dict[str, Any], str]:
    """
    The arguments, and what is wrong with them; one of both is empty.

    JSON can spell half a character, a lone surrogate, which no request can hold: it is made plain.
    """
    try:
        value = plain(json.loads(written or "{}"))
    except (ValueError, RecursionError) as exc:
        return {}, f"the input is not JSON, or was cut off: {exc}"
    if not isinstance(value, dict):
        return {}, f"the input must be a JSON object, not {type(value).__name__}"
    return value, ""
