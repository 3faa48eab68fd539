"""Calls that are killed again and again end with the table of one that nobody has disturbed."""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fakes.followed import Followed, rates, steady, traces
from fakes.program import finish, start, wait_until, write_task
from quickstarted.sandbox.local.folders import BASE_VARIABLE

pytestmark = pytest.mark.docker

LOCAL = ("--backend", "local", "--allow-unenforced")
TASKS = {
    "one": """\
        setup: [echo ready]
        replay: [echo hello > made, sleep 0.1, cat made]
        success: {script: 'sleep 0.1; test -s made', expect_output: {contains: hello}}
        teardown: [sleep 0.05]
        """,
    "two": """\
        replay: [echo hello, sleep 0.2]
        success: {script: 'sleep 0.1; false'}
        """,
    "three": """\
        services: [sleep 100]
        replay: ['for n in 1 2 3 4; do echo $n; sleep 0.05; done', 'false']
        success: {script: 'true'}
        """,
}


@dataclass
class Killed:
    """A call that is killed at moments drawn by lot, and gone on with."""

    folder: Path
    flags: tuple[str, ...]
    seed: int = 20261201
    env: dict[str, str] = field(default_factory=dict)
    phases: Counter[str] = field(default_factory=Counter)
    """In which phase attempts were when they were cut short."""
    pids: list[int] = field(default_factory=list)
    began: set[tuple[str, ...]] = field(default_factory=set)
    """Every trace that was seen at the moment of a kill."""

    def undisturbed(self, out: Path) -> int:
        """Make everything in one go; the exit code."""
        process = start(["run", *self._args, "--quiet", "--out", out], env=self.env)
        self.pids.append(process.pid)
        return finish(process, out).code

    def kill(self, out: Path, times: int, most_lines: int) -> None:
        """
        Kill a call *times*, going on with it each time.

        A moment is a number of lines that the call has printed, one drawn from each of as many
        parts of *most_lines*, and a short while: so it lands where work is, however fast the
        machine. Some are before the first line, while the program is loaded.
        """
        lot = random.Random(self.seed)
        parts = [most_lines * number // times for number in range(times + 1)]
        moments = [lot.randrange(*part) for part in itertools.pairwise(parts)]
        lot.shuffle(moments)
        for number, lines in enumerate(moments):
            call = Followed([*self._args, "--resume"], out, self.env)
            self.pids.append(call.process.pid)
            if number % 7 == 3:
                time.sleep(lot.uniform(0.1, 0.8))
            else:
                there = call.wait_for(lambda seen, lines=lines: len(seen) >= lines)
                assert there, f"kill {number}: the call ended before it:\n{call.said}"
                time.sleep(lot.uniform(0, 0.1))
            call.kill()
            self.phases += call.phases()
            self.began |= traces(out)

    def go_on(self, out: Path) -> int:
        """Go on to the end; the exit code."""
        call = Followed([*self._args, "--resume"], out, self.env)
        self.pids.append(call.process.pid)
        return call.finish().code

    @property
    def _args(self) -> list[str | Path]:
        return [*(self.folder / f"{name}.yaml" for name in TASKS), *self.flags]


@pytest.fixture(name="killed")
def _killed(tmp_path):
    for name, body in TASKS.items():
        write_task(tmp_path, body, name=name)

    def make(*flags):
        return Killed(tmp_path, flags, env={BASE_VARIABLE: str(tmp_path / "attempts")})

    return make


def test_twenty_kills_of_thirty_attempts_change_nothing_in_the_table(killed, tmp_path):
    both = ("--affordances", "all", "--affordances", "none")
    calls = killed(*LOCAL, *both, "--repeat", "5", "--workers", "4")
    whole, out = tmp_path / "whole", tmp_path / "out"

    code = calls.undisturbed(whole)
    calls.kill(out, times=20, most_lines=70)
    assert code == calls.go_on(out) == 1

    assert 30 == len(steady(out)["runs"])
    assert steady(whole) == steady(out)
    assert rates(whole) == rates(out)
    assert calls.began <= traces(out)
    assert {"starting", "opening", "working", "judging"} <= set(calls.phases), calls.phases
    assert [] == [*(tmp_path / "attempts").iterdir()]
    assert [] == list(out.rglob("*.tmp"))


@pytest.mark.slow
def test_kills_of_containers_change_nothing_in_the_table_and_leave_nothing(
    killed, tmp_path, left_by
):
    calls = killed("--repeat", "3", "--workers", "3")
    whole, out = tmp_path / "whole", tmp_path / "out"

    code = calls.undisturbed(whole)
    calls.kill(out, times=5, most_lines=72)
    assert code == calls.go_on(out) == 1

    assert 9 == len(steady(out)["runs"])
    assert steady(whole) == steady(out)
    assert rates(whole) == rates(out)
    assert calls.began <= traces(out)
    assert {"opening", "working"} < set(calls.phases), calls.phases
    wait_until(lambda: not any(map(left_by, calls.pids)), "the sweep of what the killed left")
