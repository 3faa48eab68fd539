"""Calls on a cluster that is in this process."""

from __future__ import annotations

import pytest

from fakes.clusters import Nodes, WorkerNode, call_order
from fakes.program import write_task
from fakes.suites import RUN_ID, make_suite
from quickstarted.agents.replay import ReplayAgent
from quickstarted.arms import arms_of
from quickstarted.cluster.maker import ClusterMaker
from quickstarted.cluster.node import NodeWorker
from quickstarted.condition import Condition
from quickstarted.plan import AttemptPlan
from quickstarted.sandbox.local.folders import BASE_VARIABLE
from quickstarted.task import load_task

BODY = """\
    workspace: given
    replay: ['cat given.txt']
    success: {expect_output: {contains: hello}}
    """


@pytest.fixture(name="plans")
def _plans(tmp_path):
    """`plans(number)`: that many attempts of a task with a workspace, a site and an arm."""

    def make(number, body=BODY):
        (tmp_path / "given").mkdir(exist_ok=True)
        (tmp_path / "given" / "given.txt").write_text("hello\n")
        (tmp_path / "skill").mkdir(exist_ok=True)
        (tmp_path / "skill" / "AGENTS.md").write_text("Take care.\n")
        task = load_task(write_task(tmp_path, body))
        (arm,) = arms_of([f"skill={tmp_path / 'skill'}"])
        condition = Condition(arm="skill", arm_hash=arm.content_hash)
        return [
            AttemptPlan(
                task=task,
                agent=ReplayAgent(),
                attempt=n,
                run_id=RUN_ID,
                arm=arm,
                condition=condition,
            )
            for n in range(1, number + 1)
        ]

    return make


@pytest.fixture(name="base")
def _base(tmp_path, monkeypatch):
    """Where nodes of this process have their attempts."""
    monkeypatch.setenv(BASE_VARIABLE, str(tmp_path / "attempts"))
    return tmp_path / "attempts"


@pytest.fixture(name="nodes")
def _nodes(base):
    """`nodes(a={...}, b={})`: a cluster of such nodes, opened, closed at the end."""
    opened = []

    def make(**named):
        made = [WorkerNode(name, NodeWorker(), **facts) for name, facts in named.items()]
        for node in made:
            node.worker.open(node.name, call_order(RUN_ID), {})
        opened.extend(made)
        return Nodes(made)

    yield make
    assert [""] * len(opened) == [node.worker.close() for node in opened]
    assert [] == list(base.glob("attempt-*"))


@pytest.fixture(name="make")
def _make(tmp_path):
    """Makes plans on a cluster."""

    def made(plans, cluster, options, **more):
        lines = []
        maker = ClusterMaker(cluster, "local", lines.append, lambda: False)
        suite = make_suite(plans, tmp_path, options, maker=maker, **more)
        return suite, lines

    return made
