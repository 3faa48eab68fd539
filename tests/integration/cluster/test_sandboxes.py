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
    flags = ["run", task, "--image", busybox, "--out", results, "--executor", two_nodes.executor]
    key = {"API_KEY": "caller-only-0001"}

    without = finish(start(flags, env=key), results)
    four = ["--repeat", 4, "--workers", 4, "--forward-env", "API_KEY"]
    done = finish(start([*flags, *four], env=key), results)

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
