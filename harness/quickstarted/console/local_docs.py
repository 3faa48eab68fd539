"""What an agent read besides pages, in words."""

from __future__ import annotations

from quickstarted.console.text import shorten
from quickstarted.results import RunResult

LOCAL_DOCS = "As far as the agent's commands show it; the list of pages is complete."
KINDS = {
    "help": "help of a program",
    "manual": "manual",
    "metadata": "about a package",
    "package_file": "file of a package",
    "readme": "file in the workspace",
    "repository_file": "file of a repository",
    "system_file": "system documentation",
}
_SHOWN = 5
_COLUMNS = 100


def local_docs_lines(result: RunResult, *, verbose: bool) -> list[str]:
    """A heading and what was read, a few lines without *verbose*; empty where nothing was."""
    read = result.local_docs_read
    if not read:
        return []
    shown = read if verbose else read[:_SHOWN]
    lines = [f"  {KINDS[one.kind]:<21} {shorten(one.what, _COLUMNS)}" for one in shown]
    more = [f"  and {len(read) - len(shown):,} more"] if shown != read else []
    return ["", "local documentation that was read, as far as commands show it:", *lines, *more]
