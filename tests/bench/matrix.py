"""
Many trivial attempts at once, and how that compares with bare containers, in one run.

    python tests/bench/matrix.py [PART...]      parts: throughput, forty, crowd; default: all

throughput: attempts a minute at 8 workers, against `docker run --rm IMAGE true` at 8 at once.
forty: 40 attempts at 40 workers. crowd: 120 at 64 workers, each a minute long, so that 64 are open
at once; with the memory of harness and sidecars.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from quickstarted.sandbox.engine import connect
from quickstarted.sandbox.images.resolve import resolve

PROGRAM = [sys.executable, "-m", "quickstarted"]
IMAGE = "python:3.13-slim"
TASK = """\
name: trivial
goal: Print a word.
docs: {path: ["https://docs.example/"], sites: {"https://docs.example/": site}}
replay: [echo hello > word]
success: {script: grep -qx hello word}
"""
SHARE_LIMIT = 0.5
"""Of the rate of bare containers."""
MEMORY_LIMIT_GB = 8.0
PARTS = ("throughput", "forty", "crowd")


@dataclass
class Crowd:
    """One call with many attempts."""

    attempts: int
    workers: int
    is_watched: bool = False
    """Whether its memory is measured, which costs the engine some time."""
    took_s: float = 0.0
    evidence: int = 0
    endings: dict[str, int] = field(default_factory=dict)
    peak_bytes: int = 0
    peak_sidecars: int = 0

    @property
    def per_minute(self) -> float:
        return self.attempts / self.took_s * 60


def main() -> None:
    parts = sys.argv[1:] or list(PARTS)
    table = Table("what", "value", "limit", title="many attempts at once")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "site").mkdir()
        (folder / "site" / "index.html").write_text("<main><p>Print a word.</p></main>")
        (folder / "task.yaml").write_text(TASK)
        run(folder, Crowd(1, 1))  # has the images ready
        if "throughput" in parts:
            throughput(folder, table)
        if "forty" in parts:
            told(run(folder, Crowd(40, 40, is_watched=True)), table)
        if "crowd" in parts:
            (folder / "task.yaml").write_text(TASK.replace("echo", "sleep 60; echo"))
            told(run(folder, Crowd(120, 64, is_watched=True)), table)
    Console().print(table)


def throughput(folder: Path, table: Table) -> None:
    """Whole processes: their start, the sidecars and their removal are in it."""
    bare = [bare_per_minute(160, 8)]
    crowds = [run(folder, Crowd(number, 8)) for number in (40, 160)]
    bare.append(bare_per_minute(160, 8))
    base = sum(bare) / 2
    said = ", ".join(f"{one:.0f}" for one in bare)
    table.add_row("docker run --rm IMAGE true, 8 at once: a minute", said, "")
    for crowd in crowds:
        what = f"{crowd.attempts} attempts, 8 workers: a minute"
        table.add_row(what, f"{crowd.per_minute:.0f}", "")
        table.add_row("  share of bare", f"{crowd.per_minute / base:.2f}", f"{SHARE_LIMIT}")
    table.add_section()


def told(crowd: Crowd, table: Table) -> None:
    table.add_row(
        f"{crowd.attempts} attempts, {crowd.workers} workers", f"{crowd.took_s:.1f} s", ""
    )
    table.add_row("  gave evidence", f"{crowd.evidence}", f"{crowd.attempts}")
    table.add_row("  endings", json.dumps(crowd.endings), "")
    table.add_row(
        f"  peak of harness and {crowd.peak_sidecars} sidecars",
        f"{crowd.peak_bytes / 1e9:.2f} GB",
        f"{MEMORY_LIMIT_GB:g} GB",
    )
    table.add_section()


def bare_per_minute(count: int, at_once: int) -> float:
    engine = connect()
    image = resolve(engine, IMAGE).image_id
    engine.close()
    command = ["docker", "run", "--rm", image, "true"]
    began = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(lambda _: subprocess.run(command, check=True), range(count)))
    return count / (time.perf_counter() - began) * 60


def run(folder: Path, crowd: Crowd) -> Crowd:
    out = folder / f"results-{crowd.attempts}"
    command = [*PROGRAM, "run", str(folder / "task.yaml"), "--out", str(out), "--quiet"]
    command += ["--repeat", str(crowd.attempts), "--workers", str(crowd.workers)]
    began = time.perf_counter()
    with (folder / "said.txt").open("w+") as said:
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
        if crowd.is_watched:
            watch_memory(process, crowd)
        code = process.wait()
        crowd.took_s = time.perf_counter() - began
        said.seek(0)
        if code not in {0, 1, 2}:
            sys.exit(f"{command} ended with {code}:\n{said.read()}")
    runs = json.loads((out / "results.json").read_text())["runs"]
    for one in runs:
        crowd.endings[one["classification"]] = crowd.endings.get(one["classification"], 0) + 1
    crowd.evidence = sum(crowd.endings.get(name, 0) for name in ("passed", "docs_gap"))
    assert len(runs) == crowd.attempts
    return crowd


def watch_memory(process: subprocess.Popen[bytes], crowd: Crowd) -> None:
    """Proportional set size of the harness and of every process in a sidecar, every second."""
    engine = connect()
    while process.poll() is None:
        filters = {"label": "quickstarted.role=sidecar", "status": "running"}
        sidecars = engine.api.containers(filters=filters)
        pids = [process.pid]
        for one in sidecars:
            try:
                top = engine.api.top(one["Id"], ps_args="-o pid")
            except Exception:  # noqa: BLE001 (it is gone)
                continue
            pids += [int(row[0]) for row in top["Processes"] or ()]
        total = sum(map(pss, pids))
        if total > crowd.peak_bytes:
            crowd.peak_bytes, crowd.peak_sidecars = total, len(sidecars)
        time.sleep(1)
    engine.close()


def pss(pid: int) -> int:
    try:
        return int(psutil.Process(pid).memory_full_info().pss)
    except psutil.Error:
        return 0


if __name__ == "__main__":
    main()
