"""`quickstarted show` as a process of its own: pipes, encodings, exit codes."""

import os
import shutil
import subprocess
import sys

import pytest

from fakes.attempts import docs_fetch, run_end, run_start, tool_call, tool_result
from fakes.golden import TRACES
from quickstarted.trace import TraceWriter, encode


def _environment(**extra) -> dict[str, str]:
    path = os.pathsep.join(sys.path)
    known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return {**known, "PYTHONPATH": path, "LC_ALL": "C.UTF-8", "COLUMNS": "80", **extra}


def _show(*args, **environment) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "quickstarted", "show", *map(str, args)],
        env=_environment(**environment),
        capture_output=True,
        check=False,
        timeout=60,
    )


def test_a_folder_is_shown_and_the_verdict_is_not_the_exit_code(tmp_path):
    shutil.copy(TRACES / "docs_gap.jsonl", tmp_path / "trace.jsonl")
    done = _show(tmp_path)

    assert (done.returncode, done.stderr) == (0, b"")
    assert b"[FAIL docs_gap] widget-server" in done.stdout


def test_in_a_pipe_lines_stay_whole_and_without_colours():
    done = _show(TRACES / "passed.jsonl", COLUMNS="", TERM="xterm-256color")
    text = done.stdout.decode()

    assert "read     https://flask.palletsprojects.com/en/stable/quickstart/  20,000 of" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_every_encoding_of_the_terminal_works(tmp_path, encoding):
    path = tmp_path / "trace.jsonl"
    with TraceWriter(path) as writer:
        for event in (
            run_start(),
            tool_call("echo 漢é"),
            tool_result(1, output="✗ 失敗\n"),
            run_end(passed=False, classification="docs_gap"),
        ):
            writer.write(event)
    done = _show(path, PYTHONIOENCODING=encoding, PYTHONUTF8="0")

    assert done.returncode == 0, done.stderr
    assert "漢é".encode(encoding, "backslashreplace") in done.stdout


def test_a_torn_trace_is_shown_with_a_note():
    done = _show(TRACES / "torn.jsonl")
    notes = done.stderr.decode()

    assert done.returncode == 0
    assert "torn.jsonl:24: the last line is torn after 71 bytes" in notes
    assert "has no run_end: the run goes on (see --follow) or was killed" in notes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not json\n", "trace.jsonl:1: not JSON"),
        (b'{"ts": 1, "type": "run_end"}\n', "trace.jsonl:1: run_end.stop_reason: Field required"),
    ],
)
def test_what_is_no_trace_is_named_and_exits_3(tmp_path, content, message):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(content)
    done = _show(path)

    assert done.returncode == 3
    assert message in done.stderr.decode()
    assert b"Traceback" not in done.stderr


def test_several_attempts_are_listed_and_exit_3(tmp_path):
    for number in ("1", "2"):
        (tmp_path / number).mkdir()
        (tmp_path / number / "trace.jsonl").touch()
    done = _show(tmp_path)

    assert done.returncode == 3
    assert f"{tmp_path}/1\n  {tmp_path}/2" in done.stderr.decode()


def test_a_run_is_followed_until_its_end(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(encode(run_start()))
    with subprocess.Popen(
        [sys.executable, "-m", "quickstarted", "show", str(path), "--follow"],
        env=_environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as follower:
        assert follower.stdout is not None
        first = follower.stdout.readline()
        with path.open("ab") as stream:
            stream.write(encode(docs_fetch()) + encode(run_end()))
        rest = follower.stdout.read()

    assert b"run      flask by replay" in first
    assert rest.endswith(b"[PASS] flask (10.0 s, 1 page, 0 commands)\n")
    assert follower.returncode == 0


def test_a_reader_that_went_away_is_no_error(tmp_path):
    path = tmp_path / "trace.jsonl"
    lines = [encode(run_start()), *([encode(docs_fetch())] * 20_000), encode(run_end())]
    path.write_bytes(b"".join(lines))
    with subprocess.Popen(
        [sys.executable, "-m", "quickstarted", "show", str(path)],
        env=_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as shower:
        assert shower.stdout is not None
        assert shower.stderr is not None
        shower.stdout.readline()
        shower.stdout.close()
        complaints = shower.stderr.read()

    assert (shower.returncode, complaints) == (0, b"")


def test_the_help_has_examples():
    done = _show("--help")

    assert b"quickstarted show results/flask --follow" in done.stdout
