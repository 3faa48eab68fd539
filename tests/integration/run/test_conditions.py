"""Conditions as a dimension of a run: which attempts there are, in which order and folders."""

from __future__ import annotations

import pytest

from fakes.program import run_task, write_task
from quickstarted.sandbox.local.folders import BASE_VARIABLE

LOCAL = ["--backend", "local", "--allow-unenforced"]
TASK = """\
    replay: ["true"]
    success: {script: "true"}
    """


@pytest.fixture(name="run")
def _run(tmp_path):
    def run(*flags):
        task = write_task(tmp_path, TASK)
        return run_task(task, *LOCAL, *flags, env={BASE_VARIABLE: str(tmp_path / "attempts")})

    return run


def test_attempts_under_each_condition_take_turns(run):
    done = run("--repeat", "2", "--affordances", "none", "--affordances", "all")

    assert 0 == done.code, done.err
    assert [
        ("none", 1, "probe/replay+affordances-none/1/trace.jsonl"),
        ("all", 1, "probe/replay/1/trace.jsonl"),
        ("none", 2, "probe/replay+affordances-none/2/trace.jsonl"),
        ("all", 2, "probe/replay/2/trace.jsonl"),
    ] == [(run["affordance_policy"], run["attempt"], run["trace"]) for run in done.document["runs"]]
    assert [("none", 2), ("all", 2)] == [
        (cell["affordance_policy"], cell["attempts"]) for cell in done.document["cells"]
    ]


@pytest.mark.parametrize(
    ("flags", "policy"),
    [([], "all"), (["--affordances", "all"], "all"), (["--affordances=none"], "none")],
)
def test_a_single_attempt_lies_in_the_task_s_folder_under_any_condition(run, flags, policy):
    done = run(*flags)

    assert 0 == done.code, done.err
    assert policy == done.events()[0].affordance_policy
    assert [] == done.of_type("affordances")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--affordances", "none", "--affordances", "none"], "none is given more than once"),
        (["--affordances", "some"], "'some' is not one of"),
    ],
)
def test_a_condition_twice_or_unknown_is_a_mistake_of_the_call(run, flags, words):
    done = run(*flags)

    assert 3 == done.code
    assert words in done.err
    assert not done.results.exists()


def test_a_site_that_is_not_there_does_not_fail_the_attempt_that_probes_it(run):
    done = run("--probe-affordances")

    assert 0 == done.code, done.err
    (probed,) = done.of_type("affordances")
    assert not any(finding["present"] for finding in probed.found.values())
    assert "HTTP 404" == probed.found["page/index.md"]["note"]
    assert [] == done.document["runs"][0]["affordances_found"]
