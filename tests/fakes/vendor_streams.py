"""
A reply that is streamed as server-sent events, whole or broken, whichever vendor's it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fakes.scripted_http_steps import Close, Hang, Head, Pause, ScriptFault, Step

PIECES = 32
"""A text is streamed in about so many pieces, 12 characters each at the least."""


@dataclass(frozen=True)
class Dialect:
    """What vendors do differently in a stream: its sign of life, and the name of an error."""

    beat: bytes = b": keep-alive\n\n"
    error_event: str | None = "error"


@dataclass(frozen=True)
class Frame:
    """An event: its name, which of those of the name it is (from 0), and its bytes."""

    name: str
    index: int
    data: bytes


@dataclass(frozen=True)
class Break:
    """
    Something goes wrong: after the event of that name and index, after the headers, or before
    anything is sent (`nothing`).

    - `fin`, `rst`: the connection is closed or reset; `half_event` sends half the next event first
    - `end`: the response ends in good order, the stream in it does not
    - `hang`: nothing more comes; `beats`: nothing but signs of life
    - `error`: the event `error`, then the end
    - `garbage`: a data line that is not JSON, then the rest
    """

    after: str
    how: Literal["fin", "rst", "half_event", "end", "hang", "beats", "error", "garbage"]
    index: int = 0
    error: Mapping[str, Any] | None = None
    """The document of `error`, in the vendor's form."""


def sse(document: Mapping[str, Any], event: str | None = None) -> bytes:
    """One event's bytes."""
    name = "" if event is None else f"event: {event}\n"
    return f"{name}data: {json.dumps(document)}\n\n".encode()


def cut(text: str) -> list[str]:
    """*text* in pieces."""
    size = max(12, -(-len(text) // PIECES))
    return [text[at : at + size] for at in range(0, len(text), size)]


SAME = Dialect()


def streamed(
    frames: Sequence[Frame],
    head: Head,
    broken: Break | None = None,
    pause_s: float = 0.0,
    dialect: Dialect = SAME,
) -> Iterator[Step]:
    """The steps of a stream, broken where it is to be."""
    at = _place(broken, frames)
    if broken is not None and at == -2:
        yield _before_anything(broken)
        return
    yield head
    for place, frame in enumerate([None, *frames], start=-1):
        if frame is not None:
            yield frame.data
            yield Pause(pause_s)
        if broken is not None and place == at:
            following = frames[place + 1].data if frames[place + 1 :] else b""
            yield from _broken(broken, following, dialect)
            if broken.how != "garbage":
                return


def _place(broken: Break | None, frames: Sequence[Frame]) -> int | None:
    """Index of the event after which the stream breaks, -1 for the headers, -2 for before them."""
    if broken is None:
        return None
    if broken.after in {"nothing", "headers"}:
        return -2 if broken.after == "nothing" else -1
    for place, frame in enumerate(frames):
        if (frame.name, frame.index) == (broken.after, broken.index):
            return place
    raise ScriptFault(f"there is no {broken.after} {broken.index} to break the reply after")


def _before_anything(broken: Break) -> Step:
    match broken.how:
        case "fin" | "rst":
            return Close(reset=broken.how == "rst")
        case "hang":
            return Hang()
    raise ScriptFault(f"{broken.how!r} needs something sent before it")


def _broken(broken: Break, following: bytes, dialect: Dialect) -> Iterator[Step]:
    match broken.how:
        case "fin" | "rst":
            yield Close(reset=broken.how == "rst")
        case "half_event":
            yield following[: len(following) // 2]
            yield Close()
        case "hang":
            yield Hang()
        case "beats":
            yield Hang(beat=dialect.beat)
        case "error":
            yield sse(broken.error or {}, dialect.error_event)
        case "garbage":
            yield b"data: {never closed\n\n"
