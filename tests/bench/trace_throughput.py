"""
How fast traces are written, finished and read, and how much memory it takes.

Run it by hand: `python tests/bench/trace_throughput.py [EVENTS]`.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from quickstarted.events import EgressAllowed, RunEnd, RunStart, ToolResult
from quickstarted.results import summarise
from quickstarted.trace import TraceWriter, encode, read_trace

DEFAULT_EVENTS = 100_000
OUTPUT = "Collecting a-package\n" * 20
T0 = 1_000.0


def events(number: int) -> Iterator[ToolResult | EgressAllowed]:
    """Commands with some output among requests, out of order by up to a second."""
    shuffled = random.Random(7)
    for at in range(number):
        ts = T0 + at / 100 - shuffled.random()
        if at % 4 == 0:
            yield ToolResult(
                ts=ts,
                tool="bash",
                exit_code=0,
                duration=0.1,
                timed_out=False,
                output=OUTPUT,
                scope=at,
            )
        else:
            yield EgressAllowed(
                ts=ts, host="files.example", port=443, method="GET", path=f"/{at}", status=200
            )


@contextmanager
def timed(what: str, number: int, size_bytes: int = 0) -> Iterator[None]:
    """Print the rate of what happens inside."""
    start = time.perf_counter()
    yield
    took = time.perf_counter() - start
    volume = f", {size_bytes / took / 1e6:8.1f} MB/s" if size_bytes else ""
    print(f"{what:<28} {number / took:10,.0f} events/s{volume}")


def main(number: int) -> None:
    """Write, finish, read and summarise one trace."""
    made = list(events(number))
    size = sum(len(encode(event)) for event in made)
    floor_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory(dir=os.environ.get("QS_BENCH_DIR")) as folder:
        plain = Path(folder) / "plain"
        lines = [encode(event) for event in made]
        descriptor = os.open(plain, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        with timed("bare os.write of the lines", number, size):
            for line in lines:
                os.write(descriptor, line)
        os.close(descriptor)
        path = Path(folder) / "trace.jsonl"
        with TraceWriter(path) as writer:
            writer.write(
                RunStart(
                    ts=T0 - 2,
                    task="bench",
                    agent="replay",
                    backend="docker",
                    enforced=True,
                    attempt=1,
                    affordance_policy="all",
                )
            )
            with timed("TraceWriter.write", number, size):
                for event in made:
                    writer.write(event)
            writer.write(
                RunEnd(
                    ts=T0 + number, stop_reason="completed", passed=True, classification="passed"
                )
            )
            with timed("TraceWriter.finish", number, size):
                writer.finish()
        with timed("read_trace", number, size):
            for _ in read_trace(path):
                pass
        with timed("read_trace and summarise", number, size):
            summarise(read_trace(path))
        print(f"{path.stat().st_size / 1e6:.0f} MB in {number + 2:,} lines")
    peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory above the events themselves: {(peak_kb - floor_kb) / 1024:.0f} MB")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_EVENTS)
