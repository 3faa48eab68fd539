"""
What JSON a file holds: one object, an array, or JSON Lines; read in memory that is bounded.

Which of them it is shows in the first line: it is whole JSON, or the beginning of a text that goes
on over many lines, or broken. Lines end in LF only; U+2028 and its like belong to strings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from typing import Any

from quickstarted.formats.encoding import BOM, HEAD_BYTES, head_problem
from quickstarted.formats.lines import LineTooLong, raw_lines
from quickstarted.formats.strict_json import JsonProblem, parse, quote

RECORD_SEPARATOR = b"\x1e"


# One is made for each line: one that is frozen takes three times as long to make.
@dataclass(slots=True)
class Document:
    """
    One value of a file, or why there is none.

    Attributes:
        line: Where it stands; 0 where the file is one JSON text.
        item: Its number in an array, from 1; 0 outside of one.
        value: None where there is a problem.
        size_bytes: Of its line; 0 where the file is one JSON text.
        index: Among those that have a value, from 0, where somebody counts them.

    """

    line: int = 0
    item: int = 0
    value: Any = None
    problem: JsonProblem | None = None
    size_bytes: int = 0
    index: int = 0

    @property
    def where(self) -> str:
        """`line 3`, `item 2`, or `file`."""
        if self.item:
            return f"item {self.item}"
        return f"line {self.line}" if self.line else "file"


def read_documents(stream: BufferedReader, max_bytes: int) -> Iterator[Document]:
    """
    The values of *stream*, each of at most *max_bytes*; nothing where there is only white space.

    A byte order mark is left out, and told as a problem of code `bom` before all else.
    """
    problem = head_problem(stream.peek(HEAD_BYTES)[:HEAD_BYTES])
    if problem is not None:
        yield Document(problem=JsonProblem(problem.code, problem.message))
        if problem.code != "bom":
            return
        stream.read(len(BOM))
    if stream.peek(1)[:1] == RECORD_SEPARATOR:
        yield Document(
            problem=JsonProblem(
                "json-seq", "has records separated by 0x1e; one object a line is read"
            )
        )
        return
    try:
        yield from _documents(stream, max_bytes)
    except LineTooLong:
        message = f"has more than {max_bytes:,} bytes in one JSON text; the rest was not read"
        yield Document(problem=JsonProblem("too-large", message))


def _documents(stream: BufferedReader, max_bytes: int) -> Iterator[Document]:
    lines = raw_lines(stream, max_bytes)
    number, raw = _filled(lines, 0)
    if raw is None:
        return
    if _goes_on(raw):
        rest = stream.read(max_bytes + 1 - len(raw))
        if len(raw) + len(rest) > max_bytes:
            raise LineTooLong
        yield from _one_text(raw + rest)
        return
    next_number, next_raw = _filled(lines, number)
    if next_raw is None:
        yield from _one_text(raw)
        return
    yield _line(number, raw)
    yield _line(next_number, next_raw)
    for line_number, line in enumerate(lines, next_number + 1):
        if not line.isspace():
            yield _line(line_number, line)


def _filled(lines: Iterator[bytes], number: int) -> tuple[int, bytes | None]:
    """The next of *lines* that is not blank and its number, where *number* have been read."""
    for raw in lines:
        number += 1
        if not raw.isspace():
            return number, raw
    return number, None


def _goes_on(raw: bytes) -> bool:
    """Whether *raw* is the beginning of a text."""
    try:
        parse(raw)
    except JsonProblem as problem:
        return problem.code == "cut"
    return False


def _one_text(raw: bytes) -> Iterator[Document]:
    try:
        value = parse(raw)
    except JsonProblem as problem:
        yield Document(problem=_told(raw, problem))
        return
    if not isinstance(value, list):
        yield Document(value=value)
        return
    for item, one in enumerate(value, 1):
        yield Document(item=item, value=one)


def _told(raw: bytes, problem: JsonProblem) -> JsonProblem:
    """*problem* of a file that is one text, in words that fit."""
    if problem.code == "cut":
        return JsonProblem("partial-last-line", "ends in the middle of a value: it was cut off")
    end = _end_of_first(raw) if problem.code == "not-json" else 0
    if end:
        return JsonProblem(
            "several-documents",
            f"goes on after the first JSON text, which ends on line {end}: put each on one line, or"
            " all in one array",
        )
    return problem


def _end_of_first(raw: bytes) -> int:
    """The line on which a whole object or list ends that more text follows; 0 without one."""
    text = raw.decode("utf-8").lstrip()
    if not text.startswith(("{", "[")):
        return 0
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return 0
    return text.count("\n", 0, end) + 1


def _line(number: int, raw: bytes) -> Document:
    try:
        return Document(line=number, value=parse(raw), size_bytes=len(raw))
    except JsonProblem as problem:
        return Document(line=number, problem=_told_of_line(raw, problem))


def _told_of_line(raw: bytes, problem: JsonProblem) -> JsonProblem:
    if problem.code != "cut":
        return problem
    if raw.endswith(b"\n"):
        return JsonProblem("not-json", problem.message)
    return JsonProblem("partial-last-line", "ends in the middle of a value: the file was cut off")


def not_object(document: Document) -> JsonProblem:
    """That *document*, which has a value, is no object."""
    return JsonProblem("not-object", f"is {quote(document.value)}, and must be an object")
