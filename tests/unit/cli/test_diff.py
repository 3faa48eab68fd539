"""`quickstarted diff`: formats and exit codes."""

import json
import os
import subprocess
import sys

import pytest

from fakes.attempts import result
from fakes.results_folders import key_of, made_of, write_call
from quickstarted.cli import run_cli
from quickstarted.results import AttemptDir, suite_result

# Not what wait4 says of a child: that counts its parent's memory before exec.
MEASURED = """\
import re, sys
from pathlib import Path
from quickstarted.cli import run_cli
code = run_cli(sys.argv[1:])
sys.stderr.write(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
sys.exit(code)
"""
NAMES = {"p": "passed", "f": "docs_gap", "i": "infra_error"}


def _write(folder, outcomes, **fields):
    folder.mkdir()
    runs = [
        result(NAMES[letter], attempt=number, **fields) for number, letter in enumerate(outcomes, 1)
    ]
    (folder / "results.json").write_text(suite_result(runs, created=1.0).model_dump_json())
    return str(folder)


def _diff(tmp_path, before, after, *flags, **fields):
    one, other = _write(tmp_path / "a", before), _write(tmp_path / "b", after, **fields)
    return run_cli(["diff", one, other, *flags])


@pytest.mark.parametrize(
    ("before", "after", "code", "failing"),
    [
        ("ppppp", "ppppp", 0, 0),
        ("ppppp", "fffff", 0, 1),
        ("ppppp", "pppff", 0, 0),
        ("fffff", "ppppp", 0, 0),
        ("iiiii", "ppppp", 2, 2),
    ],
)
def test_only_a_regression_that_is_shown_fails(tmp_path, capsys, before, after, code, failing):
    assert code == _diff(tmp_path, before, after)
    again = ["diff", str(tmp_path / "a"), str(tmp_path / "b"), "--fail-on-regression"]
    assert failing == run_cli(again)
    assert capsys.readouterr().err == ""


def test_another_model_is_no_comparison(tmp_path, capsys):
    assert _diff(tmp_path, "ppp", "fff", models_reported=["x"]) == 2
    out = capsys.readouterr().out

    assert "Nothing can be compared" in out
    assert "not comparable: flask by replay: models: none before, x after" in out


def test_the_terminal_says_what_could_have_been_shown(tmp_path, capsys):
    _diff(tmp_path, "pppff", "ppppp")
    out = capsys.readouterr().out

    assert out.startswith(
        "No difference could be shown; with 5 and 5 attempts only a difference of 84 points or more"
        " would have been.\n"
    )
    assert "flask 3/5 60% 5/5 100% +40 (-12 to +77) 0.44 none 84" in " ".join(out.split())


def test_json_is_the_whole_document(tmp_path, capsys):
    _diff(tmp_path, "pppff", "ppppp", "--json")
    document = json.loads(capsys.readouterr().out)

    assert document["cells"][0]["p_value"] == pytest.approx(0.4444, abs=1e-4)
    assert document["schema_version"] == 1


def test_markdown_is_for_pull_requests(tmp_path, capsys):
    _diff(tmp_path, "ppppp", "fffff", "--markdown")
    out = capsys.readouterr().out

    assert out.startswith("**Worse: 1 of 1 cell.**\n\n| cell |")
    assert (
        "| `flask by replay` | 5/5 100% | 0/5 0% | -100 (-100 to -39) | 0.008 | **worse** |" in out
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["a", "b", "--json", "--markdown"], "Give one."),
        (["a", "empty"], "results.json"),
        (["a", "broken"], "not results of this version"),
    ],
)
def test_what_cannot_be_read_is_refused(tmp_path, capsys, monkeypatch, args, words):
    monkeypatch.chdir(tmp_path)
    _write(tmp_path / "a", "p")
    _write(tmp_path / "b", "p")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "results.json").write_text('{"runs": 1}')

    assert run_cli(["diff", *args]) == 3
    assert words in capsys.readouterr().err


def test_a_run_that_was_killed_is_compared_by_what_its_attempts_have_left(tmp_path, capsys):
    before = _write(tmp_path / "a", "p")
    folder = AttemptDir(tmp_path / "b" / "flask")
    folder.path.mkdir(parents=True)
    made = result("passed")
    folder.trace.write_text("")
    folder.write_result(made)

    assert run_cli(["diff", before, str(tmp_path / "b")]) == 0
    assert "1/1 100%" in capsys.readouterr().out


def test_ten_thousand_attempts_are_compared_in_bounded_memory(tmp_path):
    for folder in ("a", "b"):
        runs = [
            result("passed" if number % 5 else "docs_gap", task=f"t{cell}", attempt=number)
            for cell in range(1_000)
            for number in range(1, 11)
        ]
        (tmp_path / folder).mkdir()
        text = suite_result(runs, created=1.0).model_dump_json()
        (tmp_path / folder / "results.json").write_text(text)

    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "diff", "a", "b"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert "No difference could be shown in any of 1,000 cells." in done.stdout
    assert int(done.stderr) * 1024 < 500e6


def test_attempts_that_know_more_than_the_tables_are_compared_and_it_is_said(tmp_path, capsys):
    plan = made_of(key_of(number) for number in (1, 2))
    write_call(tmp_path / "a", plan, plan)
    tables = tmp_path / "a" / "results.json"
    document = json.loads(tables.read_text())
    tables.write_text(json.dumps(document | {"runs": document["runs"][:1], "cells": []}))

    assert run_cli(["diff", str(tables.parent), str(tables.parent)]) == 0
    said = capsys.readouterr()
    assert "2/2 100%" in said.out
    assert f"note: {tables.parent}: attempts know more than results.json" in said.err
