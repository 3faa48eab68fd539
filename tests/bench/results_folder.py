"""
How long a results folder with ten thousand attempts takes, and in how much memory.

    python tests/bench/results_folder.py [ATTEMPTS]

The attempts are of fifty tasks under two conditions, in four shards, with traces of about twenty
events; about 300 MB of disk are used and given back. Each job is the command itself in a process
of its own. Its time is from start to end, its memory the highest that it ever had.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / part) for part in ("harness", "proxy", "tests")]

from fakes.results_folders import Made, key_of, write_call  # noqa: E402
from quickstarted.agents import agent_named  # noqa: E402
from quickstarted.condition import Condition  # noqa: E402
from quickstarted.plan import AttemptPlan  # noqa: E402
from quickstarted.results import RunRecord  # noqa: E402
from quickstarted.task import Task, load_task  # noqa: E402
from quickstarted.task_contents import TaskContents  # noqa: E402

DEFAULT_ATTEMPTS = 10_000
TASKS = 50
SHARDS = 4
COMMANDS = 8
LIMIT_S = 10.0
LIMIT_MEMORY_MB = 500
MB = 1_000_000
TASK = """\
    name: {name}
    goal: Do as the page says, and leave a server that answers.
    docs:
      path: ["https://docs.example/{name}"]
      sites: {{"https://docs.example/": site}}
    workspace: start
    replay: ['pip install {name}', '{name} --version']
    success: {{script: 'test -s made'}}
    """
AFFORDANCES = ("all", "none")


@dataclass(frozen=True, kw_only=True)
class Figures:
    """What a command took."""

    seconds: float
    memory_mb: float
    code: int
    said: str


@dataclass(frozen=True, kw_only=True)
class Planned(Made):
    """An attempt whose `run.json` is that of a plan, so that a call can go on with it."""

    plan: AttemptPlan

    def record(self, backend: str = "local", events: Sequence[object] = ()) -> RunRecord:
        """As the plan says."""
        return self.plan.record("local" if backend == "docker" else backend, list(events))  # type: ignore[arg-type]


def main() -> None:
    """Make the folders, time the commands, print both."""
    attempts = int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_ATTEMPTS
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        began = time.perf_counter()
        # Not here: a command's highest memory begins with that of the process that starts it.
        with ProcessPoolExecutor(1) as pool:
            number = pool.submit(make, base, attempts).result()
        made = f"{number:,} attempts of {TASKS} tasks in {SHARDS} shards"
        print(f"{made}, made in {time.perf_counter() - began:.0f} s")
        print_figures({job: run(args) for job, args in jobs(base, number)})


def make(base: Path, attempts: int) -> int:
    """
    Make the shards below *base*.

    Returns:
        How many attempts there are in all of them.

    """
    plans = planned(write_tasks(base), attempts // TASKS // len(AFFORDANCES))
    for number, folder in enumerate(shards_in(base)):
        own, shard = plans[number::SHARDS], (number + 1, SHARDS)
        write_call(folder, own, plans, shard=shard, backend="local")
    return len(plans)


def shards_in(base: Path) -> list[Path]:
    """Their folders."""
    return [base / f"shard-{number + 1}" for number in range(SHARDS)]


def write_tasks(base: Path) -> list[Task]:
    """Tasks with a workspace and a local site."""
    for folder in ("site", "start", "tasks"):
        (base / folder).mkdir()
        (base / folder / "index.html").write_text("<h1>Start</h1>\n" * 20)
    (base / "tasks" / "index.html").unlink()
    tasks = []
    for number in range(TASKS):
        path = base / "tasks" / f"task-{number:02}.yaml"
        text = textwrap.dedent(TASK).format(name=path.stem)
        path.write_text(text.replace(": site", ": ../site").replace(": start", ": ../start"))
        tasks.append(load_task(path))
    return tasks


def planned(tasks: Sequence[Task], repeat: int) -> list[Planned]:
    """In the order in which a call begins them."""
    agent, contents = agent_named("replay"), {task.name: TaskContents(task) for task in tasks}
    return [
        Planned(
            key=key_of(number, task=task.name, affordances=affordances),
            plan=AttemptPlan(
                task=task,
                agent=agent,
                attempt=number,
                run_id="r",
                condition=Condition(affordances=affordances),
                contents=contents[task.name],
            ),
            commands=COMMANDS,
            ending={} if number % 3 else {"passed": False, "classification": "docs_gap"},
        )
        for number in range(1, repeat + 1)
        for task in tasks
        for affordances in AFFORDANCES
    ]


def jobs(base: Path, attempts: int) -> Iterator[tuple[str, list[str]]]:
    """Names and arguments of commands; each finds what the one before it has left."""
    out, before = base / "results", base / "before"
    yield "merge", ["merge", *map(str, shards_in(base)), "--out", str(out)]
    call = ["run", str(base / "tasks"), "--agent", "replay", "--out", str(out)]
    call += ["--repeat", str(attempts // TASKS // len(AFFORDANCES))]
    call += [flag for one in AFFORDANCES for flag in ("--affordances", one)]
    call += ["--backend", "local", "--allow-unenforced", "--quiet"]
    yield "run --resume, all done", [*call, "--resume"]
    yield "run --plan", [*call, "--plan"]
    yield "run --plan --resume", [*call, "--plan", "--resume"]
    before.mkdir()
    document = json.loads((out / "results.json").read_bytes())
    for number, one in enumerate(document["runs"]):
        if number % 5 == 0 and one["classification"] == "passed":
            one |= {"passed": False, "classification": "docs_gap"}
    (before / "results.json").write_text(json.dumps(document))
    yield "diff", ["diff", str(before), str(out)]


def run(args: Sequence[str]) -> Figures:
    """One command, in a process of its own."""
    began = time.perf_counter()
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1"}
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "quickstarted", *args],
            env=environ,
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - began
        said.seek(0)
        return Figures(
            seconds=seconds,
            memory_mb=usage.ru_maxrss * 1024 / MB,
            code=process.returncode,
            said=said.read().decode(errors="replace")[-2000:],
        )


def print_figures(figures: dict[str, Figures]) -> None:
    """Beside the limits; a command that failed says why."""
    table = Table("job", "seconds", "of the limit", "memory", "of the limit", "exit code")
    for job, one in figures.items():
        table.add_row(
            job,
            f"{one.seconds:.1f} s",
            f"{one.seconds / LIMIT_S:.0%} of {LIMIT_S:.0f} s",
            f"{one.memory_mb:.0f} MB",
            f"{one.memory_mb / LIMIT_MEMORY_MB:.0%} of {LIMIT_MEMORY_MB} MB",
            str(one.code),
        )
    console = Console(width=110)
    console.print(table)
    for job, one in figures.items():
        if one.code not in {0, 1}:
            console.print(f"{job} ended with {one.code}:\n{one.said}", markup=False)


if __name__ == "__main__":
    main()
