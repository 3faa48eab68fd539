"""
What showing a call costs: 64 attempts with 50 events a second each, for some seconds.

Printed is the processor time of a process that plays the events to a show, less that of one that
plays them to nobody, as a share of one processor. The terminal is a pseudo-terminal of 50 lines by
160 columns that somebody reads.
"""

from __future__ import annotations

import os
import pty
import resource
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from rich.console import Console

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fakes import attempts as fake
from fakes.shown_calls import planned
from quickstarted.console.live.json_lines.show import JsonShow
from quickstarted.console.live.labelled import LabelledShow
from quickstarted.console.live.show import Show
from quickstarted.console.live.sink import Sink
from quickstarted.console.live.table import TableShow
from quickstarted.console.output import Terminal

ATTEMPTS, EVENTS_PER_S, SECONDS = 64, 50, 8
ROWS, COLUMNS = 50, 160


def main() -> None:
    """Measure each way of showing, and print a line for it."""
    reader, terminal = pty.openpty()
    os.environ.update(COLUMNS=str(COLUMNS), LINES=str(ROWS), TERM="xterm-256color")
    read = _drain(reader)
    stream = os.fdopen(terminal, "w")
    with Path(os.devnull).open("w") as log:
        _measure_all(stream, log, read)


def _measure_all(stream: TextIO, log: TextIO, read: list[int]) -> None:
    alone = _measure(None)
    ways: dict[str, Callable[[], Show]] = {
        "table": lambda: TableShow(Terminal(file=stream)),
        "lines": lambda: LabelledShow(_sink(log), _sink(log)),
        "json": lambda: JsonShow(log),
    }
    for name, make in ways.items():
        before = read[0]
        share = _measure(make()) - alone
        said = f", {(read[0] - before) / SECONDS / 1000:.1f} kB/s" if name == "table" else ""
        print(f"{name}: {share:.1%} of one processor{said}")


def _sink(stream: TextIO) -> Sink:
    return Sink(Console(file=stream, width=10_000, highlight=False, markup=False))


def _drain(reader: int) -> list[int]:
    total = [0]

    def run() -> None:
        # The terminal's other end is closed last.
        with suppress(OSError):
            while data := os.read(reader, 65536):
                total[0] += len(data)

    threading.Thread(target=run, daemon=True).start()
    return total


def _measure(show: Show | None) -> float:
    attempts = planned(8, ATTEMPTS // 8)
    events = [
        event
        for said in (
            fake.tool_call("pip install flask"),
            fake.tool_result(),
            fake.agent_turn(3),
            fake.docs_fetch(),
            fake.tool_call("curl -fsS http://127.0.0.1:5000/"),
        )
        for event in [said, *[fake.egress_allowed()] * (EVENTS_PER_S // 5 - 1)]
    ]
    if show is not None:
        show.planned(attempts, [])
        for one in attempts:
            show.begun(one.key)
            show.phase(one.key, "working")
    used = resource.getrusage(resource.RUSAGE_SELF)
    began = time.monotonic()
    for second in range(SECONDS):
        for place, event in enumerate(events):
            for one in attempts:
                if show is not None:
                    show.heard(one.key, event)
            time.sleep(max(0.0, began + second + place / EVENTS_PER_S - time.monotonic()))
    took = time.monotonic() - began
    now = resource.getrusage(resource.RUSAGE_SELF)
    if show is not None:
        show.close()
    return (now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime) / took


if __name__ == "__main__":
    main()
