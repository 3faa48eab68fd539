"""
How fast logs are checked, withheld and converted, and in how much memory, on one core.

    python tests/bench/formats.py [MEGABYTES]

The log of turns is what a scaffold writes: a request with the prompt and the board, a response, an
action, an observation. The log of short lines has nothing but what the format asks for, and is the
worst there is for who works line by line. The trace is of a model's turns: what it says, a command
with 3.2 kB of output, two requests; that of requests has nothing else. Each job is the command
itself; its time is the processor's, from start to end, and its memory is the highest that it ever
had.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

DEFAULT_MB = 50
MB = 1_000_000
LIMIT_MB_S = 50
LIMIT_MEMORY_MB = 200
PROMPT = "You play a falling-block game. Think of the next two pieces before you press. " * 12
BOARD = "....##....\n" * 20
START = {
    "game": "block-drop",
    "category": "any-percent",
    "model": "acme/tiny-1",
    "scaffold": {"name": "bench"},
}
PIP_OUTPUT = "Collecting widget\n  Downloading widget-1.2.0-py3-none-any.whl (103 kB)\n" * 45
TARGETS = ("trajectory", "atif", "otlp", "har", "messages", "agent-log")
CONVERT = tuple(f"convert --to {target}" for target in TARGETS)
IMPORT = "trajectory import"
Turn = Callable[[int], list[tuple[str, dict[str, object]]]]


def full_turn(number: int) -> list[tuple[str, dict[str, object]]]:
    """Four events of about 2.3 kB."""
    args = {"button": "AB"[number % 2], "frames": number % 60}
    messages = [
        {"role": "system", "content": PROMPT},
        {"role": "user", "content": f"{BOARD}turn {number}"},
    ]
    response = {
        "id": f"call-{number}",
        "model": "acme/tiny-1",
        "usage": {"input": 812, "output": 64},
        "text": f"Turn {number}: the hole is on the left, so I move there and drop the piece.",
        "actions": [{"name": "press", "args": args}],
    }
    return [
        ("model_request", {"messages": messages}),
        ("model_response", response),
        ("action", {"call": f"call-{number}", "name": "press", "args": args}),
        ("observation", {"summary": "piece locked", "board": [[number % 3, 0, 1]] * 8}),
    ]


def short_turn(number: int) -> list[tuple[str, dict[str, object]]]:
    """Two events of about 280 bytes."""
    asked = {"name": "a", "args": number}
    return [
        ("model_response", {"id": f"{number}", "model": "acme/tiny-1", "actions": [asked]}),
        ("action", {"call": f"{number}", **asked}),
    ]


def log_lines(turn: Turn, size_bytes: int) -> Iterator[bytes]:
    """A valid log of about *size_bytes*."""
    written, seq, number = 0, 0, 0
    while written < size_bytes:
        events = turn(number) if number else [("run_start", dict(START))]
        for kind, data in events:
            line = _line(seq, kind, data)
            written += len(line)
            seq += 1
            yield line
        number += 1
    yield _line(seq, "run_end", {"reason": "goal reached"})


def _line(seq: int, kind: str, data: dict[str, object]) -> bytes:
    seconds, rest_ms = divmod(seq * 20, 1_000)
    day, seconds = divmod(seconds, 86_400)
    at = f"2026-10-{1 + day:02}T{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    event = {"seq": seq, "at": f"{at}.{rest_ms:03}Z", "elapsedMs": seq * 20}
    text = json.dumps({**event, "type": kind, "data": data}, separators=(",", ":"))
    return text.encode() + b"\n"


def trajectory_lines(size_bytes: int) -> Iterator[bytes]:
    """Trajectories of fifty events each, one a line."""
    written, number = 0, 0
    while written < size_bytes:
        trace = f"run-{number}"
        events = [
            {
                "trace_id": trace,
                "event_id": f"{trace}-{at}",
                "event_type": "tool.result",
                "timestamp": "2026-11-02T09:00:00.500Z",
                "step_index": at,
                "input": {"tool": "bash", "command": "pip install widget"},
                "output": "Collecting widget\n" * 20,
                "duration_ms": 12.5,
            }
            for at in range(50)
        ]
        line = json.dumps({"trace_id": trace, "events": events}).encode() + b"\n"
        written += len(line)
        number += 1
        yield line


def trace_turn(number: int) -> list[dict[str, object]]:
    """Five events of about 4.6 kB."""
    ts, call = 1_795_968_000 + number, {"call_id": f"c{number}", "scope": number}
    turn = {
        "ts": ts,
        "type": "agent_turn",
        "turn": number + 1,
        "stop_reason": "tool_use",
        "model": "tiny-1",
        "input_tokens": 800,
        "output_tokens": 60,
        "cache_write_tokens": 0,
        "cache_read_tokens": 12_000,
        "duration": 2.5,
        "text": "The page says to install the package first. " * 4,
    }
    command = {"tool": "bash", "command": f"pip install widget=={number}", **call}
    result = {
        "tool": "bash",
        "exit_code": 0,
        "duration": 0.7,
        "timed_out": False,
        "output": PIP_OUTPUT,
        "output_bytes": len(PIP_OUTPUT),
        "truncated": False,
        "cwd": "/workspace",
        **call,
    }
    return [
        turn,
        {"ts": ts + 0.1, "type": "tool_call", **command},
        *trace_requests(number),
        {"ts": ts + 0.8, "type": "tool_result", **result},
    ]


def trace_requests(number: int) -> list[dict[str, object]]:
    """Two requests, of about 280 bytes each."""
    request = {
        "ts": 1_795_968_000 + number + 0.2,
        "type": "egress_allowed",
        "host": "files.example",
        "port": 443,
        "method": "GET",
        "path": f"/packages/wi/widget-{number}-py3-none-any.whl",
        "status": 200,
        "bytes_in": 103_300,
        "bytes_out": 0,
        "duration": 0.04,
        "via": "explicit",
        "scope": number,
    }
    return [{**request, "seq": 2 * number + at} for at in range(2)]


def trace_lines(turn: Callable[[int], list[dict[str, object]]], size_bytes: int) -> Iterator[bytes]:
    """A trace of about *size_bytes*."""
    start = {
        "ts": 1_795_968_000,
        "type": "run_start",
        "task": "widget",
        "agent": "claude",
        "backend": "docker",
        "enforced": True,
        "attempt": 1,
        "affordance_policy": "all",
    }
    written, number, events = 0, 0, [start]
    while written < size_bytes:
        for event in events:
            line = json.dumps(event).encode() + b"\n"
            written += len(line)
            yield line
        events = turn(number)
        number += 1
    end = {"stop_reason": "completed", "passed": True, "classification": "passed"}
    yield json.dumps({"ts": 1_795_968_000 + number, "type": "run_end", **end}).encode() + b"\n"


def run(job: str, path: Path) -> tuple[float, float]:
    """Seconds of the processor and megabytes of the command *job* for the file *path*."""
    words = [sys.executable, "-m", "quickstarted", *job.split(), str(path)]
    with Path(os.devnull).open("wb") as nowhere:
        program = subprocess.Popen(words, stdout=nowhere, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(program.pid, 0)
    # The process was waited for here, so that its use is known.
    program.returncode = os.waitstatus_to_exitcode(status)
    assert program.returncode == 0, f"{job} ended with {program.returncode}"
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1_024 / MB


def main(megabytes: int) -> None:
    """Make the files, run the jobs, print the table."""
    size_bytes = megabytes * MB
    table = Table("job", "MB", "MB/s", "memory, MB")
    with tempfile.TemporaryDirectory(dir=os.environ.get("QS_BENCH_DIR")) as folder:
        path = Path(folder) / "file.jsonl"
        for title, made, jobs in (
            (
                "turns",
                log_lines(full_turn, size_bytes),
                ("agent-log check", "agent-log withhold", IMPORT),
            ),
            ("short lines", log_lines(short_turn, size_bytes), ("agent-log check", IMPORT)),
            ("trajectories", trajectory_lines(size_bytes), ("trajectory check", IMPORT)),
            ("a trace of turns", trace_lines(trace_turn, size_bytes), (*CONVERT, IMPORT)),
            ("a trace of requests", trace_lines(trace_requests, size_bytes), CONVERT[:-1]),
        ):
            with path.open("wb") as stream:
                stream.writelines(made)
            size_mb = path.stat().st_size / MB
            for job in jobs:
                took_s, peak_mb = run(job, path)
                rate = f"{size_mb / took_s:.0f}"
                table.add_row(f"{job}, {title}", f"{size_mb:,.0f}", rate, f"{peak_mb:.0f}")
    Console().print(table)
    print(f"wanted of turns: {LIMIT_MB_S} MB/s or more; of all: {LIMIT_MEMORY_MB} MB or less")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else DEFAULT_MB)
