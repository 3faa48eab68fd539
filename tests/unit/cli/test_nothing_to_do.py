"""Calls that have nothing to do: green, and what comes after them finds what it looks for."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from fakes.program import finish, start, write_task

GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
LOCAL = ("--backend", "local", "--allow-unenforced")
PASSES = "replay: ['true']\nsuccess: {script: 'true'}\n"


@pytest.fixture(name="repo")
def _repo(tmp_path, monkeypatch):
    """A repository in which nothing has changed."""
    monkeypatch.chdir(tmp_path)
    write_task(tmp_path, PASSES)
    for arguments in (["init", "-q"], ["add", "--all"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*GIT, *arguments], check=True)
    return tmp_path


def call(*args):
    done = finish(start(args), Path("results"))
    return done.code, done.out, done.err


def test_shards_without_changes_are_merged_to_a_green_result(repo):
    for number in (1, 2):
        flags = ("--changed-since", "HEAD", "--shard", f"{number}/2", "--min-pass-rate", "0.9")
        code, _, err = call(
            "run", "probe.yaml", *LOCAL, "--repeat", "30", *flags, "--out", f"shards/{number}"
        )
        assert (0, True) == (code, "No task's file" in err)
    code, out, _ = call("merge", "shards/1", "shards/2", "--out", "all")

    assert (0, "all: 0 attempts of 2 folders\n") == (code, out)
    assert [] == json.loads((repo / "all" / "results.json").read_text())["runs"]
    assert 0 == call("ci", "all")[0]


def test_results_of_an_earlier_call_stay_as_they_are(repo):
    assert 0 == call("run", "probe.yaml", *LOCAL)[0]
    before = {path: path.read_bytes() for path in (repo / "results").rglob("*.json")}
    code, _, err = call("run", "probe.yaml", *LOCAL, "--last-failed")

    assert (0, True) == (code, "note: nothing is left of 1 cell to run" in err)
    assert before == {path: path.read_bytes() for path in (repo / "results").rglob("*.json")}


def test_one_shard_of_one_is_the_whole_call(repo):
    flags = ("--repeat", "auto", "--min-pass-rate", "0.9")
    code, _, err = call("run", "probe.yaml", *LOCAL, *flags, "--shard", "1/1")

    assert (0, 3) == (code, call("run", "probe.yaml", *LOCAL, *flags, "--shard", "1/2")[0]), err
    assert json.loads((repo / "results" / "call.json").read_text())["shard"] is None


def test_programs_are_told_that_there_is_nothing(repo):
    code, out, _ = call("run", "probe.yaml", *LOCAL, "--changed-since", "HEAD", "--json")
    planned, summary = map(json.loads, out.splitlines())

    assert (0, "planned", []) == (code, planned["type"], planned["attempts"])
    assert ("summary", []) == (summary["type"], summary["suite"]["runs"])
