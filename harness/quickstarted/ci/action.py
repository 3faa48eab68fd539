"""
What action.yml runs: its inputs as the arguments of `quickstarted run`, and its outputs.

Inputs come in variables (`INPUT_...`) and never stand in the text of a script: whoever can choose
a branch's name or a pull request's title could write commands there.
"""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

from quickstarted.ci.reading import read_results
from quickstarted.errors import UsageError
from quickstarted.results import SuiteResult
from quickstarted.results.layout import RESULTS_NAME

ONE_A_LINE = {
    "tasks": "",
    "agent": "--agent",
    "affordances": "--affordances",
    "arm": "--arm",
    "docs-site": "--docs-site",
    "example": "--example",
    "tag": "--tag",
    "limit": "--limit",
}
"""Inputs of which each line is a value, to the option that takes it; tasks are arguments."""
VALUES = {
    "model": "--model",
    "matrix": "--matrix",
    "repeat": "--repeat",
    "workers": "--workers",
    "retries": "--retries",
    "shard": "--shard",
    "select": "-k",
    "changed-since": "--changed-since",
    "image": "--image",
    "backend": "--backend",
    "out": "--out",
    "junit": "--junit",
    "prices": "--prices",
    "max-spend": "--max-spend",
    "min-pass-rate": "--min-pass-rate",
    "rate-limit": "--rate-limit",
    "cache-dir": "--cache-dir",
}
"""Inputs with one value; an empty one is not given."""
FLAGS = {
    "resume": "--resume",
    "offline": "--offline",
    "refresh": "--refresh",
    "probe-affordances": "--probe-affordances",
    "strict-inconclusive": "--strict-inconclusive",
    "allow-unenforced": "--allow-unenforced",
    "summary": "--github-summary",
    "annotations": "--github-annotations",
    "verbose": "--verbose",
}
"""Inputs that are `true` or `false`; only the first is given."""
ANNOTATIONS_OFF = "--no-github-annotations"
DOCS_CACHE = "quickstarted-docs"
"""Folder below RUNNER_TEMP which action.yml keeps between jobs."""
DEFAULT_OUT = "results"


def arguments(environ: Mapping[str, str]) -> list[str]:
    """
    The arguments of `quickstarted run`.

    Raises:
        UsageError: An input that is to be true or false is neither.

    """
    return list(_arguments(environ))


def _arguments(environ: Mapping[str, str]) -> Iterator[str]:
    for name, option in ONE_A_LINE.items():
        for value in filter(None, map(str.strip, _input(environ, name).splitlines())):
            # An argument that began with a hyphen would be an option.
            yield f"{option}={value}" if option else _as_argument(value)
    for name, option in VALUES.items():
        if value := _input(environ, name):
            yield from ((option, value) if option == "-k" else (f"{option}={value}",))
    for name, option in FLAGS.items():
        if _is_on(environ, name):
            yield option
        elif name == "annotations":
            yield ANNOTATIONS_OFF
    if not _input(environ, "junit"):
        yield f"--junit={_out(environ) / 'junit.xml'}"
    if _is_on(environ, "cache") and not _input(environ, "cache-dir"):
        yield f"--cache-dir={Path(environ['RUNNER_TEMP']) / DOCS_CACHE}"
    yield from shlex.split(_input(environ, "args"))


def outputs(environ: Mapping[str, str], code: int, begun: float) -> dict[str, str]:
    """
    The outputs of the action.

    Args:
        environ: Variables.
        code: Exit code of the run.
        begun: Epoch seconds at which it began; an older results.json is not its own.

    """
    out = _out(environ).resolve()
    suite = _suite(out, begun)
    return {
        "exit-code": str(code),
        "results": str(out) if suite else "",
        "junit": str(Path(_input(environ, "junit") or out / "junit.xml").resolve()),
        "pass-rate": pass_rate(suite) if suite else "",
    }


def pass_rate(suite: SuiteResult) -> str:
    """
    Passes by attempts that gave evidence, `0.8333`; empty where there are none.

    Rates of different models or conditions are never pooled: empty there too.
    """
    pools = {
        (cell.agent, cell.affordance_policy, cell.arm, cell.arm_hash, *cell.models_reported)
        for cell in suite.cells
    }
    evidence = sum(cell.evidential_runs for cell in suite.cells)
    if len(pools) != 1 or not evidence:
        return ""
    return f"{sum(cell.passes for cell in suite.cells) / evidence:.4f}"


def main() -> int:
    """Run, write the outputs, and return 0: the last step of the action gives the verdict."""
    begun = time.time()
    try:
        args = arguments(os.environ)
    except UsageError as wrong:
        sys.stderr.write(f"error: {wrong}\n")
        code = wrong.exit_code
    else:
        sys.stderr.write(f"quickstarted run {shlex.join(args)}\n")
        sys.stderr.flush()
        code = _run([sys.executable, "-m", "quickstarted", "run", *args])
    _write(os.environ.get("GITHUB_OUTPUT", ""), outputs(os.environ, code, begun))
    return 0


def _run(command: Sequence[str]) -> int:
    """Run *command*, which gets the CI system's signals; ended by one, it was interrupted."""
    with subprocess.Popen(command) as process:  # noqa: S603 - this very program

        def pass_on(number: int, frame: FrameType | None) -> None:
            del frame
            process.send_signal(number)

        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, pass_on)
        code = process.wait()
    return 130 if code < 0 else code


def _write(path: str, values: Mapping[str, str]) -> None:
    """With a delimiter that no value can have: a path may hold any character."""
    if not path:
        return
    end = secrets.token_hex(16)
    with Path(path).open("a", encoding="utf-8") as stream:
        stream.writelines(f"{name}<<{end}\n{value}\n{end}\n" for name, value in values.items())


def _suite(out: Path, begun: float) -> SuiteResult | None:
    file = out / RESULTS_NAME
    try:
        if file.stat().st_mtime < begun - 1:
            return None
        return read_results(file).suite
    except (OSError, UsageError):
        return None


def _out(environ: Mapping[str, str]) -> Path:
    return Path(_input(environ, "out") or DEFAULT_OUT)


def _as_argument(value: str) -> str:
    return f"./{value}" if value.startswith("-") else value


def _input(environ: Mapping[str, str], name: str) -> str:
    return environ.get(f"INPUT_{name.upper().replace('-', '_')}", "").strip()


def _is_on(environ: Mapping[str, str], name: str) -> bool:
    value = _input(environ, name)
    if value not in ("true", "false", ""):
        raise UsageError(f"input {name}: expected true or false, got {value!r}")
    return value == "true"


if __name__ == "__main__":
    sys.exit(main())
