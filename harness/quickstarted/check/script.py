"""
One shell script out of a check: the library, what the task asserts, and the author's script.

The author's words go in by `shlex.quote` only, and the author's script is a quoted string too: as
text in the middle of ours an open quote or a stray `)` in it would swallow what follows. It runs in
a subshell, so that its `exit`, `set -e` and functions do what they do in a file of its own, and
with an empty standard input, also where the whole script comes in on standard input.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import NamedTuple

from quickstarted.check.plan import CheckPlan, ExpectOutput, WaitHttp
from quickstarted.sandbox.protocol import CHECK_OUTPUT_PATH

LIBRARY = ("start", "report", "serve", "match", "output", "http", "clients", "json", "end")
"""Files of `lib/`, in the order in which they go in."""
PROGRAMS = (
    "http_get.py",
    "http_get.js",
    "http_get.pl",
    "json_key.py",
    "json_key.js",
    "json_key.jq",
    "json_key.pl",
)
"""Files of `programs/`; each is the variable `qs__` plus its name, `.` as `_`."""

_OPTIONS = re.compile(r"-[aCefuvx]*(o)?")
"""Of a first line such as `#!/bin/bash -euo pipefail`: what `set` takes and a check may want."""


class Shebang(NamedTuple):
    """What the first line of a script asks for."""

    shell: str
    """Name of the program, e.g. `bash`; empty where there is no such line."""
    options: tuple[str, ...]
    """For `set`."""


def build_script(plan: CheckPlan, *, output_path: str = CHECK_OUTPUT_PATH) -> str:
    """
    The script as the shell gets it: /bin/bash where the image has it, else a POSIX /bin/sh.

    Its exit code is 0 when all holds, 1 when an assertion does not, 125 when it could not judge,
    else the author's own. With `QS_CHECK_NONCE` in the environment it also prints the lines that
    `running` reads. Needs nothing from the caller but that.

    Args:
        plan: What is asserted.
        output_path: Where in the sandbox the file is that `qs_expect_output` reads.

    """
    asked = read_shebang(plan.script)
    return "\n".join(
        [
            f"qs__outputs={shlex.quote(output_path)}",
            _library(),
            f"qs__author={shlex.quote(plan.script)}",
            "(",
            f"qs__interpreter {shlex.quote(asked.shell)}",
            *_steps(plan),
            *(f"set {option}" for option in asked.options),
            'eval "$qs__run_author"',
            ") </dev/null",
            'qs__end "$?"',
            "",
        ]
    )


def show_script(plan: CheckPlan) -> str:
    """
    The same for a reader: the steps and the author's script as written, without the library.

    No line end after the last line.
    """
    lines = [
        "# Runs after the agent has stopped, in /bin/bash where the image has it, else in /bin/sh,",
        f"# for {plan.timeout_s:g} s at most. The first step that fails ends it.",
        *_steps(plan),
    ]
    options = " ".join(read_shebang(plan.script).options)
    if options:
        lines.append(f"set {options}")
    return "\n".join([*lines, plan.script]).rstrip("\n")


def read_shebang(script: str) -> Shebang:
    """Take the first line of *script* apart; `env`, its `-S` and `busybox` are looked through."""
    first = script.partition("\n")[0]
    words = first[2:].split() if first.startswith("#!") else []
    while len(words) > 1 and PurePosixPath(words[0]).name in {"env", "-S", "busybox"}:
        del words[0]
    if not words:
        return Shebang("", ())
    return Shebang(PurePosixPath(words[0]).name, tuple(_set_options(words[1:])))


def _set_options(words: list[str]) -> Iterator[str]:
    """Of the words after the shell's name, those for `set`; `-o` with its value as one."""
    rest = iter(words)
    for word in rest:
        match = _OPTIONS.fullmatch(word)
        if not match or word == "-":
            continue
        name = next(rest, "") if match[1] else ""
        if not match[1]:
            yield word
        elif name.isalpha():
            yield f"{word} {name}"


@cache
def _library() -> str:
    package = files("quickstarted.check")
    parts = [(package / "lib" / f"{name}.sh").read_text("utf-8") for name in LIBRARY]
    for name in PROGRAMS:
        text = (package / "programs" / name).read_text("utf-8")
        parts.append(f"qs__{name.replace('.', '_')}={shlex.quote(text)}")
    return "\n".join(parts)


def _steps(plan: CheckPlan) -> Iterator[str]:
    if plan.serve:
        yield f"qs_serve {shlex.quote(plan.serve)}"
    if plan.wait_http:
        yield _wait_http(plan.wait_http)
    if plan.expect_output:
        yield _expect_output(plan.expect_output)


def _wait_http(wait: WaitHttp) -> str:
    words = ["qs_wait_http", wait.target, "--status", str(wait.status)]
    words += _patterns(wait.contains, wait.matches)
    for key, value in wait.json:
        words += ["--json", f"{key}={value}"]
    words += ["--timeout", f"{wait.timeout_s:.2f}".rstrip("0").rstrip(".")]
    return shlex.join(words)


def _expect_output(expect: ExpectOutput) -> str:
    return shlex.join(["qs_expect_output", *_patterns(expect.contains, expect.matches)])


def _patterns(contains: tuple[str, ...], matches: tuple[str, ...]) -> list[str]:
    words: list[str] = []
    for text in contains:
        words += ["--contains", text]
    for pattern in matches:
        words += ["--matches", pattern]
    return words
