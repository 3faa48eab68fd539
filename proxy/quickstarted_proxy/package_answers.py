"""
The answer to a request for a file that is kept: whole, a part of it, or that it has not changed.

Standard library only. RFC 9110, sections 13 and 14: what is asked for in a way that is not
understood here is answered with the whole file, which is always right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
"""Longer positions are in no file; such a range is not understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is sent: a head, and so many bytes of the file from an offset on."""

    status: int
    headers: dict[str, str]
    offset: int = 0
    body_bytes: int = 0


def answer_to(method: str, asked: Mapping[str, str], kept: Mapping[str, str], size: int) -> Answer:
    """
    Answer a request.

    Args:
        method: GET or HEAD.
        asked: The request's headers by lower-case name.
        kept: The file's own headers by lower-case name.
        size: Of the whole file.

    """
    if _fails(asked, kept):
        return Answer(status=412, headers={"content-length": "0"})
    if _unchanged(asked, kept):
        return Answer(status=304, headers=dict(kept))
    whole = {**kept, "accept-ranges": "bytes"}
    part = _part(asked, kept, size) if method == "GET" else None
    if part is None:
        body = size if method == "GET" else 0
        return Answer(status=200, headers={**whole, "content-length": str(size)}, body_bytes=body)
    first, last = part
    if first > last:
        headers = {"content-range": f"bytes */{size}", "content-length": "0"}
        return Answer(status=416, headers=headers)
    count = last - first + 1
    shown = {"content-range": f"bytes {first}-{last}/{size}", "content-length": str(count)}
    return Answer(status=206, headers={**whole, **shown}, offset=first, body_bytes=count)


def _fails(asked: Mapping[str, str], kept: Mapping[str, str]) -> bool:
    """Whether what the request requires (If-Match, If-Unmodified-Since) is not so."""
    if "if-match" in asked:
        tags = _tags(asked["if-match"])
        own = kept.get("etag", "")
        return "*" not in tags and (own.startswith("W/") or own not in tags)
    modified, since = _date(kept.get("last-modified")), _date(asked.get("if-unmodified-since"))
    return modified is not None and since is not None and modified > since


def _unchanged(asked: Mapping[str, str], kept: Mapping[str, str]) -> bool:
    if "if-none-match" in asked:
        tags = {tag.removeprefix("W/") for tag in _tags(asked["if-none-match"])}
        return "*" in tags or ("etag" in kept and kept["etag"].removeprefix("W/") in tags)
    modified, since = _date(kept.get("last-modified")), _date(asked.get("if-modified-since"))
    return modified is not None and since is not None and modified <= since


def _part(asked: Mapping[str, str], kept: Mapping[str, str], size: int) -> tuple[int, int] | None:
    """First and last byte that are asked for, the first beyond the last where there are none."""
    found = _RANGE.fullmatch(asked.get("range", "").replace(" ", ""))
    if found is None or not any(found.groups()) or not _still_meant(asked.get("if-range"), kept):
        return None
    first, last = found.groups()
    if not first:
        return (max(0, size - int(last)), size - 1) if int(last) else (1, 0)
    if last and int(last) < int(first):
        return None
    return (int(first), min(int(last or size - 1), size - 1)) if int(first) < size else (1, 0)


def _still_meant(validator: str | None, kept: Mapping[str, str]) -> bool:
    """Whether a part may be sent: `If-Range` compares strongly (RFC 9110, section 13.1.5)."""
    if validator is None:
        return True
    if validator.startswith('"'):
        return validator == kept.get("etag")
    return validator == kept.get("last-modified")


def _tags(value: str) -> set[str]:
    return {tag.strip() for tag in value.split(",")}


def _date(value: str | None) -> datetime | None:
    """A date, or None for what is none: such a condition is ignored (RFC 9110, section 13.1.4)."""
    if value is None:
        return None
    try:
        read = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
