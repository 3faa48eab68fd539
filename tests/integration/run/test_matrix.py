"""Calls that a matrix file describes, choices and shards of them, as a person makes them."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from fakes.program import COMMAND, Done, finish, start, write_task
from quickstarted.sandbox.local.folders import BASE_VARIABLE

pytestmark = pytest.mark.docker

PASSING = "tags: [good]\nreplay: [echo hello]\nsuccess: {expect_output: {contains: hello}}\n"
FAILING = "replay: [echo hello]\nsuccess: {expect_output: {contains: bye}}\n"
MATRIX = """\
tasks: [good.yaml, bad.yaml]
agents: [replay]
affordances: [all, none]
workers: 2
limits: {replay: 2, docs.example: 2}
include: [{task: good, affordances: none, repeat: 2}]
exclude: [{task: bad, affordances: none}]
"""
CELLS = [("bad", "all", 1), ("good", "all", 1), ("good", "none", 1), ("good", "none", 2)]


@dataclass
class Desk:
    """A folder with a matrix of two tasks."""

    folder: Path

    def run(self, *flags, out="out") -> Done:
        where = ["--matrix", self.folder / "matrix.yaml", "--out", self.folder / out]
        how = ["--backend", "local", "--allow-unenforced", "--quiet"]
        env = {BASE_VARIABLE: str(self.folder / "attempts")}
        return finish(start(["run", *where, *how, *flags], env=env), self.folder / out)

    def plan(self, *flags, out="out"):
        done = self.run("--plan", "--json", *flags, out=out)
        assert 0 == done.code, done.err
        return json.loads(done.out)


@pytest.fixture(name="desk")
def _desk(tmp_path):
    write_task(tmp_path, PASSING, name="good")
    write_task(tmp_path, FAILING, name="bad")
    (tmp_path / "matrix.yaml").write_text(MATRIX)
    return Desk(tmp_path)


def made(done):
    return sorted(
        (run["task"], run["affordance_policy"], run["attempt"]) for run in done.document["runs"]
    )


def folders(done):
    return {path.parent.relative_to(done.results) for path in done.results.rglob("result.json")}


def test_a_matrix_file_is_run_and_planned_and_resumed(desk):
    done = desk.run()

    assert (1, CELLS) == (done.code, made(done)), done.err
    assert (4, 4) == (desk.plan("--resume")["attempts"], desk.plan("--resume")["done"])

    resumed = desk.run("--resume", "-k", "good")
    assert (0, CELLS[1:]) == (resumed.code, made(resumed)), resumed.err


def test_only_cells_that_failed_are_run_again_and_into_the_same_folders(desk):
    first = desk.run()
    again = desk.run("--last-failed")

    assert (1, CELLS[:1]) == (again.code, made(again)), again.err
    assert {Path("bad/replay/1")} == {
        folder for folder in folders(again) if folder.parts[0] == "bad"
    }
    assert first.results == again.results


def test_shards_make_each_attempt_once_where_the_whole_call_makes_it(desk):
    whole = desk.run(out="whole")
    shards = [desk.run("--shard", f"{n}/3", out=f"shard-{n}") for n in (1, 2, 3)]

    assert made(whole) == sorted(one for shard in shards for one in made(shard))
    assert folders(whole) == set().union(*map(folders, shards))
    assert sum(len(folders(shard)) for shard in shards) == len(folders(whole))


def test_a_shard_without_attempts_is_no_failure_and_can_be_merged(desk):
    shards = [desk.run("--shard", f"{n}/5", out=f"shard-{n}") for n in range(1, 6)]

    assert (0, set()) == (shards[4].code, folders(shards[4])), shards[4].err
    note = "note: this shard has no attempt: there are more shards than attempts\n"
    assert shards[4].err.endswith(note)

    where = [shard.results for shard in shards]
    merged = finish(start(["merge", *where, "--out", desk.folder / "all"]), desk.folder / "all")
    assert CELLS == made(merged), merged.err


def test_a_change_of_no_documentation_is_green_and_leaves_an_empty_report(tmp_path):
    desk = tmp_path
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        if words == ["add", "."]:
            write_task(desk, "replay: ['true']\nsuccess: {script: 'true'}\n")
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
        subprocess.run(["git", *identity, *words], cwd=desk, check=True)
    (desk / "other.txt").write_text("not documentation")
    done = subprocess.run(
        [*COMMAND, "run", "probe.yaml", "--changed-since", "HEAD", "--junit", "junit.xml"],
        cwd=desk,
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, done.stderr
    assert "note: nothing is left of 1 cell to run" in done.stderr
    assert "<testsuites" in (desk / "junit.xml").read_text()
    assert [] == json.loads((desk / "results" / "results.json").read_text())["runs"]
