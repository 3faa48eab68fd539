"""Codes of errors that the Responses API gives, by what follows from them."""

from __future__ import annotations

TOO_LONG = frozenset({"context_length_exceeded", "string_above_max_length"})
NO_MEANS = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""They come with 429, as throttling does, and do not pass."""
