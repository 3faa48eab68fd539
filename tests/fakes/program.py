"""The program as a person starts it: a process of its own, with what it printed and left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from quickstarted.events import TraceEvent
from quickstarted.trace import read_trace

COMMAND = [sys.executable, "-m", "quickstarted"]
_started: list[subprocess.Popen] = []
SITE_PAGE = "<html><body><main><h1>Start</h1><p>Do as you are told.</p></main></body></html>"


@dataclass(frozen=True)
class Done:
    """A call that has ended."""

    code: int
    out: str
    err: str
    results: Path

    def events(self, folder: str = "probe") -> list[TraceEvent]:
        """The trace below results, checked for its order: every attempt ends in `run_end`."""
        events = list(read_trace(self.results / folder / "trace.jsonl"))
        assert events[0].type == "run_start"
        assert events[-1].type == "run_end"
        assert [event.ts for event in events] == sorted(event.ts for event in events)
        return events

    def of_type(self, kind: str, folder: str = "probe") -> list[TraceEvent]:
        """The events of one type."""
        return [event for event in self.events(folder) if event.type == kind]

    def ending(self, folder: str = "probe") -> tuple[str, str]:
        """Stop reason and classification."""
        end = self.events(folder)[-1]
        return end.stop_reason.value, end.classification.value

    @property
    def document(self) -> dict:
        """results.json."""
        return json.loads((self.results / "results.json").read_text())


def write_task(folder: Path, body: str, *, name: str = "probe") -> Path:
    """A task with a local documentation site and *body* as further keys."""
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / "index.html").write_text(SITE_PAGE)
    path = folder / f"{name}.yaml"
    head = f"""\
        name: {name}
        goal: Do as the page says.
        docs:
          path: [https://docs.example/]
          sites: {{"https://docs.example/": site}}
        """
    path.write_text(textwrap.dedent(head) + textwrap.dedent(body))
    return path


def start(
    args: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    command: Sequence[str] = COMMAND,
) -> subprocess.Popen:
    """Start the program; what the test does not wait for is ended after it."""
    process = subprocess.Popen(
        [*command, *map(str, args)],
        env={**os.environ, **(env or {}), "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    _started.append(process)
    return process


def end_started() -> None:
    """End what a test has started and, having failed, has not waited for."""
    while _started:
        process = _started.pop()
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdout, process.stderr):
            pipe.close()


def finish(process: subprocess.Popen, results: Path, *, timeout_s: float = 150) -> Done:
    """Wait for its end."""
    try:
        out, err = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise AssertionError(f"did not end in {timeout_s} s:\n{out}\n{err}") from None
    return Done(process.returncode, out, err, results)


def run_task(task: Path, *flags: str | Path, env: Mapping[str, str] | None = None) -> Done:
    """`quickstarted run TASK --out TASK'S FOLDER/results` to its end."""
    results = task.parent / "results"
    return finish(start(["run", task, "--out", results, *flags], env=env), results)


def wait_until(
    condition: Callable[[], bool],
    what: str,
    *,
    program: subprocess.Popen | None = None,
    timeout_s: float = 150,
) -> None:
    """Wait for something that another process does, for as long as *program* lives."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if program is not None and program.poll() is not None and not condition():
            said = "\n".join(program.communicate())
            raise AssertionError(f"{what}: the program ended with {program.returncode}:\n{said}")
        assert time.monotonic() < deadline, f"{what}: not within {timeout_s} s"
        time.sleep(0.05)


def trace_lines(results: Path, folder: str = "probe") -> list[dict]:
    """What the trace holds so far, while it is written."""
    path = results / folder / "trace.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]


def has_event(results: Path, kind: str, folder: str = "probe", **fields: object) -> bool:
    """Whether the trace already has such an event."""
    return any(
        line["type"] == kind and all(line.get(name) == value for name, value in fields.items())
        for line in trace_lines(results, folder)
    )
