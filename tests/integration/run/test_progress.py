"""What is shown of calls with many attempts, as a person or a program sees it; no engine."""

from __future__ import annotations

import json
import os
import sys
import threading

import pexpect
import pytest
from jsonschema import Draft202012Validator

from fakes.glass import Glass
from fakes.program import finish, start, wait_until, write_task
from quickstarted.console.live.json_lines.schema import progress_schema
from quickstarted.sandbox.local.folders import BASE_VARIABLE

FLAGS = ["--backend", "local", "--allow-unenforced"]
PASSES = "replay: ['echo hello']\nsuccess: {expect_output: {contains: hello}}\n"
FAILS = "replay: ['exit 3']\nsuccess: {script: 'qs_fail nothing was made'}\n"
LONG = "replay: ['touch {mark}; sleep 60']\nsuccess: {{script: 'true'}}\n"


@pytest.fixture(name="env")
def _env(tmp_path):
    return {BASE_VARIABLE: str(tmp_path / "attempts")}


def _run(tmp_path, env, body, *flags):
    task = write_task(tmp_path, body)
    args = ["run", task, "--out", tmp_path / "results", *FLAGS, *flags]
    process = start(args, env=env)
    return finish(process, tmp_path / "results")


@pytest.mark.parametrize("flags", [[], ["--verbose"], ["--quiet"], ["--repeat", "3"]])
def test_with_json_every_line_of_standard_output_is_one_of_the_schema(tmp_path, env, flags):
    done = _run(tmp_path, env, FAILS, "--json", "--workers", "2", *flags)
    schema = Draft202012Validator(progress_schema())
    lines = [json.loads(line) for line in done.out.splitlines()]
    for line in lines:
        schema.validate(line)

    assert 1 == done.code
    assert "summary" == lines[-1]["type"]
    endings = [line["result"]["classification"] for line in lines if line["type"] == "ended"]
    assert ["docs_gap"] * (3 if "--repeat" in flags else 1) == endings
    assert "nothing was made" not in done.err


def test_quiet_says_the_verdict_of_each_attempt_and_nothing_else(tmp_path, env):
    done = _run(tmp_path, env, PASSES, "--quiet", "--repeat", "3", "--workers", "3")
    lines = sorted(done.out.splitlines())

    assert "" == done.err
    assert [f"probe replay #{number} | [PASS, nothing enforced] probe" for number in (1, 2, 3)] == [
        line.partition(" (")[0] for line in lines
    ]


def test_a_log_has_lines_that_name_their_attempt_and_no_table(tmp_path, env):
    done = _run(tmp_path, {**env, "FORCE_COLOR": "1"}, PASSES, "--repeat", "2", "--workers", "2")

    assert "\x1b[1A" not in done.err + done.out
    first, *lines, last = done.err.splitlines()
    assert "2 attempts of 1 cell" == first
    assert "2 of 2 done, 2 passed" == last
    assert all("probe replay #" in line for line in lines)


@pytest.mark.parametrize("flag", ["--show-prompt"])
def test_text_and_json_are_not_mixed(tmp_path, env, flag):
    done = _run(tmp_path, env, PASSES, "--json", flag)

    assert (3, "") == (done.code, done.out)
    assert f"{flag} prints text" in done.err


class Seen:
    """The program on a terminal that is looked at."""

    def __init__(self, args, env, columns=100, rows=24, **more):
        self.glass = Glass(columns, rows)
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "quickstarted", *map(str, args)],
            env={**os.environ, "TERM": "xterm", **env, **more},
            dimensions=(rows, columns),
            timeout=60,
            encoding="utf-8",
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self):
        try:
            while True:
                # The terminal of the kernel has made its line ends already.
                self.glass.write(self.child.read_nonblocking(65536, None).replace("\r\n", "\n"))
        except pexpect.EOF:
            return

    def leaves(self):
        self._reader.join(120)
        self.child.close()
        return self.child.exitstatus


@pytest.mark.parametrize(("columns", "rows"), [(100, 24), (40, 12)])
def test_a_terminal_has_a_table_that_gives_way_to_what_came_out(tmp_path, env, columns, rows):
    task = write_task(tmp_path, FAILS)
    args = ["run", task, "--out", tmp_path / "results", *FLAGS, "--repeat", "4", "--workers", "2"]
    seen = Seen(args, env, columns, rows)

    assert 1 == seen.leaves()
    lines = seen.glass.all_lines
    assert 4 == sum(line.startswith("[FAIL docs_gap") for line in lines)
    assert 1 == sum(line.startswith("cell ") for line in lines)
    assert lines[-1].startswith("4 of 4 done, 0 passed")
    assert not [line for line in lines if line.startswith("under way")]
    assert seen.glass.has_cursor


def test_the_first_ctrl_c_is_answered_above_the_table_and_nothing_is_left_of_it(tmp_path, env):
    mark = tmp_path / "mark"
    task = write_task(tmp_path, LONG.format(mark=mark))
    args = ["run", task, "--out", tmp_path / "results", *FLAGS, "--repeat", "2", "--workers", "2"]
    seen = Seen(args, env)
    wait_until(mark.exists, "a command runs")
    wait_until(lambda: any("sleep 60" in line for line in seen.glass.lines), "it is shown")
    seen.child.send("\x03")

    assert 130 == seen.leaves()
    lines = seen.glass.all_lines
    assert 1 == sum(line.startswith("ending cleanly; press Ctrl-C again") for line in lines)
    assert 1 == sum(line.startswith("cell ") for line in lines)
    assert seen.glass.has_cursor


def test_leaving_at_once_gives_the_cursor_back(tmp_path, env):
    mark = tmp_path / "mark"
    body = f"replay: ['touch {mark}; trap \"\" INT TERM; sleep 60']\nsuccess: {{script: 'true'}}\n"
    task = write_task(tmp_path, body)
    args = ["run", task, "--out", tmp_path / "results", *FLAGS, "--repeat", "2", "--workers", "2"]
    seen = Seen(args, env)
    wait_until(lambda: mark.exists() and not seen.glass.has_cursor, "the table is drawn")
    seen.child.send("\x03")
    wait_until(lambda: "ending cleanly" in "\n".join(seen.glass.lines), "the first answer")
    seen.child.send("\x03")

    assert 130 == seen.leaves()
    assert seen.glass.has_cursor
    wait_until(lambda: not [*(tmp_path / "attempts").iterdir()], "the end of its folders")
