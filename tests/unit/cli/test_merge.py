"""`quickstarted merge`: what it prints, and its exit code."""

import pytest

from fakes.results_folders import key_of, made_of, write_shards
from quickstarted.cli import run_cli

FAILING = {"passed": False, "classification": "docs_gap"}
LOST = {"passed": None, "classification": "infra_error", "stop_reason": "fault"}


def shards(folder, ending):
    return write_shards(folder, made_of([key_of(1), key_of(2)], ending=ending), 2)


@pytest.mark.parametrize(
    ("ending", "flags", "code"),
    [
        ({}, [], 0),
        (FAILING, [], 1),
        (LOST, [], 2),
        (LOST, ["--strict-inconclusive"], 1),
    ],
)
def test_the_exit_code_is_that_of_all_attempts_together(tmp_path, capsys, ending, flags, code):
    folders = map(str, shards(tmp_path, ending))
    out = str(tmp_path / "out")

    assert code == run_cli(["merge", *folders, "--out", out, *flags])
    assert f"{out}: 2 attempts of 2 folders\n" in capsys.readouterr().out


def test_what_is_missing_is_refused_or_noted(tmp_path, capsys):
    first, _ = shards(tmp_path, {})
    args = ["merge", str(first), "--out", str(tmp_path / "out")]

    assert 3 == run_cli(args)
    assert "error: attempts are missing:\n  shard 2/2\n" in capsys.readouterr().err
    assert 0 == run_cli([*args, "--allow-missing"])
    assert "note: missing: shard 2/2\n" in capsys.readouterr().err


def test_quiet_prints_nothing(tmp_path, capsys):
    first, _ = shards(tmp_path, {})
    args = ["merge", str(first), "--out", str(tmp_path / "out"), "--allow-missing", "--quiet"]

    assert 0 == run_cli(args)
    assert ("", "") == tuple(capsys.readouterr())


@pytest.mark.parametrize("args", [[], ["none"], ["."]])
def test_a_call_without_folders_or_without_a_target_is_refused(tmp_path, args):
    assert 3 == run_cli(["merge", *args])
