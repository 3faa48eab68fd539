"""Attempts on the nodes of a Ray cluster, of which there are two on this machine."""

from __future__ import annotations

import json
import signal

import pytest

from fakes.program import finish, run_task, start, wait_until, write_task
from fakes.ray_nodes import ray_cluster
from quickstarted.trace import read_trace

pytestmark = [pytest.mark.alone, pytest.mark.timeout(400)]

HELD = "replay: ['while [ ! -e {flag} ]; do sleep 0.1; done; cat given.txt']\n"
BODY = HELD + "workspace: given\nsuccess: {{expect_output: {{contains: hello}}}}\n"
FORWARDED = "forwarded-value-7391"
LOCAL = ("--backend", "local", "--allow-unenforced")
OWN = {"ts", "duration", "waited", "phases", "run_id", "home", "cwd"}
"""Fields of events that no two runs by the local backend have in common."""


@pytest.fixture(name="task")
def _task(tmp_path):
    given = tmp_path / "given"
    given.mkdir()
    (given / "given.txt").write_text("hello\n")
    (given / "link").symlink_to("given.txt")
    return write_task(tmp_path, BODY.format(flag=tmp_path / "flag"))


@pytest.fixture(name="arm")
def _arm(tmp_path):
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "AGENTS.md").write_text("Take care.\n")
    return f"skill={tmp_path / 'skill'}"


def nodes_of(results):
    return {json.loads(path.read_text())["node"] for path in results.rglob("run.json")}


def shown(results):
    """All that attempts amount to, but for times and for where they were made."""
    runs = json.loads((results / "results.json").read_text())["runs"]
    texts = []
    for run in sorted(runs, key=lambda one: (one["arm"], one["attempt"])):
        events = read_trace(results / run["trace"])
        said = [event.model_dump(mode="json", exclude=OWN) for event in events]
        record = json.loads((results / run["trace"]).with_name("run.json").read_text())
        del record["node"]
        texts.append([run["classification"], run["tries"], run["task"], record, *said])
    return texts


def test_results_are_those_of_a_call_on_one_machine_and_a_forwarded_value_is_nowhere(
    two_nodes, task, arm, tmp_path
):
    (tmp_path / "flag").touch()
    flags = ("--arm", "docs", "--arm", arm, "--repeat", 2, "--workers", 4, *LOCAL)
    sent = ("--executor", two_nodes.executor, "--forward-env", "SOME_KEY")
    out = tmp_path / "there"
    here = run_task(task, *flags)
    there = finish(
        start(["run", task, *flags, *sent, "--out", out], env={"SOME_KEY": FORWARDED}), out
    )

    assert (0, 0) == (here.code, there.code), there.err
    assert shown(here.results) == shown(there.results)
    assert {"a", "b"} == nodes_of(there.results)
    for node in two_nodes.nodes:
        assert [] == list(node.attempts.glob("attempt-*"))
    kept = [
        path
        for folder in (two_nodes.folder, tmp_path)
        for path in folder.rglob("*")
        if path.is_file()
    ]
    assert len(kept) > 20
    assert [] == [path for path in kept if FORWARDED.encode() in path.read_bytes()]


def test_ctrl_c_ends_attempts_on_all_nodes_and_another_call_goes_on(two_nodes, task, tmp_path):
    flags = ["run", task, "--repeat", 6, "--workers", 4, "--out", tmp_path / "results", *LOCAL]
    flags += ["--executor", two_nodes.executor]
    program = start(flags)
    for node in two_nodes.nodes:
        wait_until(lambda node=node: node.under_way() == 2, "two attempts", program=program)
    program.send_signal(signal.SIGINT)
    done = finish(program, tmp_path / "results")

    assert 130 == done.code
    stopped = {run["attempt"]: run["stop_reason"] for run in done.document["runs"]}
    assert dict.fromkeys(stopped, "interrupted") == stopped
    assert set(stopped) >= {1, 2, 3, 4}
    for node in two_nodes.nodes:
        assert [] == list(node.attempts.glob("attempt-*"))

    (tmp_path / "flag").touch()
    again = finish(start([*flags, "--resume"]), tmp_path / "results")

    assert (0, ["passed"] * 6) == (
        again.code,
        [run["classification"] for run in again.document["runs"]],
    )


@pytest.mark.slow
def test_attempts_of_a_node_that_is_killed_are_made_on_others_also_on_one_that_joins(
    task, tmp_path
):
    with ray_cluster() as cluster:
        cluster.join("a")
        lost = cluster.join("b")
        flags = ["run", task, "--repeat", 12, "--workers", 8, "--out", tmp_path / "results", *LOCAL]
        program = start([*flags, "--executor", cluster.executor])
        wait_until(lambda: lost.under_way() == 2, "two attempts on b", program=program)
        lost.kill()
        joined = cluster.join("c")
        wait_until(lambda: joined.under_way() == 2, "two attempts on c", program=program)
        (tmp_path / "flag").touch()
        done = finish(program, tmp_path / "results")

        assert 0 == done.code, done.err
        assert 2 == done.err.count("the node b is lost")
        assert {"a", "c"} == nodes_of(done.results)
        assert [("passed", 1)] * 12 == [
            (run["classification"], run["tries"]) for run in done.document["runs"]
        ]
        for node in (cluster.nodes[0], joined):
            assert [] == list(node.attempts.glob("attempt-*"))
        assert "raylet" not in done.out

    here = finish(start([*flags[:-4], tmp_path / "here", *LOCAL]), tmp_path / "here")

    for mine, theirs in zip(shown(here.results), shown(done.results), strict=True):
        assert mine == theirs


def test_a_cluster_that_cannot_be_used_is_refused_with_what_to_do(task, tmp_path):
    flags = ["run", task, "--out", tmp_path / "results", *LOCAL, "--executor"]
    other = tmp_path / "other" / "quickstarted"
    other.mkdir(parents=True)
    (other / "__init__.py").write_text("__version__ = '0.0.1'\n")
    with ray_cluster() as cluster:
        nobody = finish(start([*flags, cluster.executor]), tmp_path)
        cluster.join("head", slots=0)
        without = finish(start([*flags, cluster.executor]), tmp_path)
        cluster.join("old", env={"PYTHONPATH": str(other.parent)})
        older = finish(start([*flags, cluster.executor]), tmp_path)

    assert [3, 3, 3] == [nobody.code, without.code, older.code]
    assert "there is no Ray cluster at 127.0.0.1" in nobody.err
    assert "no node of the cluster has a slot" in without.err
    assert "on the node old is 0.0.1" in older.err
    assert all("ray start" in done.err for done in (nobody, without))
    assert not (tmp_path / "results").exists()
