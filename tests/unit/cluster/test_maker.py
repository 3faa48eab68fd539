"""Attempts on nodes: those of a call on one machine, also where nodes are lost or lie."""

from __future__ import annotations

import json

import pytest

from quickstarted.cluster.maker import MAX_LOSSES, ClusterMaker
from quickstarted.errors import Interrupted
from quickstarted.suite import SuiteOptions
from quickstarted.trace import read_trace


def record_of(made, attempt):
    (path,) = made.folder.glob(f"probe/*/{attempt}/run.json")
    return json.loads(path.read_text())


def fault_of(made, run):
    events = list(read_trace(made.folder / run.trace))
    return next(event for event in events if event.type == "fault")


def test_attempts_are_made_on_nodes_with_all_that_they_need(nodes, plans, make, tmp_path):
    cluster = nodes(a={}, b={})

    made, lines = make(plans(4), cluster, SuiteOptions(workers=2))

    assert ["passed"] * 4 == [run.classification.value for run in made.suite.runs]
    record = record_of(made, 1)
    assert record["node"] in {"a", "b"}
    assert str(tmp_path / "skill") == record["arm_folder"]
    assert {"https://docs.example/": str(tmp_path / "site")} == record["docs_sites"]
    trace = list(read_trace(made.folder / made.suite.runs[0].trace))
    (fetch,) = (event for event in trace if event.type == "docs_fetch")
    assert str(tmp_path / "site" / "index.html") == fetch.source
    assert [] == lines


def test_events_and_phases_reach_the_watcher_once_each(nodes, plans, make):
    made, _ = make(plans(1), nodes(a={}), SuiteOptions())

    (key,) = made.watcher.phases
    assert ["waiting", "opening", "opening", "working", "judging"] == made.watcher.phases[key]
    assert made.watcher.events[key] == len(list(read_trace(made.folder / made.suite.runs[0].trace)))


def test_an_attempt_whose_node_is_lost_is_made_elsewhere_and_that_is_no_retry(nodes, plans, make):
    cluster = nodes(a={"dies_at": 2}, b={})

    made, lines = make(plans(1), cluster, SuiteOptions())

    (run,) = made.suite.runs
    assert ("passed", 1, []) == (run.classification.value, run.tries, run.earlier_tries)
    assert "b" == record_of(made, 1)["node"]
    assert ["a", "b"] == cluster.leases
    assert [run.key] * 2 == made.watcher.begun_keys
    (line,) = lines
    assert "probe, attempt 1: the node a is lost (it has died); made again elsewhere" in line


def test_an_attempt_that_loses_every_node_is_lost_to_infrastructure(nodes, plans, make):
    cluster = nodes(a={"dies_at": 1}, b={"dies_at": 1})

    made, _ = make(plans(1), cluster, SuiteOptions())

    (run,) = made.suite.runs
    fault = fault_of(made, run)
    assert "infra_error" == run.classification.value
    assert MAX_LOSSES == len(cluster.leases)
    assert "node" == fault.component
    assert (
        "3 nodes were lost while they made it (a, b, a); the last one: it has died" == fault.error
    )


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda piece: piece[:-1], "it has not the"),
        (lambda piece: piece + b"!", "it has not the"),
        (lambda piece: piece[:-1] + b"!", "its digest is another"),
        (lambda _: b"", "it has not the"),
    ],
)
def test_an_archive_that_is_not_what_was_packed_is_lost_to_infrastructure(
    nodes, plans, make, damage, why
):
    made, _ = make(plans(1), nodes(a={"damage": damage}), SuiteOptions())

    (run,) = made.suite.runs
    assert "infra_error" == run.classification.value
    assert why in fault_of(made, run).error
    folder = (made.folder / run.trace).parent
    assert [folder.name] == [path.name for path in folder.parent.iterdir()]


def test_a_node_without_room_is_waited_for(nodes, plans, make):
    cluster = nodes(a={"lacks": ["0.1 GiB of memory free"]})

    made, _ = make(plans(1), cluster, SuiteOptions())

    assert ["passed"] == [run.classification.value for run in made.suite.runs]
    assert "the node a waits for room: 0.1 GiB of memory free" in made.watcher.lines


def test_an_arm_that_changes_before_it_is_sent_is_the_tasks_fault(nodes, plans, make, tmp_path):
    planned = plans(1)
    (tmp_path / "skill" / "AGENTS.md").write_text("Another.\n")

    made, _ = make(planned, nodes(a={}), SuiteOptions())

    (run,) = made.suite.runs
    assert "harness_error" == run.classification.value
    assert "has changed since the call began" in fault_of(made, run).error


def test_what_is_interrupted_before_it_has_a_slot_is_skipped(nodes, plans, make):
    cluster = nodes(a={})
    wanted = []
    cluster.on_lease = lambda: wanted.append(True)

    made, _ = make(plans(1), cluster, SuiteOptions(), cancelled=lambda: bool(wanted))

    (run,) = made.suite.runs
    assert ("skipped", "interrupted") == (run.classification.value, run.stop_reason.value)
    assert [] == cluster.leases


def test_who_waits_for_a_node_to_ask_about_an_image_can_stop(nodes):
    maker = ClusterMaker(nodes(a={}), "local", lambda _: None, lambda: True)

    with pytest.raises(Interrupted, match="while a node was waited for"):
        maker.resolve("python:3.13-slim", None)
