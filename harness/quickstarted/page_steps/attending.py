"""
Commands that may go on for ever, run as a reader does: in a second terminal.

A known server, and a program of the reader's own, is started in the background of the sandbox's
shell. It is waited for until it ends, or until it listens on a port. Its log is kept.
"""

from __future__ import annotations

import shlex
from importlib import resources

from quickstarted.task.findings.endless import never_ends
from quickstarted.task.findings.shell import calls

SCRIPT = "/tmp/quickstarted-attend"  # noqa: S108 (in the sandbox)
PATIENCE_S = 15
"""Longest wait for a known server to listen; then it is left running."""


def attended(command: str, number: int, instead_of: int | None = None) -> str:
    """
    The command that starts *command* and comes back when it has ended or serves.

    The first brings the script along that the later ones use.

    Args:
        command: One statement.
        number: Names its log, `/tmp/quickstarted-attended/NUMBER.log`.
        instead_of: Number of an earlier one that is ended first.

    """
    patience = PATIENCE_S if is_known_server(command) else 0
    settings = (
        f"attended={shlex.quote(command)} attended_as={number}"
        f" instead_of={instead_of or ''} patience={patience}"
    )
    return f"{settings}\n{_preparation() if number == 1 else ''}. {SCRIPT}"


def _preparation() -> str:
    text = resources.files(__package__).joinpath("attend.sh").read_text("utf-8")
    return f"cat > {SCRIPT} <<'QS_ATTEND'\n{text}QS_ATTEND\n"


def is_known_server(command: str) -> bool:
    """Whether *command* never ends by itself, as far as its words say."""
    return any(never_ends(call) for call in calls(command))


def same_server(command: str) -> str:
    """What two starts of one server have in common: its program and subcommands."""
    own = calls(command)
    if not own:
        return command
    words = (own[-1].program, *own[-1].operands[:2])
    return " ".join(word for word in words if not word[:1].isdigit())
