import threading

import pytest

from fakes.attempts import T0, docs_fetch, egress_allowed, run_end, run_start
from quickstarted.console.follow import follow_trace
from quickstarted.errors import TraceInvalid
from quickstarted.trace import TraceWriter, encode, read_trace


def test_what_is_there_and_what_comes_is_told_once_until_run_end(tmp_path):
    path = tmp_path / "trace.jsonl"
    later = [docs_fetch(), run_end()]
    with path.open("ab", buffering=0) as stream:
        stream.write(encode(run_start()))

        told = list(follow_trace(path, wait=lambda: stream.write(encode(later.pop(0)))))

    assert told == [run_start(), docs_fetch(), run_end()]


def test_a_line_is_told_only_when_it_is_whole(tmp_path):
    path = tmp_path / "trace.jsonl"
    rest = encode(run_start()) + encode(run_end())
    pieces = [rest[at : at + 7] for at in range(0, len(rest), 7)]
    with path.open("ab", buffering=0) as stream:
        told = list(follow_trace(path, wait=lambda: stream.write(pieces.pop(0))))

    assert told == [run_start(), run_end()]


def test_the_final_rename_loses_nothing_and_repeats_nothing(tmp_path):
    path = tmp_path / "trace.jsonl"
    events = [docs_fetch(ts=T0 + 5), egress_allowed(ts=T0 + 2), docs_fetch(ts=T0 + 6), run_end()]
    waiting, going = threading.Event(), threading.Event()

    def write() -> None:
        waiting.wait()
        for event in events:
            writer.write(event)
        writer.finish()
        going.set()

    def wait() -> None:
        waiting.set()
        going.wait()

    with TraceWriter(path) as writer:
        writer.write(run_start())
        thread = threading.Thread(target=write)
        thread.start()
        told = list(follow_trace(path, wait=wait))
        thread.join()

    assert told == [run_start(), *events]
    assert sorted(told, key=lambda event: event.ts) == list(read_trace(path))


def test_a_line_that_the_writer_took_back_is_not_told(tmp_path):
    path = tmp_path / "trace.jsonl"
    start, end = encode(run_start()), encode(run_end())
    with path.open("ab", buffering=0) as stream:
        stream.write(start + b'{"ts": 1, "type": "docs_fe')
        steps = iter([lambda: stream.truncate(len(start)), lambda: stream.write(end)])

        def wait() -> None:
            next(steps)()

        told = list(follow_trace(path, wait=wait))

    assert told == [run_start(), run_end()]


def test_a_trace_that_goes_away_ends_the_following(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(encode(run_start()))

    with pytest.raises(TraceInvalid, match="went away before the run ended"):
        list(follow_trace(path, wait=path.unlink))


def test_a_trace_that_is_replaced_before_its_end_ends_the_following(tmp_path):
    path, other = tmp_path / "trace.jsonl", tmp_path / "other"
    path.write_bytes(encode(run_start()))
    other.write_bytes(encode(run_start()))

    with pytest.raises(TraceInvalid, match="went away"):
        list(follow_trace(path, wait=lambda: other.replace(path)))


def test_a_bad_line_is_named_with_its_place(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(encode(run_start()) + b"{}\n")

    with pytest.raises(TraceInvalid, match=r"trace\.jsonl:2: not an event"):
        list(follow_trace(path))


def test_a_trace_that_cannot_be_opened_is_named(tmp_path):
    with pytest.raises(TraceInvalid, match="No such file"):
        list(follow_trace(tmp_path / "trace.jsonl"))
