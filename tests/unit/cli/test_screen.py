"""Which way of showing fits the streams, and what it is told of a call of the real scheduler."""

import io
import json
import os
import pty
import sys
from contextlib import suppress

import pytest

from fakes.program import write_task
from fakes.suites import RUN_ID, make_suite
from quickstarted.agents.replay import ReplayAgent
from quickstarted.cli import notes
from quickstarted.cli.screen import Screen, Showing, show_for
from quickstarted.plan import AttemptPlan
from quickstarted.suite import SuiteOptions
from quickstarted.task import load_task

TABLE, LINES, ONE, JSON = "TableShow", "LabelledShow", "SingleShow", "JsonShow"


@pytest.fixture(name="streams")
def _streams(monkeypatch):
    """`streams(out, err)`: each of them `terminal`, `other terminal`, or `pipe`."""
    opened, files = {}, []

    def open_one(kind):
        if kind == "pipe":
            return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        if kind not in opened:
            opened[kind] = pty.openpty()
        files.append(os.fdopen(os.dup(opened[kind][1]), "w"))
        return files[-1]

    def put(out, err, **env):
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "stdout", open_one(out))
        monkeypatch.setattr(sys, "stderr", open_one(err))

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    yield put
    monkeypatch.undo()
    for file in files:
        file.close()
    for pair in opened.values():
        for fd in pair:
            with suppress(OSError):
                os.close(fd)


@pytest.mark.parametrize(
    ("attempts", "where", "how", "env", "kind"),
    [
        (8, ("terminal", "terminal"), {}, {}, TABLE),
        (8, ("pipe", "terminal"), {}, {}, TABLE),
        (8, ("terminal", "pipe"), {}, {}, LINES),
        (8, ("pipe", "pipe"), {}, {}, LINES),
        (8, ("pipe", "pipe"), {}, {"FORCE_COLOR": "1"}, LINES),
        (8, ("terminal", "terminal"), {}, {"TERM": "dumb"}, LINES),
        (8, ("terminal", "terminal"), {}, {"NO_COLOR": "1"}, TABLE),
        (8, ("terminal", "terminal"), {"verbose": True}, {}, LINES),
        (8, ("terminal", "terminal"), {"quiet": True}, {}, LINES),
        (8, ("terminal", "terminal"), {"as_json": True}, {}, JSON),
        (1, ("terminal", "terminal"), {}, {}, ONE),
        (1, ("pipe", "pipe"), {}, {}, ONE),
        (0, ("pipe", "pipe"), {}, {}, ONE),
        (1, ("pipe", "pipe"), {"as_json": True}, {}, JSON),
    ],
)
def test_the_way_of_showing_fits_the_streams(streams, attempts, where, how, env, kind):
    streams(*where, **env)
    show = show_for(attempts, Showing(**how))
    show.close()

    assert kind == type(show).__name__


@pytest.mark.parametrize(
    ("out", "has_file"), [("terminal", False), ("other terminal", True), ("pipe", True)]
)
def test_verdicts_are_written_beside_the_table_where_it_does_not_show_them(streams, out, has_file):
    streams(out, "terminal")
    show = show_for(8, Showing())
    show.close()

    assert has_file is (show._verdicts is not None)


def _plans(tmp_path, number):
    task = load_task(write_task(tmp_path, "replay: ['echo hi']\nsuccess: {script: 'true'}\n"))
    return [
        AttemptPlan(task=task, agent=ReplayAgent(), attempt=attempt, run_id=RUN_ID)
        for attempt in range(1, number + 1)
    ]


def test_a_real_call_is_told_from_its_plan_to_its_summary(tmp_path, capsys):
    how = Showing(as_json=True)
    with Screen(lambda attempts: show_for(attempts, how), how) as screen:
        screen.note("before anything is planned")
        plans = _plans(tmp_path, 3)
        screen.planned(plans, [])
        made = make_suite(plans, tmp_path, SuiteOptions(workers=2), watcher=screen)
        screen.made(made.suite)
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]

    assert "before anything is planned\n" == err
    kinds = [line["type"] for line in lines]
    assert ("planned", "summary") == (kinds[0], kinds[-1])
    assert (3, 3) == (kinds.count("begun"), kinds.count("ended"))
    for attempt in (1, 2, 3):
        own = [line for line in lines if line.get("attempt", {}).get("attempt") == attempt]
        phases = [line["phase"] for line in own if line["type"] == "phase"]
        assert ["opening", "waiting", "working", "judging"] == phases
        assert "ended" == own[-1]["type"]
        assert (tmp_path / "results" / "probe/replay" / str(attempt) / "trace.jsonl").samefile(
            own[-1]["trace"]
        )


def test_lines_of_other_parts_go_through_the_screen_while_it_is_open(tmp_path, capsys):
    how = Showing()
    with Screen(lambda attempts: show_for(attempts, how), how) as screen:
        screen.planned(_plans(tmp_path, 2), [])
        assert notes.screen() is not None
        notes.say("an image is pulled")
    assert notes.screen() is None
    notes.say("after all")

    assert capsys.readouterr().err.splitlines()[1:] == ["an image is pulled", "after all"]


def test_quiet_says_no_lines_of_other_parts(tmp_path, capsys):
    how = Showing(quiet=True)
    with Screen(lambda attempts: show_for(attempts, how), how) as screen:
        screen.note("before")
        screen.planned(_plans(tmp_path, 2), [])
        screen.note("meanwhile")

    assert ("", "") == capsys.readouterr()
