"""Shell blocks of the documentation, pasted into a shell as its readers do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fakes.pages import blocks, section

VARIES = [
    (re.compile(r"\b\d+\.\d+ ?s\b"), "N s"),
    (re.compile(r"\b\d+ min \d+ s\b"), "N s"),
    (re.compile(r"\bversion \d+(\.\d+)+"), "version N"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "ID"),
    (re.compile(r" +"), " "),
]
"""What differs from one run to the next, and what stands for it."""
LEFT_OUT = "..."
"""A line of an output that stands for any number of lines."""


@dataclass(frozen=True)
class Step:
    """One command of a console block, and what it prints."""

    command: str
    output: str


def first_script(text: str, heading: str) -> str:
    """The first `sh` block below *heading*."""
    return next(block.text for block in blocks(section(text, heading)) if block.language == "sh")


def steps(console: str) -> list[Step]:
    """The commands of a console block (`$ ` begins one, `> ` goes on), each with its output."""
    found: list[Step] = []
    for line in console.splitlines():
        if line.startswith("$ "):
            found.append(Step(line.removeprefix("$ "), ""))
        elif line.startswith("> ") and found and not found[-1].output:
            last = found.pop()
            found.append(Step(f"{last.command}\n{line.removeprefix('> ')}", ""))
        else:
            last = found.pop()
            found.append(Step(last.command, f"{last.output}{line}\n"))
    return found


def paste(
    script: str, folder: Path, environ: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """
    Run *script* in *folder*; the program is on the PATH.

    Returns:
        With both streams in `stdout`, as a terminal shows them.

    """
    own = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**own, **(environ or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def normal(text: str) -> list[str]:
    """The lines of *text* without what differs from run to run."""
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return [line.strip() for line in text.strip().splitlines()]


def same(shown: str, printed: str) -> bool:
    """Whether a page shows what was printed; a line of `...` stands for any lines."""
    lines = [r"(.*\n)*" if line == LEFT_OUT else re.escape(line) + r"\n" for line in normal(shown)]
    return re.fullmatch("".join(lines), "\n".join([*normal(printed), ""])) is not None
