"""Shell programs that run inside a sandbox, as package files."""

from __future__ import annotations

import re
import shlex
from functools import cache
from importlib.resources import files
from typing import Protocol

from quickstarted.sandbox.protocol import STATE_DIR, WORKSPACE

_FOLDERS = re.compile(rf"(?<![\w/])(?:{re.escape(WORKSPACE)}|{re.escape(STATE_DIR)})(?![\w.-])")
"""As the programs name them."""


class Folders(Protocol):
    """Where a place has what the programs name as a container has it."""

    @property
    def workspace(self) -> str:
        """In place of `WORKSPACE`."""

    @property
    def state_dir(self) -> str:
        """In place of `STATE_DIR`."""


@cache
def script(name: str) -> str:
    """Return the text of one program, e.g. `run.sh`."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


def script_in(name: str, folders: Folders) -> str:
    """Return the text of one program with the folders of a place in it, quoted for the shell."""
    return _script_in(name, folders.workspace, folders.state_dir)


@cache
def _script_in(name: str, workspace: str, state_dir: str) -> str:
    places = {WORKSPACE: shlex.quote(workspace), STATE_DIR: shlex.quote(state_dir)}
    return _FOLDERS.sub(lambda found: places[found[0]], script(name))
