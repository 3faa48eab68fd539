"""
Which paths of a host may be requested: patterns, and the one form in which paths are compared.

Standard library only, shared by sidecar and harness. A path that two servers could understand in
two ways (dot segments, empty segments, parameters, backslashes, a second layer of percent-encoding,
bytes that are no UTF-8) has no such form and matches nothing: programs do not send them, people who
look for a way around a rule do.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from urllib.parse import unquote_to_bytes

MAX_PATH_BYTES = 8192
MAX_PATTERN_CHARS = 1000

Segments = tuple[str, ...]
"""Decoded segments of a path, without the empty one after a slash at the end."""

_BROKEN_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_ENCODED_SLASH = re.compile(rb"%2f", re.IGNORECASE)
_DOUBTFUL = frozenset("\\;?#")
"""Where some servers end a path, or a segment of it, also when the character came encoded."""
_SEPARATOR = "\n"
"""Stands before each segment while patterns are compared; no segment can hold it."""


def readings(target: bytes) -> tuple[Segments, ...]:
    """
    Find what a request's target, as it was sent, can mean as a path.

    Returns:
        One reading; two where it holds an encoded slash, which some servers take for a slash
        (npm sends one in the name of a scoped package) and others for a part of the name; none
        where it cannot be read without doubt.

    """
    path = target.partition(b"?")[0]
    if not path.startswith(b"/") or len(path) > MAX_PATH_BYTES or b"#" in path:
        return ()
    if _BROKEN_ESCAPE.search(path):
        return ()
    opaque = _segments(path)
    if opaque is None:
        return ()
    if not _ENCODED_SLASH.search(path):
        return (opaque,)
    split = _segments(_ENCODED_SLASH.sub(b"/", path))
    return () if split is None else (split, opaque)


def permits(patterns: tuple[str, ...], target: bytes) -> bool:
    """Whether every reading of *target* is matched by one of *patterns*, and there is one."""
    found = readings(target)
    return bool(found) and all(
        any(_compiled(pattern).fullmatch(_joined(reading)) for pattern in patterns)
        for reading in found
    )


def checked_pattern(pattern: str) -> str:
    """
    Check a pattern: `*` stands for any part of one segment, a segment `**` for any number of them.

    A slash at the end makes no difference, in patterns as in paths.

    Raises:
        ValueError: It is none; the message says why.

    """
    if not pattern.startswith("/"):
        raise ValueError(f"a path starts with a slash: {pattern!r} does not")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise ValueError(f"a path pattern has at most {MAX_PATTERN_CHARS} characters")
    for mark, why in (("?", "the query is never compared"), ("#", "a request has no fragment")):
        if mark in pattern:
            raise ValueError(f"a path pattern has no {mark!r}: {why}")
    if "%" in pattern:
        raise ValueError("a path pattern is compared with the decoded path: write the character")
    segments = _split(pattern)
    if any("**" in segment and segment != "**" for segment in segments):
        raise ValueError("`**` stands for whole segments: write it between slashes")
    if not all(map(_is_plain, segments)):
        raise ValueError(f"{pattern!r} matches no path: see the documentation of network.paths")
    return pattern


def _segments(path: bytes) -> Segments | None:
    """Decode once; None where a segment is not plain."""
    try:
        text = [unquote_to_bytes(part).decode("utf-8") for part in _split_bytes(path)]
    except UnicodeDecodeError:
        return None
    segments = tuple(text)
    return segments if all(map(_is_plain, segments)) else None


def _split_bytes(path: bytes) -> list[bytes]:
    return path[1:].removesuffix(b"/").split(b"/") if len(path) > 1 else []


def _split(pattern: str) -> list[str]:
    return pattern[1:].removesuffix("/").split("/") if len(pattern) > 1 else []


def _is_plain(segment: str) -> bool:
    """Whether a decoded segment means the same to every server."""
    if any(mark in segment for mark in _DOUBTFUL):
        return False
    if _ESCAPE.search(segment) or any(part in {"", ".", ".."} for part in segment.split("/")):
        return False
    return not any(unicodedata.category(char).startswith("C") for char in segment)


def _joined(segments: Segments) -> str:
    return "".join(_SEPARATOR + segment for segment in segments)


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    r"""
    A regular expression for joined segments.

    What follows a wildcard is found at its first place and never looked for again (`(?>...)`): the
    time stays linear in the length of a hostile path, and nothing is missed, since what comes
    after can only be further on.
    """
    runs: list[list[str]] = [[]]
    for segment in _split(pattern):
        if segment == "**":
            runs.append([])
        else:
            runs[-1].append(_segment_expression(segment))
    if len(runs) == 1:
        return re.compile("".join(runs[0]))
    first, *middle, last = ("".join(run) for run in runs)
    any_segments = r"(?:\n[^\n]*)*"
    found = "".join(rf"(?>{any_segments}?{run}(?=\n|\Z))" for run in middle if run)
    return re.compile(f"{first}(?=\\n|\\Z){found}{any_segments}{last}")


def _segment_expression(segment: str) -> str:
    first, *rest = (re.escape(part) for part in segment.split("*"))
    if not rest:
        return _SEPARATOR + first
    *middle, last = rest
    found = "".join(rf"(?>[^\n]*?{part})" for part in middle)
    return rf"\n(?=[^\n]){first}{found}[^\n]*{last}"
