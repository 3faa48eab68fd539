import errno
import os
import resource
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.attempts import T0, docs_fetch, egress_allowed, run_end, run_start, tool_result
from quickstarted.errors import StorageFault
from quickstarted.events import AgentFinal
from quickstarted.trace import TraceWriter, encode, read_trace


def _said(ts: float, text: str = "x") -> AgentFinal:
    return AgentFinal(ts=ts, text=text)


def test_a_finished_trace_is_sorted_with_run_start_first_and_run_end_last(tmp_path):
    path = tmp_path / "trace.jsonl"
    late = egress_allowed(ts=T0 + 2)
    with TraceWriter(path) as writer:
        for event in (run_start(), docs_fetch(ts=T0 + 5), late, run_end()):
            writer.write(event)
        writer.finish()

    expected = [run_start(), late, docs_fetch(ts=T0 + 5), run_end()]
    assert expected == list(read_trace(path))
    assert [path] == list(tmp_path.iterdir())


def test_an_event_is_with_the_operating_system_when_write_returns(tmp_path):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        for event in (run_start(), docs_fetch()):
            writer.write(event)

            assert path.read_bytes().endswith(encode(event))


@pytest.mark.parametrize(
    ("ts", "placed"), [(T0 - 3, T0), (T0 + 99, T0 + 10)], ids=["before", "after"]
)
def test_an_event_outside_the_run_is_moved_to_its_bound_and_keeps_its_own_time(
    tmp_path, ts, placed
):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write(run_start())
        writer.write(run_end())
        writer.write(egress_allowed(ts=ts))
        writer.finish()

    middle = list(read_trace(path))[1]
    assert (placed, ts) == (middle.ts, middle.model_extra["ts_reported"])


def test_run_end_is_never_earlier_than_what_happened(tmp_path):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write(run_start())
        writer.write(egress_allowed(ts=T0 + 10.02))
        writer.write(run_end(T0 + 10))
        writer.finish()

    assert [event.ts for event in read_trace(path)] == [T0, T0 + 10.02, T0 + 10.02]


def test_a_trace_begins_with_run_start(tmp_path):
    with (
        TraceWriter(tmp_path / "trace.jsonl") as writer,
        pytest.raises(RuntimeError, match="docs_fetch, but a trace has one run_start, first"),
    ):
        writer.write(docs_fetch())


@pytest.mark.parametrize("again", [run_start(), run_end()], ids=["run_start", "run_end"])
def test_a_trace_has_one_start_and_one_end(tmp_path, again):
    with TraceWriter(tmp_path / "trace.jsonl") as writer:
        writer.write(run_start())
        writer.write(run_end())
        with pytest.raises(RuntimeError, match=again.type):
            writer.write(again)


def test_nothing_comes_after_finish(tmp_path):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write(run_start())
        writer.write(run_end())
        writer.finish()
        with pytest.raises(RuntimeError, match="after the end of the trace"):
            writer.write(docs_fetch())
        with pytest.raises(RuntimeError, match="finished before"):
            writer.finish()

    assert [run_start(), run_end()] == list(read_trace(path))


def test_nothing_is_written_to_a_closed_trace(tmp_path):
    with TraceWriter(tmp_path / "trace.jsonl") as writer:
        writer.write(run_start())
    with pytest.raises(RuntimeError, match="after the end"):
        writer.write(docs_fetch())


def test_a_run_without_an_end_cannot_be_finished(tmp_path):
    with TraceWriter(tmp_path / "trace.jsonl") as writer:
        writer.write(run_start())
        with pytest.raises(RuntimeError, match="no run_end"):
            writer.finish()


