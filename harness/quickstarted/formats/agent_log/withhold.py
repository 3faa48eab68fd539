"""
A log without its prompts and texts, and otherwise the same bytes.

`model_request` data becomes `{"withheld":true}`; a `model_response` keeps `id`, `model`, `usage`
and `actions` and loses all else. Lines are never written anew from what was parsed: spelling of
numbers and strings, order of keys, spaces and line ends are what the scaffold wrote. Where a line
cannot be taken apart for certain nothing is written at all, since a prompt could be in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from io import BufferedReader
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import IO, Any

from quickstarted.errors import UsageError
from quickstarted.formats.agent_log import model as kinds
from quickstarted.formats.agent_log.echoes import Echoes
from quickstarted.formats.agent_log.rules import MAX_LINE_BYTES
from quickstarted.formats.encoding import HEAD_BYTES, head_problem
from quickstarted.formats.lines import LineTooLong, raw_lines
from quickstarted.formats.strict_json import JsonProblem, parse, quote, quote_all

_WITHHELD_TEXT = '{"withheld":true}'
_SPACE = " \t\r\n"
_value_end = json.JSONDecoder().raw_decode
_ALWAYS_PUBLIC = frozenset({kinds.ACTION, kinds.OBSERVATION, kinds.ERROR, kinds.RUN_END})

Note = Callable[[int, str], None]
"""Takes the number of a line and what is to be known of it before it is published."""


class CannotWithhold(UsageError):
    """A line of the log cannot be taken apart; the message starts with its number."""

    exit_code = 1


def withhold(source: BufferedReader, target: IO[bytes], note: Note) -> int:
    """
    Write the log *source* to *target* without prompts and texts; how many lines have changed.

    Doing it again changes nothing. *note* is told what stays public and
    looks as if it should not.

    Raises:
        CannotWithhold: A line is no event; what was written so far is of no use.

    """
    problem = head_problem(source.peek(HEAD_BYTES)[:HEAD_BYTES])
    if problem is not None:
        raise CannotWithhold(f"line 1: the file {problem.message}")
    echoes, changed = Echoes(), 0
    try:
        for number, raw in enumerate(raw_lines(source, MAX_LINE_BYTES), 1):
            event = _event(number, raw)
            kept = _without_texts(raw, event)
            target.write(kept)
            changed += kept is not raw
            _look(number, kept, event, echoes, note)
    except LineTooLong:
        raise CannotWithhold(f"a line has more than {MAX_LINE_BYTES:,} bytes") from None
    return changed


def _event(number: int, raw: bytes) -> dict[str, Any]:
    try:
        event = parse(raw)
    except JsonProblem as problem:
        raise CannotWithhold(f"line {number}: {problem.message}") from None
    if not isinstance(event, dict) or not isinstance(event.get("data"), dict):
        raise CannotWithhold(f"line {number}: is no event with data, an object")
    if event.get("type") not in kinds.TYPES:
        raise CannotWithhold(
            f"line {number}: type is {quote(event.get('type'))}; nobody knows what is private in it"
        )
    return event


def _without_texts(raw: bytes, event: dict[str, Any]) -> bytes:
    """*raw* itself where nothing is to go."""
    kind, data = event["type"], event["data"]
    if kind == kinds.MODEL_REQUEST and (len(data) != 1 or data.get("withheld") is not True):
        return _with_data(raw, lambda _: _WITHHELD_TEXT)
    if kind == kinds.MODEL_RESPONSE and data.keys() - kinds.PUBLIC_RESPONSE:
        return _with_data(raw, _public_members)
    return raw


def _with_data(raw: bytes, replace: Callable[[str], str]) -> bytes:
    """*raw* with the value of its `data` replaced; all other bytes as they are."""
    text = raw.decode("utf-8")
    for key, start, end in _members(text):
        if key == "data":
            return f"{text[:start]}{replace(text[start:end])}{text[end:]}".encode()
    raise AssertionError("the event has data")


def _public_members(text: str) -> str:
    """The object *text* with those members that stay, each as it is spelled."""
    pieces, begin = [], text.index("{") + 1
    for key, _, end in _members(text):
        stop = _skip(text, end)
        if key in kinds.PUBLIC_RESPONSE:
            pieces.append(text[begin:stop])
        begin = stop + 1
    return "{" + ",".join(pieces) + "}"


def _members(text: str) -> Iterator[tuple[str, int, int]]:
    """Key, start and end of value of each member of the object *text*, which is valid JSON."""
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        key, at = scanstring(text, at + 1, True)  # noqa: FBT003 (it takes no names)
        start = _skip(text, _skip(text, at) + 1)
        _, end = _value_end(text, start)
        yield key, start, end
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _look(number: int, kept: bytes, event: dict[str, Any], echoes: Echoes, note: Note) -> None:
    """Note what of *event* is in *kept*, the public bytes, and looks as if it should not."""
    if not event.keys() <= kinds.FIELDS:
        extra = quote_all(key for key in event if key not in kinds.FIELDS)
        note(number, f"has {extra} beside data, which stays as it is")
    kind, data = event["type"], event["data"]
    if kind == kinds.MODEL_REQUEST:
        echoes.private(number, data)
    elif kind == kinds.MODEL_RESPONSE:
        if source := echoes.repeated(kept):
            note(number, f"repeats text of line {source}, and stays public")
        echoes.private(number, {k: v for k, v in data.items() if k not in kinds.PUBLIC_RESPONSE})
    elif kind in _ALWAYS_PUBLIC and (source := echoes.public(kept)):
        note(number, f"repeats text of line {source}, and stays public")
