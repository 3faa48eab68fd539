"""The keep-alive process of a sandbox, which also does the root steps that need no exec."""

from __future__ import annotations

KEEP_ALIVE = [
    "sh",
    "-c",
    'while IFS= read -r l && [ "$l" != "#end" ]; do s="$s$l\n"; done; eval "$s"',
]
"""Reads its real program from standard input, so that it is not called what agents kill."""
