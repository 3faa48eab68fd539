"""
Tokens by one set of names, whatever their source calls them; none is counted twice.

`input_tokens` are those that came from no cache and went into none. Sources of which the input has
the cached ones in it (OpenAI, Codex, ATIF, OpenTelemetry) have them taken out; the numbers as they
were given stay beside it.
"""

from __future__ import annotations

from typing import Any

_NAMES = {
    "input": ("input_tokens", "prompt_tokens", "inputTokens", "promptTokens", "input", "prompt"),
    "output": ("output_tokens", "completion_tokens", "outputTokens", "output", "completion"),
    "total": ("total_tokens", "totalTokens", "total"),
    # Their owners count them beside the input...
    "read_beside": ("cache_read_input_tokens", "cacheReadInputTokens", "cache_read_tokens"),
    "write_beside": (
        "cache_creation_input_tokens",
        "cacheCreationInputTokens",
        "cache_write_tokens",
    ),
    # ... and these in the input too.
    "read_within": ("cached_input_tokens", "cached_tokens", "cache_read.input_tokens", "cached"),
    "write_within": (
        "cache_write_input_tokens",
        "cache_creation.input_tokens",
        "cache_write.input_tokens",
    ),
    "reasoning": (
        "reasoning_output_tokens",
        "reasoning_tokens",
        "reasoning.output_tokens",
        "thoughts",
    ),
}
"""Where a source has several names for one count, the first of them is taken."""
_COUNTED = {
    name: (count, rank) for count, names in _NAMES.items() for rank, name in enumerate(names)
}
_LAST = len(_COUNTED)
_UNKNOWN = ("", _LAST)
_DETAILS = frozenset(
    {
        "prompt_tokens_details",
        "input_tokens_details",
        "completion_tokens_details",
        "output_tokens_details",
        "input_token_details",
        "output_token_details",
    }
)
_IN_DETAILS: dict[str, str] = {
    "cache_read": "cached_tokens",
    "cache_creation": "cache_write_input_tokens",
}
_IN_DETAILS["reasoning"] = "reasoning_tokens"


def usage_metadata(usage: Any) -> dict[str, Any]:
    """What of *usage* goes to an event's metadata: `usage`, and `usage_as_given` if it differs."""
    if not isinstance(usage, dict) or not usage:
        return {} if usage is None else {"usage_as_given": usage}
    made = _normal(usage)
    if made == usage:
        return {"usage": made}
    return {"usage": made, "usage_as_given": usage}


def _normal(usage: dict[str, Any]) -> dict[str, int]:
    counts = _counts(_flat(usage))
    within = 0
    read, write = counts.get("read_beside"), counts.get("write_beside")
    if read is None:
        read = counts.get("read_within")
        within += read or 0
    if write is None:
        write = counts.get("write_within")
        within += write or 0
    given = counts.get("input")
    made = {
        "input_tokens": None if given is None else max(given - within, 0),
        "output_tokens": counts.get("output"),
        "total_tokens": counts.get("total"),
        "cache_read_input_tokens": read,
        "cache_write_input_tokens": write,
        "reasoning_tokens": counts.get("reasoning"),
    }
    return {name: count for name, count in made.items() if count is not None}


def _flat(usage: dict[str, Any]) -> dict[str, Any]:
    flat = dict(usage)
    for key, details in usage.items():
        if key not in _DETAILS or not isinstance(details, dict):
            continue
        for name, count in details.items():
            flat.setdefault(_IN_DETAILS.get(str(name), str(name)), count)
    return flat


def _counts(flat: dict[str, Any]) -> dict[str, int]:
    """Of each kind of count the one whose name comes first."""
    counts: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for name, value in flat.items():
        kind, rank = _COUNTED.get(name, _UNKNOWN)
        if kind and type(value) is int and 0 <= value < 2**53 and rank < ranks.get(kind, _LAST):
            counts[kind], ranks[kind] = value, rank
    return counts
