"""Text from pages and programs, made fit for a file that people edit."""

from __future__ import annotations

import re
import unicodedata

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def is_plain(text: str) -> bool:
    """Whether every character shows itself; line breaks and tabs count as doing so."""
    return all(char in "\n\t" or unicodedata.category(char) not in _HIDDEN for char in text)


def one_line(text: str, most: int) -> str:
    """*text* without characters that do not show themselves, on one line of at most *most*."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    plain = "".join(char for char in spaced if is_plain(char))
    line = " ".join(plain.split())
    return line if len(line) <= most else f"{line[: most - 3].rstrip()}..."


_CONTROL_SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_=>]|\x1b[()][A-Z0-9]"
)


def printed_lines(output: str) -> list[str]:
    """The lines that *output* leaves on a screen: no colours, the last state of progress bars."""
    text = _CONTROL_SEQUENCE.sub("", output).replace("\r\n", "\n")
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")]
    if lines and not lines[-1]:
        lines.pop()
    return ["".join(char for char in line if is_plain(char)) for line in lines]
