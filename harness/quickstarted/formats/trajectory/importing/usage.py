"""
Tokens by one set of names, whatever their source calls them; none is counted twice.

`input_tokens` are those that came from no cache and went into none. Sources of which the input has
the cached ones in it (OpenAI, Codex, ATIF, OpenTelemetry) have them taken out; the numbers as they
were given stay beside it.
"""

from __future__ import annotations

from typing import Any

_INPUT = ("input_tokens", "prompt_tokens", "inputTokens", "promptTokens", "input", "prompt")
_OUTPUT = ("output_tokens", "completion_tokens", "outputTokens", "output", "completion")
_TOTAL = ("total_tokens", "totalTokens", "total")
_READ_BESIDE = ("cache_read_input_tokens", "cacheReadInputTokens", "cache_read_tokens")
"""Their owners count them beside the input."""
_READ_WITHIN = ("cached_input_tokens", "cached_tokens", "cache_read.input_tokens", "cached")
"""Their owners count them in the input too."""
_WRITE_BESIDE = ("cache_creation_input_tokens", "cacheCreationInputTokens", "cache_write_tokens")
_WRITE_WITHIN = (
    "cache_write_input_tokens",
    "cache_creation.input_tokens",
    "cache_write.input_tokens",
)
_REASONING = ("reasoning_output_tokens", "reasoning_tokens", "reasoning.output_tokens", "thoughts")
_DETAILS = (
    "prompt_tokens_details",
    "input_tokens_details",
    "completion_tokens_details",
    "output_tokens_details",
    "input_token_details",
    "output_token_details",
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
    flat = _flat(usage)
    read, write = _first(flat, _READ_BESIDE), _first(flat, _WRITE_BESIDE)
    within = 0
    if read is None:
        read = _first(flat, _READ_WITHIN)
        within += read or 0
    if write is None:
        write = _first(flat, _WRITE_WITHIN)
        within += write or 0
    given = _first(flat, _INPUT)
    made = {
        "input_tokens": None if given is None else max(given - within, 0),
        "output_tokens": _first(flat, _OUTPUT),
        "total_tokens": _first(flat, _TOTAL),
        "cache_read_input_tokens": read,
        "cache_write_input_tokens": write,
        "reasoning_tokens": _first(flat, _REASONING),
    }
    return {name: count for name, count in made.items() if count is not None}


def _flat(usage: dict[str, Any]) -> dict[str, Any]:
    flat = dict(usage)
    for key in _DETAILS:
        details = usage.get(key)
        for name, count in details.items() if isinstance(details, dict) else ():
            flat.setdefault(_IN_DETAILS.get(str(name), str(name)), count)
    return flat


def _first(flat: dict[str, Any], names: tuple[str, ...]) -> int | None:
    for name in names:
        count = flat.get(name)
        if type(count) is int and 0 <= count < 2**53:
            return count
    return None
