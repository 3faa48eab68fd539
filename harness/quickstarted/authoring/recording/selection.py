"""
Which of the commands that a person gave are the quickstart, and why the others are left out.

Conservative: what may have changed anything stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from quickstarted.authoring.recording.local_url import local_url
from quickstarted.authoring.recording.model import Done
from quickstarted.task.findings.endless import never_ends
from quickstarted.task.findings.shell import Call, calls, parse, text_of, walk

_LOOKING = frozenset(
    {"cat", "clear", "date", "df", "du", "echo", "file", "grep", "head", "history", "id", "less"}
    | {"ls", "man", "more", "printf", "ps", "pwd", "reset", "stat", "tail", "top", "tree", "true"}
    | {"type", "uname", "wc", "which", "whoami", ":"}
)
_EDITORS = frozenset({"ed", "emacs", "jed", "joe", "mcedit", "micro", "nano", "nvim", "vi", "vim"})
_CONVERSATIONS = frozenset(
    {"ash", "bash", "bc", "bun", "dash", "deno", "fish", "ftp", "ghci", "iex", "irb", "ipython"}
    | {"julia", "ksh", "lua", "mongosh", "mysql", "node", "perl", "php", "psql", "python"}
    | {"python3", "redis-cli", "ruby", "sh", "sqlite3", "su", "telnet", "zsh"}
)
"""Programs that wait for a person when they are called with nothing."""
_CONVERSATIONS_ON = frozenset({"mongosh", "mysql", "psql", "sqlite3"})
"""Those that do so too when they are only told what on: a database, a host, a user."""
_ORDERS = re.compile(r"-e|-c|-f|-l|--(command|eval|execute|file|list|version|help)(=.*)?|--?init")
"""Options with which they do their work and end."""
_JOBS = frozenset({"bg", "disown", "fg", "jobs"})
_MOVES = frozenset({"cd", "popd", "pushd"})
_PLAIN_NODES = frozenset({"command", "list", "pipeline", "program", "redirected_statement"})
_LEAVE = re.compile(r"(exit|logout)(\s+\d+)?")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A command that the replay does not have."""

    done: Done
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """All commands of a recording, each in one of these."""

    kept: tuple[Done, ...]
    left_out: tuple[LeftOut, ...]
    servers: tuple[Done, ...]
    """Servers in the foreground, which the person or a limit has ended."""


def is_leaving(command: str) -> bool:
    """Whether *command* ends the shell."""
    return _LEAVE.fullmatch(command.strip()) is not None


def is_server(command: str) -> bool:
    """Whether *command* serves or watches in the foreground until somebody stops it."""
    return any(never_ends(call) and not call.background for call in calls(command))


def select(commands: Sequence[Done]) -> Selection:
    """Sort *commands*."""
    reasons = [_why_not(done) for done in commands]
    kept = [done for done, why in zip(commands, reasons, strict=True) if not why]
    trailing = 0
    while trailing < len(kept) and _only_moves(kept[-1 - trailing].command):
        trailing += 1
    idle = kept[len(kept) - trailing :] if not any(map(_serves, commands)) else []
    left_out = [
        LeftOut(done, why or "nothing came after it")
        for done, why in zip(commands, reasons, strict=True)
        if why or any(done is one for one in idle)
    ]
    return Selection(
        kept=tuple(done for done in kept if not any(done is one for one in idle)),
        left_out=tuple(one for one in left_out if not _serves(one.done)),
        servers=tuple(done for done in commands if _serves(done)),
    )


def _serves(done: Done) -> bool:
    return is_server(done.command) or (done.interrupted and bool(local_url(done.output)))


def _why_not(done: Done) -> str:
    if is_leaving(done.command):
        return "it ends the shell"
    if _serves(done):
        return "a server in the foreground"
    if why := _needs_person(done.command):
        return why
    if done.exit_code != 0:
        return f"exit {done.exit_code}"
    return "only looks" if _only_looks(done.command) else ""


def _needs_person(command: str) -> str:
    found = calls(command)
    if len(found) != 1 or any(node.type.endswith("_redirect") for node in walk(parse(command))):
        return ""
    (call,) = found
    if call.program in _EDITORS:
        return "an editor: write the file with a heredoc"
    if _converses(call) and "|" not in command:
        return "waits for a person; what was typed into it is not recorded"
    if call.program in _JOBS or any(arg.startswith("%") for arg in call.args[:1]):
        return "job control: a replay has no terminal"
    return ""


def waits_for_person(command: str) -> bool:
    """Whether *command* is nothing but a program that a person talks to."""
    found = calls(command)
    return len(found) == 1 and _converses(found[0]) and "waits" in _needs_person(command)


def _converses(call: Call) -> bool:
    if call.program == "su" or (call.program in _CONVERSATIONS and not call.args):
        return not any(_ORDERS.fullmatch(arg) for arg in call.args)
    if call.program not in _CONVERSATIONS_ON or any(_ORDERS.fullmatch(arg) for arg in call.args):
        return False
    # A second word after the database is SQL.
    return sum(not arg.startswith("-") for arg in call.args) <= 1


def _only_looks(command: str) -> bool:
    root = parse(command)
    if root.has_error or _writes(root):
        return False
    if any(node.type == "variable_assignment" for node in walk(root)):
        return False
    found = calls(command)
    if not found:
        return all(child.type == "comment" for child in root.named_children)
    return all(call.program in _LOOKING and not call.background for call in found) and _plain(root)


def _plain(root: Node) -> bool:
    statements = [root, *root.named_children]
    return all(node.type in _PLAIN_NODES or node.type == "comment" for node in statements)


def _writes(root: Node) -> bool:
    """Whether anything is redirected into a file."""
    for node in walk(root):
        if node.type in {"heredoc_redirect", "herestring_redirect"}:
            return True
        if node.type == "file_redirect" and not re.search(
            r"^\d*(<|>&\d|&?>+\s*/dev/null$)", text_of(node)
        ):
            return True
    return False


def _only_moves(command: str) -> bool:
    found: list[Call] = calls(command)
    return bool(found) and all(call.program in _MOVES for call in found)
