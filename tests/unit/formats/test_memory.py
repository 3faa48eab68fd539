"""
What is read, checked and converted takes the memory of its longest part, not of the whole.

Jobs that look back, as those of agent logs do, keep a window of some megabytes; how much memory
they take is measured with longer files, in tests/bench/formats.py.
"""

import io
import json
import tracemalloc

import pytest

from fakes import attempts
from fakes.agent_logs import events, lines
from fakes.traces import written
from quickstarted.formats.agent_log import withhold
from quickstarted.formats.export import TARGETS, convert
from quickstarted.formats.lines import open_buffered
from quickstarted.formats.trajectory import check_trajectories
from quickstarted.formats.trajectory.importing import (
    FolderSink,
    ImportOptions,
    LinesSink,
    import_file,
)

TIMES = 8
FEW = 400
MORE_BYTES = 1_000_000
"""What a file of eight times the length may take more; it is longer by two megabytes and more."""
OUTPUT = "Collecting widget\n" * 50


class Nowhere(io.RawIOBase):
    """Takes everything and keeps nothing."""

    def writable(self):
        return True

    def write(self, data):
        return len(data)


def log_of(folder, turns):
    start, request, response, action, end = events()
    whole = [start]
    for number in range(turns):
        name = f"r{number}"
        answer = {**response["data"], "id": name, "text": f"{number} {OUTPUT}"}
        sent = {**action["data"], "call": name}
        for one, data in ((request, {"messages": OUTPUT}), (response, answer), (action, sent)):
            whole.append({**one, "data": data})
    whole.append(end)
    for seq, one in enumerate(whole):
        one |= {"seq": seq, "at": "2026-10-22T18:00:00Z", "elapsedMs": 0}
    path = folder / "log.jsonl"
    path.write_bytes(lines(whole))
    return path


def trace_of(folder, turns):
    middle = []
    for number in range(turns):
        call = {"call_id": f"c{number}"}
        middle += [
            attempts.agent_turn(number + 1, text="Now install."),
            attempts.tool_call("pip install x", **call),
            attempts.tool_result(output=OUTPUT, **call),
        ]
    start = attempts.run_start(agent="claude", model="model-a")
    return written(folder, [start, *middle, attempts.run_end()])


def trajectories_of(folder, number):
    path = folder / "runs.jsonl"
    with path.open("w") as stream:
        for run in range(number):
            name = f"run-{run}"
            event = {"trace_id": name, "event_id": "e", "output": OUTPUT * 8}
            stream.write(json.dumps({"trace_id": name, "events": [event]}) + "\n")
    return path


def imported(path):
    import_file(path, LinesSink(Nowhere()), ImportOptions())


def imported_to_a_folder(path):
    """One long run, which standard output gets out of a file, up to 8 MB of it in memory."""
    import_file(path, FolderSink(path.parent / "out", force=True), ImportOptions())


def withheld(path):
    with open_buffered(path) as stream:
        withhold(stream, Nowhere(), lambda line, words: None)


JOBS = {
    "withholding": (log_of, withheld),
    "import of a log": (log_of, imported_to_a_folder),
    "import of a trace": (trace_of, imported_to_a_folder),
    "check of trajectories": (trajectories_of, check_trajectories),
    "import of trajectories": (trajectories_of, imported),
} | {
    target: (trace_of, lambda path, target=target: convert(path, target, Nowhere()))
    for target in TARGETS
    if target != "agent-log"
}


def peak_bytes(job, path):
    tracemalloc.start()
    try:
        job(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", JOBS)
def test_memory_does_not_grow_with_the_file(tmp_path, name):
    make, job = JOBS[name]
    job(make(tmp_path, 2))
    few = peak_bytes(job, make(tmp_path, FEW))
    path = make(tmp_path, FEW * TIMES)

    assert path.stat().st_size > 2 * MORE_BYTES
    assert peak_bytes(job, path) - few < MORE_BYTES
