"""Rules about the success check: what it relies on, and what it tells when it fails."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quickstarted.task.findings import environments
from quickstarted.task.findings.model import Finding, Rule
from quickstarted.task.findings.shell import calls
from quickstarted.task.findings.silent import Kind, spots
from quickstarted.task.model import FROM_DOCS, Task
from quickstarted.task.source import KeyPath, quoted

_JS_PROGRAMS = frozenset({"node", "npm", "npx", "pnpm", "yarn", "bun"})
_JS_PACKAGES = re.compile(r"\b(node|nodejs|nodeenv|npm|bun|fnm|nvm|volta)\b", re.IGNORECASE)
_INSTALLERS = frozenset(
    {"apk", "apt", "apt-get", "asdf", "brew", "conda", "curl", "dnf", "fnm", "mamba", "micromamba"}
    | {"mise", "nodeenv", "npm", "nvm", "pip", "pip3", "uv", "volta", "wget", "yum"}
)
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0")
_SHEBANG_OPTIONS = re.compile(r"#![^\n]*sh[ \t]+-([A-Za-z]+)")
_SHOWN_SPOTS = 3


_MISSING_ENVIRONMENT = Rule(
    severity="warning",
    code="check-needs-environment",
    advice="Name the directory in the goal, make it in setup, or let the check look for it.",
)


def _missing_environment(task: Task) -> Iterator[Finding]:
    if task.replay == FROM_DOCS:
        return
    commands = (*task.setup, *task.replay)
    for key, script in _check_scripts(task):
        for name in environments.needed(script):
            here = task.workspace is not None and (task.workspace / name).exists()
            if here or environments.made_by(commands, name):
                continue
            if environments.mentioned(task.goal, name):
                continue
            message = f"the check needs {name}/, which neither setup nor replay creates"
            yield _MISSING_ENVIRONMENT.finding(task.source, key, message)


_SILENT = Rule(
    severity="warning",
    code="check-fails-silently",
    advice='Say why: COMMAND || qs_fail "what is wrong".',
)
_IGNORED = Rule(
    severity="warning",
    code="check-ignores-result",
    advice='Add || qs_fail "what is wrong", or start the script with set -e.',
)


def _silent_checks(task: Task) -> Iterator[Finding]:
    key = _script_key(task)
    for kind, rule, problem in (
        (Kind.SILENT, _SILENT, "the check can fail without printing why"),
        (Kind.IGNORED, _IGNORED, "the check passes even if this fails"),
    ):
        found = [spot for spot in spots(task.success.script_text) if spot.kind is kind]
        if not found:
            continue
        shown = [f"line {spot.line} {quoted(spot.text)}" for spot in found[:_SHOWN_SPOTS]]
        more = f" and {len(found) - _SHOWN_SPOTS} more" if len(found) > _SHOWN_SPOTS else ""
        yield rule.finding(task.source, key, f"{problem}: {', '.join(shown)}{more}")


_SHEBANG = Rule(
    severity="warning",
    code="check-shebang-options",
    advice="Write them as a command: set -e.",
)


def _shebang_options(task: Task) -> Iterator[Finding]:
    if match := _SHEBANG_OPTIONS.match(task.success.script_text):
        message = f"options on the first line (-{match[1]}) have no effect: it is never executed"
        yield _SHEBANG.finding(task.source, _script_key(task), message)


_NO_NODE = Rule(
    severity="warning",
    code="check-needs-node",
    advice="Set `image`, such as node:22-slim.",
)


def _node_without_image(task: Task) -> Iterator[Finding]:
    if task.image is not None or _installs_node(task):
        return
    for key, script in _check_scripts(task):
        used = dict.fromkeys(call.program for call in calls(script) if call.program in _JS_PROGRAMS)
        if used:
            message = f"the check calls {', '.join(used)}, which the default image does not have"
            yield _NO_NODE.finding(task.source, key, message)


def _installs_node(task: Task) -> bool:
    commands = task.setup if task.replay == FROM_DOCS else (*task.setup, *task.replay)
    return any(
        call.program in _INSTALLERS and any(_JS_PACKAGES.search(arg) for arg in call.args)
        for command in commands
        for call in calls(command)
    )


_NOBODY_SERVES = Rule(
    severity="warning",
    code="nobody-serves",
    advice="Set `success.serve`, `services`, or `success.leftovers: keep`.",
)


def _nobody_serves(task: Task) -> Iterator[Finding]:
    success = task.success
    wait = success.wait_http
    if wait is None or success.serve or task.services or success.script_text:
        return
    local = wait.path is not None or (wait.url and _LOOPBACK.match(wait.url.split("://", 1)[1]))
    if local and success.leftovers == "kill":
        message = "nothing can answer: processes of the agent end before the check"
        yield _NOBODY_SERVES.finding(task.source, ("success", "wait_http"), message)


_WAITS_TOO_LONG = Rule(
    severity="warning",
    code="waits-too-long",
    advice="Wait for less, or give the check more with `success.timeout`.",
)


def _waits_too_long(task: Task) -> Iterator[Finding]:
    wait = task.success.wait_http
    if wait is not None and wait.timeout >= task.check_timeout_s:
        message = (
            f"the check ends after {task.check_timeout_s:g} s, before it has waited"
            f" {wait.timeout:g} s: an attempt would give no evidence instead of a reason"
        )
        yield _WAITS_TOO_LONG.finding(task.source, ("success", "wait_http", "timeout"), message)


RULES = (
    _missing_environment,
    _silent_checks,
    _shebang_options,
    _node_without_image,
    _nobody_serves,
    _waits_too_long,
)


def _check_scripts(task: Task) -> Iterator[tuple[KeyPath, str]]:
    if task.success.script_text:
        yield _script_key(task), task.success.script_text
    if task.success.serve:
        yield ("success", "serve"), task.success.serve


def _script_key(task: Task) -> KeyPath:
    return ("success", "file" if task.success.file is not None else "script")
