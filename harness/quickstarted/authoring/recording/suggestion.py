"""From a recording to a check that would tell: files, a server, what was printed at the end."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

from quickstarted.authoring.draft import Check
from quickstarted.authoring.plain import is_plain, printed_lines
from quickstarted.authoring.recording.local_url import local_url
from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.remains import Remains, Server
from quickstarted.authoring.recording.selection import Selection
from quickstarted.task.findings.shell import calls, parse, text_of

MOST_FILES = 3
KEPT_SERVER_S = 10
"""How long the check asks a server that should be there already."""
SHORTEST, LONGEST = 3, 120
"""Characters of a printed line that is worth asking for."""

_INSTALLERS = frozenset(
    {"apt", "apt-get", "bundle", "cargo", "composer", "conda", "gem", "git", "npm", "pip", "pip3"}
    | {"pnpm", "poetry", "uv", "virtualenv", "yarn"}
)
_UNSURE = re.compile(
    r"\d+:\d\d"  # times of day
    r"|\d{4}-\d\d-\d\d"
    r"|\b\d+(\.\d+)?\s?(ms|s|[kMG]i?B(/s)?)\b"
    r"|\b\d+\.\d+\s?(secs?|seconds?)\b"
    r"|\b(?=\w*\d)[0-9a-f]{8,}\b"  # digests and addresses
    r"|\b0x[0-9a-f]+"
    r"|%"
    r"|/tmp/"
    r"|\bpid\b"
    r"|^\s*(\[?notice\]?|warning|npm notice)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3}|\d")
"""A line of rules and drawings says nothing of what was reached."""
_LOCK = re.compile(r"(^|/)[^/]*(\.lock|-lock\.\w+|\.log|\.pyc)$")
_STATE_WORDS = frozenset({".", "cd", "source"})


def suggest(selection: Selection, remains: Remains) -> Check | None:
    """A `success` block that the recording would have passed; None where it left nothing to ask."""
    success: dict[str, Any] = {}
    comments = ["Suggested from what the recording left behind: say what the reader really wants."]
    comments += _served(success, selection, remains)
    line = "" if "serve" in success else _last_line(selection.kept)
    names = _telling(remains.files, selection.kept)[:MOST_FILES]
    if not names and not line and not success:
        names = remains.entries[:1]
    if names:
        success["script"] = "".join(f"{_there(name)}\n" for name in names)
    if line:
        success["expect_output"] = {"contains": line}
    return Check(values=success, comments=tuple(comments)) if _asserts(success) else None


def _telling(files: Sequence[str], kept: Sequence[Done]) -> list[str]:
    """*files*, those first that the last commands name."""

    def last_named(name: str) -> int:
        word = re.compile(rf"(?<![\w.-]){re.escape(name.rpartition('/')[2])}(?![\w-])")
        return max((at for at, done in enumerate(kept) if word.search(done.command)), default=-1)

    return sorted((name for name in files if not _LOCK.search(name)), key=last_named, reverse=True)


def _asserts(success: dict[str, Any]) -> bool:
    return any(key in success for key in ("script", "wait_http", "expect_output"))


def _served(success: dict[str, Any], selection: Selection, remains: Remains) -> list[str]:
    """Add what is known of a server; returns comments about it."""
    foreground = [(done, url) for done in selection.servers if (url := local_url(done.output))]
    if foreground:
        done, url = foreground[-1]
        success["serve"] = _with_state(done.command, selection.kept)
        success["wait_http"] = {"url": url}
        return ["`serve` is the command that was ended; it runs while the check asks."]
    answering = [server for server in remains.servers if server.status]
    if answering:
        _background(success, answering[0])
        return ["The server that was left in the background is kept, and asked."]
    silent = [str(server.port) for server in remains.servers]
    if silent:
        return [f"Something listens on port {', '.join(silent)}, and did not answer a GET of /."]
    if selection.servers:
        return [
            "A server ran in the foreground, and printed no URL: see `serve` and `wait_http`:",
            *(f"  {line}" for line in selection.servers[-1].command.splitlines()),
        ]
    return []


def _background(success: dict[str, Any], server: Server) -> None:
    wait: dict[str, Any] = {"url": f"http://127.0.0.1:{server.port}/"}
    if server.status != 200:
        wait["status"] = server.status
    success["leftovers"] = "keep"
    success["wait_http"] = wait | {"timeout": KEPT_SERVER_S}


def _with_state(command: str, kept: Sequence[Done]) -> str:
    """*command* after what the shell had to remember for it: checks run in a clean one."""
    state = [done.command.strip() for done in kept if _only_sets_state(done.command)]
    return " && ".join([*state, command.strip()])


def _only_sets_state(command: str) -> bool:
    """Whether *command* is nothing but `cd`, `export`, `. FILE` and their like."""
    nodes = parse(command).named_children
    found = calls(command)
    exports = [node for node in nodes if node.type == "declaration_command"]
    if any(not text_of(node).startswith("export ") for node in exports):
        return False
    return bool(found or exports) and all(call.words[0] in _STATE_WORDS for call in found)


def _last_line(kept: Sequence[Done]) -> str:
    """The last line of the last command that is the same each time; empty where none is sure."""
    if not kept or any(
        call.program in _INSTALLERS or "pip" in call.args for call in calls(kept[-1].command)
    ):
        return ""
    if kept[-1].command.rstrip().endswith("&"):
        return ""
    lines = [line.strip() for line in printed_lines(kept[-1].output)]
    sure = [
        line
        for line in lines
        if SHORTEST <= len(line) <= LONGEST
        and is_plain(line)
        and _WORD.search(line)
        and not _UNSURE.search(line)
    ]
    return sure[-1] if sure else ""


def _there(name: str) -> str:
    shown = "".join(f"\\{char}" if char in '\\"$`' else char for char in name)
    return f'test -e {shlex.quote(name)} || qs_fail "there is no {shown} in the workspace"'
