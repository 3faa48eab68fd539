"""
Times a trivial replay attempt against bare `docker run --rm` of the same image, in the same run.

    python tests/bench/attempts.py [ROUNDS]

Cold: a whole process, from `quickstarted run` to its exit. Warm: a later attempt of one process,
which takes over the lane of the one before. Limits are those of DESIGN, "What must be fast".
"""

from __future__ import annotations

import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from quickstarted.events import RunEnd, SandboxReady, SuccessCheck, ToolCall, ToolResult
from quickstarted.sandbox.engine import connect
from quickstarted.sandbox.images.resolve import resolve
from quickstarted.trace import read_trace

PROGRAM = [sys.executable, "-m", "quickstarted"]
IMAGE = "python:3.13-slim"
COLD_LIMIT = 6.0
WARM_LIMIT = 3.0
VERSION_LIMIT_S = 0.15

TASK = """\
name: trivial
goal: Print a word.
docs: {path: ["https://docs.example/"], sites: {"https://docs.example/": site}}
replay: [echo hello]
success: {expect_output: {contains: hello}}
"""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "site").mkdir()
        (folder / "site" / "index.html").write_text("<main><p>Print a word.</p></main>")
        (folder / "task.yaml").write_text(TASK)
        attempt(folder, 1)  # builds the sidecar's image where it is missing
        image_id = stand_in_or_image()
        bare, cold, phases = [], [], []
        for _ in range(rounds):
            bare.append(timed(["docker", "run", "--rm", image_id, "true"]))
            cold.append(attempt(folder, 1))
            phases.append(phases_of(folder / "results" / "trivial"))
        attempt(folder, rounds + 1)
        warm = warm_seconds(folder / "results", rounds)
    report(bare, cold, warm, phases)


def attempt(folder: Path, repeat: int) -> float:
    command = [*PROGRAM, "run", folder / "task.yaml", "--out", folder / "results", "--quiet"]
    return timed([*command, "--repeat", str(repeat)])


def timed(command: list[str | Path]) -> float:
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return took


def stand_in_or_image() -> str:
    engine = connect()
    image = resolve(engine, IMAGE).image_id
    engine.close()
    return image


def warm_seconds(results: Path, rounds: int) -> list[float]:
    """From one `run_start` to the next: what an attempt costs in the middle of a matrix."""
    document = json.loads((results / "results.json").read_text())
    starts = [run["started"] for run in document["runs"]]
    assert len(starts) == rounds + 1
    return [later - earlier for earlier, later in itertools.pairwise(starts[1:])]


def phases_of(folder: Path) -> dict[str, float]:
    events = list(read_trace(folder / "trace.jsonl"))
    by_type = {type(event): event for event in events}
    ready = by_type[SandboxReady]
    call, result, check, end = (by_type[t] for t in (ToolCall, ToolResult, SuccessCheck, RunEnd))
    inside = {f"  ready: {name}": seconds for name, seconds in (ready.phases or {}).items()}
    return {
        "ready": ready.duration,
        **inside,
        "command": result.ts - call.ts,
        "settle and check": check.ts - result.ts,
        "end": end.ts - check.ts,
        "attempt": end.duration,
    }


def report(
    bare: list[float], cold: list[float], warm: list[float], phases: list[dict[str, float]]
) -> None:
    median = statistics.median
    base = median(bare)
    table = Table("what", "median s", "min", "max", "x bare", "limit", title="a trivial attempt")

    def row(name: str, values: list[float], limit: str = "") -> None:
        cells = (median(values), min(values), max(values))
        table.add_row(name, *(f"{v:.3f}" for v in cells), f"{cells[0] / base:.2f}", limit)

    row("docker run --rm IMAGE true", bare)
    row("cold: whole process", cold, f"{COLD_LIMIT:g}")
    row("warm: attempt to attempt", warm, f"{WARM_LIMIT:g}")
    table.add_section()
    for name in phases[0]:
        limit = f"{COLD_LIMIT:g}" if name == "attempt" else ""
        row(f"cold phase {name}", [phase.get(name, 0.0) for phase in phases], limit)
    row(
        "cold: process start and end", [c - p["attempt"] for c, p in zip(cold, phases, strict=True)]
    )
    table.add_section()
    row("quickstarted --version", [timed([*PROGRAM, "--version"]) for _ in bare], "0.15 s")
    Console().print(table)


if __name__ == "__main__":
    main()