def test_a_trace_that_is_there_is_never_touched(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_text("precious")
    with pytest.raises(StorageFault, match="Another run writes to the same folder"):
        TraceWriter(path).__enter__()

    assert path.read_text() == "precious"


def test_lines_are_ascii_and_fields_that_say_nothing_are_left_out():
    line = encode(tool_result(output="é\udcff\x1b[0m"))

    assert line.isascii()
    assert b"cwd" not in line
    assert b"null" in encode(run_end(passed=None))


def _limited(path: Path, limit_bytes: int, script: str) -> subprocess.CompletedProcess[str]:
    """Run *script* where no file can become larger than *limit_bytes*, as on a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

    return subprocess.run(
        [sys.executable, "-c", script, str(path)],
        preexec_fn=limit,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


FULL_DISK = """
import sys
from pathlib import Path
from fakes.attempts import *
from quickstarted.errors import StorageFault
from quickstarted.trace import TraceWriter
path = Path(sys.argv[1])
with TraceWriter(path) as writer:
    writer.write(run_start())
    writer.write(docs_fetch(ts=T0 + 9))
    try:
        writer.write(tool_result(output="x" * 4000))
    except StorageFault as fault:
        assert writer.fault is fault, writer.fault
        print(fault.message)
    writer.write(run_end())
"""


def test_a_write_that_fails_leaves_whole_lines_and_is_remembered(tmp_path):
    path = tmp_path / "trace.jsonl"
    done = _limited(path, 2000, FULL_DISK)

    assert f"cannot write {path}: {os.strerror(errno.EFBIG)}\n" == done.stdout, done.stderr
    assert [run_start(), docs_fetch(ts=T0 + 9), run_end()] == list(read_trace(path))


NO_ROOM_TO_SORT = """
import os, resource, sys
from pathlib import Path
from fakes.attempts import *
from quickstarted.errors import StorageFault
from quickstarted.trace import TraceWriter
path = Path(sys.argv[1])
with TraceWriter(path) as writer:
    for event in (run_start(), docs_fetch(ts=T0 + 9), docs_fetch(ts=T0 + 1), run_end()):
        writer.write(event)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 1_000_000))
    try:
        writer.finish()
    except StorageFault as fault:
        assert writer.fault is fault
        print("kept")
"""


def test_a_trace_that_cannot_be_put_in_order_stays_whole(tmp_path):
    path = tmp_path / "trace.jsonl"
    done = _limited(path, 1_000_000, NO_ROOM_TO_SORT)

    assert done.stdout == "kept\n", done.stderr
    assert [event.ts for event in read_trace(path)] == [T0, T0 + 9, T0 + 1, T0 + 10]
    assert [path] == list(tmp_path.iterdir())


WRITE_FOR_EVER = """
import sys
from pathlib import Path
from fakes.attempts import *
from quickstarted.trace import TraceWriter
with TraceWriter(Path(sys.argv[1])) as writer:
    writer.write(run_start())
    number = 0
    while True:
        writer.write(tool_result(number, output="x" * 300))
        number += 1
        if number % 50 == 0:
            print(number, flush=True)
"""


def test_sigkill_of_the_writer_leaves_every_line_that_was_written(tmp_path):
    path = tmp_path / "trace.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", WRITE_FOR_EVER, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
    ) as writer:
        assert writer.stdout is not None
        for _ in range(10):
            said = int(writer.stdout.readline())
        writer.kill()
    events = list(read_trace(path, on_torn=lambda _: None))

    assert run_start() == events[0]
    assert list(range(len(events) - 1)) == [event.exit_code for event in events[1:]]
    assert len(events) > said


TIMES = st.floats(T0 - 2, T0 + 12, allow_nan=False)


@given(st.lists(st.lists(TIMES, max_size=12), min_size=1, max_size=4))
def test_events_of_several_threads_are_complete_and_sorted(tmp_path_factory, of_threads):
    path = tmp_path_factory.mktemp("threads") / "trace.jsonl"
    with TraceWriter(path) as writer:
        writer.write(run_start())

        def write_all(thread: int, times: list[float]) -> None:
            for number, ts in enumerate(times):
                writer.write(_said(ts, f"{thread}.{number}"))

        threads = [
            threading.Thread(target=write_all, args=(number, times))
            for number, times in enumerate(of_threads)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        writer.write(run_end())
        writer.finish()
    first, *middle, last = list(read_trace(path))

    assert (first.type, last.type) == ("run_start", "run_end")
    times = [event.ts for event in (first, *middle, last)]
    assert sorted(times) == times
    expected = [
        f"{thread}.{number}" for thread, of in enumerate(of_threads) for number in range(len(of))
    ]
    assert sorted(expected) == sorted(event.text for event in middle)
