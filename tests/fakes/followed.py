"""Calls of many attempts that are followed while they run, by the lines that they print."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fakes.program import Done, start

VOLATILE = frozenset(
    {
        "created",
        "started",
        "run_id",
        "duration_seconds",
        "waited_seconds",
        "seconds",
        "tries",
        "earlier_tries",
        "cwd",
    }
)
"""Fields that no two runs of the same have in common; `cwd` is in the local backend's folder."""


def odd_machine() -> dict[str, str]:
    """Environment of a program whose disk or clock may be odd, see `odd_machine/sitecustomize`."""
    folder = str(Path(__file__).parent / "odd_machine")
    return {"PYTHONPATH": os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])}


class Followed:
    """
    `quickstarted run ... --json` in a process group of its own.

    Args:
        args: After `run`.
        out: Its results folder.
        env: Beside this process's own.

    """

    def __init__(self, args: Sequence[str | Path], out: Path, env: Mapping[str, str]) -> None:
        self.out = out
        self.process = start(["run", *args, "--json", "--out", out], env=env)
        self.lines: list[dict[str, Any]] = []
        """What it has printed so far; the document at its end is none of them."""
        self._said: list[str] = []
        self._changed = threading.Condition()
        self._threads = [
            threading.Thread(target=self._read_lines, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def _read_lines(self) -> None:
        assert self.process.stdout is not None
        for text in self.process.stdout:
            with self._changed:
                try:
                    self.lines.append(json.loads(text))
                except ValueError:
                    self.lines.append({"type": "torn"})
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self._said.extend(self.process.stderr)

    def wait_for(
        self, condition: Callable[[list[dict[str, Any]]], bool], *, timeout_s: float = 60
    ) -> bool:
        """Wait until *condition* holds for the lines; whether it does before the program ends."""
        deadline = time.monotonic() + timeout_s
        with self._changed:
            while not condition(self.lines):
                if self.process.poll() is not None and not self._threads[0].is_alive():
                    return condition(self.lines)
                left_s = deadline - time.monotonic()
                assert left_s > 0, f"not within {timeout_s} s:\n{self.said}"
                self._changed.wait(min(left_s, 0.2))
        return True

    def wait_for_event(self, kind: str, **fields: object) -> None:
        """Wait until an attempt's trace has such an event, or it is in such a phase."""
        found = self.wait_for(lambda lines: any(_matches(line, kind, fields) for line in lines))
        assert found, f"{kind} {fields}: the program ended with {self.process.poll()}:\n{self.said}"

    @property
    def said(self) -> str:
        """What it said to a person."""
        return "".join(self._said)

    def send(self, number: signal.Signals) -> None:
        """Signal the whole process group, as a terminal does."""
        os.killpg(self.process.pid, number)

    def kill(self) -> None:
        """End all of it at once, and wait until it is gone."""
        self.send(signal.SIGKILL)
        self.process.wait()
        self._join()

    def finish(self, *, timeout_s: float = 90) -> Done:
        """Wait for its own end."""
        try:
            code = self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"did not end in {timeout_s} s:\n{self.said}") from None
        self._join()
        return Done(code, "", self.said, self.out)

    def _join(self) -> None:
        for thread in self._threads:
            thread.join(10)

    def phases(self) -> Counter[str]:
        """In which phase how many attempts are; `starting` before the first, `saving` after it."""
        now: dict[str, str] = {}
        for line in self.lines:
            key = json.dumps(line.get("attempt"))
            match line["type"]:
                case "begun":
                    now[key] = "opening"
                case "phase":
                    now[key] = line["phase"]
                case "event" if line["event"]["type"] == "run_end":
                    now[key] = "saving"
                case "ended":
                    now.pop(key, None)
        started = any(line["type"] == "planned" for line in self.lines)
        return Counter(now.values()) if started else Counter(["starting"])


def _matches(line: Mapping[str, Any], kind: str, fields: Mapping[str, object]) -> bool:
    told = line["event"] if line["type"] == "event" else line
    return told["type"] == kind and all(told.get(name) == value for name, value in fields.items())


def steady(out: Path) -> Any:
    """`results.json` without what two runs of the same never have in common."""

    def without(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without(one) for name, one in value.items() if name not in VOLATILE}
        return [without(one) for one in value] if isinstance(value, list) else value

    return without(json.loads((out / "results.json").read_bytes()))


def rates(out: Path) -> list[list[str]]:
    """The cells of `suite.md`, from what they are to how many gave no evidence."""
    table = (out / "suite.md").read_text().partition("| task |")[2].partition("\n\n")[0]
    return [re.split(r" *\| *", line.strip("| "))[:8] for line in table.splitlines()]


def traces(out: Path) -> set[tuple[str, ...]]:
    """Every try of an attempt that has begun a trace, wherever below *out* it is now."""
    found = set()
    for path in out.rglob("trace.jsonl*"):
        line = path.read_text().partition("\n")[0]
        if line.endswith("}"):
            began = json.loads(line)
            names = ("run_id", "task", "agent", "affordance_policy", "attempt", "ts")
            found.add(tuple(str(began[name]) for name in names))
    return found
