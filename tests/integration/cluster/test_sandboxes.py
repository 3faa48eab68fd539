"""Real sandboxes on the nodes of a cluster, each with the engine of its node."""

from __future__ import annotations

import json

import pytest

from fakes.program import finish, start, write_task
from quickstarted.sandbox.labels import RUN

pytestmark = [pytest.mark.alone, pytest.mark.docker, pytest.mark.timeout(300)]

BODY = """\
    replay: ['echo "$GREETING"; true']
    env: {GREETING: hello}
    secrets: {API_KEY: {hosts: [api.example]}}
    success: {expect_output: {contains: hello}}
    """


def test_sandboxes_are_made_on_all_nodes_and_nothing_of_them_is_left(
    two_nodes, engine, busybox, tmp_path
):
    task = write_task(tmp_path, BODY)
    results = tmp_path / "results"
    flags = ["--image", busybox, "--repeat", 4, "--workers", 4, "--out", results]
    flags += ["--executor", two_nodes.executor]

    without = finish(start(["run", task, *flags], env={"API_KEY": "caller-only-0001"}), results)
    done = finish(
        start(
            ["run", task, *flags, "--forward-env", "API_KEY"], env={"API_KEY": "caller-only-0001"}
        ),
        results,
    )

    assert 2 == without.code
    assert "API_KEY" in without.err + without.out
    assert 0 == done.code, done.err
    records = [json.loads(path.read_text()) for path in (results / "probe").rglob("run.json")]
    assert {"a", "b"} == {record["node"] for record in records}
    assert all(record["enforced"] and record["backend"] == "docker" for record in records)
    call = json.loads((results / "call.json").read_text())
    label = {"label": f"{RUN}={call['run_id']}"}
    assert [] == engine.api.containers(all=True, filters=label)
    assert [] == engine.api.networks(filters=label)


def test_a_value_that_is_forwarded_is_in_nothing_that_ray_keeps(two_nodes, tmp_path):
    task = write_task(tmp_path, "replay: ['true']\nsuccess: {script: 'true'}\n")
    value = "forwarded-value-7391"
    flags = ["--backend", "local", "--allow-unenforced", "--executor", two_nodes.executor]
    flags += ["--out", tmp_path / "results", "--forward-env", "SOME_KEY"]

    done = finish(start(["run", task, *flags], env={"SOME_KEY": value}), tmp_path / "results")

    assert 0 == done.code, done.err
    files = [
        path
        for folder in (two_nodes.folder, tmp_path)
        for path in folder.rglob("*")
        if path.is_file()
    ]
    assert len(files) > 20
    assert [] == [path for path in files if value.encode() in path.read_bytes()]
