"""Text cut to a number of terminal columns, in characters that the terminal's encoding has."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from quickstarted.console.text import visible

GAP = "..."


def fit(text: str, columns: int, encoding: str = "utf-8") -> str:
    """
    At most *columns* cells of *text*, `visible`; where it is cut, its end is kept in view.

    Wide characters take two cells; what *encoding* lacks is spelled out, before it is measured.
    """
    shown = spelled(visible(text), encoding)
    if columns <= 0:
        return ""
    if len(shown) <= columns and (shown.isascii() or cell_len(shown) <= columns):
        return shown
    if columns <= len(GAP) + 2:
        return set_cell_size(shown, columns).rstrip()
    tail = (columns - len(GAP)) // 3
    head = set_cell_size(shown, columns - len(GAP) - tail).rstrip()
    return f"{head}{GAP}{_end(shown, tail)}"


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """*text* filled up to *columns* cells with spaces."""
    space = " " * (columns - cell_len(text))
    return space + text if right else text + space


def spelled(text: str, encoding: str) -> str:
    """*text* with `backslashreplace` for what *encoding* does not have."""
    if text.isascii() or encoding in {"utf-8", "utf8", "UTF-8"}:
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _end(text: str, columns: int) -> str:
    """The last characters that fit."""
    taken = len(text)
    room = columns
    while taken and (room := room - cell_len(text[taken - 1])) >= 0:
        taken -= 1
    return text[taken:]
