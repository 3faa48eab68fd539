"""
Strings out of a trace, made fit to be shown: a command's output never drives the terminal.

Everything that a renderer prints passes through `visible` or `lines_of`.
"""

from __future__ import annotations

import unicodedata

import click

HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Control, format (bidi and zero width among them), surrogate, private, unassigned, separators."""

SPELLED = {"\t": "    ", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """
    *text* on one line, with every character that does not show itself spelled out.

    Colour codes are taken out, as they are the commonest and say nothing in a record.
    """
    plain = click.unstyle(text) if "\x1b" in text else text
    if plain.isascii() and plain.isprintable():
        return plain
    return "".join(_shown(char) for char in plain)


def lines_of(text: str) -> list[str]:
    """
    The lines of a command's output, each `visible`; of a line that was overwritten (progress
    bars), what stood there in the end.
    """
    lines = text.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [visible(_final(line)) for line in lines]


def last_line(text: str) -> str:
    """The last line that says something; empty when there is none."""
    return next((line.strip() for line in reversed(lines_of(text)) if line.strip()), "")


def last_paragraph(text: str) -> str:
    """The last lines that belong together, on one; empty when there are none."""
    kept: list[str] = []
    for line in reversed(lines_of(text)):
        if line.strip():
            kept.insert(0, line.strip())
        elif kept:
            break
    return " ".join(kept)


def shorten(text: str, width: int) -> str:
    """At most *width* characters of *text*, `visible`, with its end kept in view."""
    shown = visible(text)
    if len(shown) <= width:
        return shown
    tail = width // 3
    return f"{shown[: width - tail - 3]}...{shown[-tail:]}"


def _final(line: str) -> str:
    parts = [part for part in line.split("\r") if part]
    return parts[-1] if parts else ""


def _shown(char: str) -> str:
    if char in SPELLED:
        return SPELLED[char]
    if unicodedata.category(char) not in HIDDEN_CATEGORIES:
        return char
    code = ord(char)
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
