"""
The trace as it is read: one event at a time, whatever its length, and no line is lost silently.

Traces of the public predecessor are read too: its later names of the documentation events become
the ones that this trace has.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Never

import jiter
from pydantic import ValidationError

from quickstarted.errors import TraceInvalid
from quickstarted.events import EVENT_TYPES, FROM_JSON, TraceEvent, UnknownEvent

MAX_LINE_BYTES = 64 * 1024**2
"""More than any event of ours can be; without a bound one line could take all memory."""

LATER_SPELLINGS = {
    "docs_read": "docs_fetch",
    "docs_read_blocked": "fetch_blocked",
    "docs_read_error": "fetch_error",
}
"""Names in later versions of the public predecessor, and what they are here."""


def read_trace(
    path: Path, *, on_torn: Callable[[TraceInvalid], None] | None = None
) -> Iterator[TraceEvent]:
    """
    Read the events of *path* in the order in which they stand.

    Args:
        path: A trace, finished or not.
        on_torn: Told of a last line that was cut off in the middle, which then ends the trace;
            without it such a line is an error.

    Raises:
        TraceInvalid: A line is no event; the message starts with `FILE:LINE`.

    """
    try:
        stream = path.open("rb")
    except OSError as exc:
        raise TraceInvalid(f"{path}: {exc.strerror or exc}") from exc
    with stream:
        number = 0
        while line := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if not line.strip():
                continue
            try:
                event = parse_event(line, f"{path}:{number}")
            except TraceInvalid:
                if line.endswith(b"\n") or len(line) > MAX_LINE_BYTES or on_torn is None:
                    raise
                on_torn(_torn(f"{path}:{number}", line))
                return
            yield event


def parse_event(line: bytes, where: str) -> TraceEvent:
    """
    Read one line.

    Args:
        line: The JSON of one event, with or without its line end.
        where: `FILE:LINE`, for the message.

    Raises:
        TraceInvalid: It is no event.

    """
    if len(line) > MAX_LINE_BYTES:
        raise TraceInvalid(f"{where}: a line of more than {MAX_LINE_BYTES} bytes")
    is_plain = b"\\ud" not in line and b"\\uD" not in line
    try:
        value = _decoded(line, is_plain=is_plain)
    except UnicodeDecodeError as exc:
        raise TraceInvalid(f"{where}: byte {exc.start + 1} is not UTF-8") from exc
    except ValueError as exc:
        raise TraceInvalid(f"{where}: not JSON: {exc}") from exc
    except RecursionError as exc:
        raise TraceInvalid(f"{where}: not an event: nested too deeply") from exc
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise TraceInvalid(f"{where}: not an event: no object with a `type`")
    return event_of(value, where, is_plain=is_plain)


def _decoded(line: bytes, *, is_plain: bool) -> Any:
    """
    The value of *line*.

    By jiter, which is twice as fast, where it reads the same; what is wrong with a line, or might
    be, is for the standard library's parser.
    """
    spelled = line.translate(_DIGITS)
    if is_plain and b"0e000" not in spelled and _LONG_NUMBER not in spelled:
        with suppress(ValueError):
            return jiter.from_json(line, allow_inf_nan=False, cache_mode="keys")
    return _DECODER.decode(line.decode("utf-8-sig"))


def event_of(value: dict[str, Any], where: str, *, is_plain: bool = False) -> TraceEvent:
    """
    The event that *value* is, which was read already.

    Args:
        value: An object whose `type` is a string.
        where: `FILE:LINE`, for the message.
        is_plain: It has no half of a surrogate pair, for certain.

    Raises:
        TraceInvalid: It is no event.

    """
    context = FROM_JSON if is_plain else None
    known = _with_our_names(value)
    model = EVENT_TYPES.get(known["type"], UnknownEvent)
    try:
        event: TraceEvent = model.model_validate(known, context=context)  # type: ignore[assignment]
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise TraceInvalid(f"{where}: {value['type']}.{field}: {first['msg']}") from exc
    return event


def _with_our_names(value: dict[str, Any]) -> dict[str, Any]:
    name = LATER_SPELLINGS.get(value["type"])
    if name is None:
        return value
    renamed = {**value, "type": name}
    if name == "docs_fetch":
        renamed["resolved_to"] = value.get("resolved_to") or value.get("url")
    return renamed


_DIGITS = bytes.maketrans(b"123456789+E", b"0000000000e")
_LONG_NUMBER = b"0" * 309
"""The largest double has 309 digits, or an exponent of three digits."""


def _refuse_constant(name: str) -> Never:
    raise ValueError(f"{name} is no JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{text[:20]} is too large a number")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite)


def _torn(where: str, line: bytes) -> TraceInvalid:
    return TraceInvalid(
        f"{where}: the last line is torn after {len(line)} bytes",
        hint="The harness was killed or the disk was full; everything before it is whole.",
    )
