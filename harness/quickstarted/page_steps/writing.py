"""A block that becomes a file, as the command that writes it: so it is on record like any other."""

from __future__ import annotations

import re
import shlex

from quickstarted.page_steps.model import WriteFile


def writing(step: WriteFile) -> str:
    """The command that writes *step*; folders are made, as an editor makes them."""
    path = _quoted(step.path)
    folder = step.path.rpartition("/")[0]
    end = "END_OF_FILE"
    while re.search(rf"^{end}$", step.text, re.MULTILINE):
        end += "_"
    before = f"mkdir -p {_quoted(folder)} && " if folder and folder != "~" else ""
    sign = ">>" if step.appends else ">"
    return f"{before}cat {sign} {path} <<'{end}'\n{step.text}\n{end}"


def _quoted(path: str) -> str:
    """Quoted for a shell, with a home folder that it still sees."""
    return f"~/{shlex.quote(path[2:])}" if path.startswith("~/") else shlex.quote(path)
