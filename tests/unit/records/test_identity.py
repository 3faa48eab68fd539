"""Another experiment than the one that is there is refused, with what is different."""

from dataclasses import replace

import pytest

from fakes.records import TWO_TASKS as PLANS
from fakes.records import opened, refused
from fakes.results_folders import key_of, made_of, write_all


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        ({"task_source": "a"}, {"task_source": "b"}, "the task file"),
        ({"check_source": "a"}, {"check_source": "b"}, "the check"),
        (
            {"workspace_hash": "sha256:1"},
            {"workspace_hash": "sha256:2"},
            "the content of the workspace",
        ),
        ({}, {"workspace_hash": "sha256:2"}, "the content of the workspace"),
        (
            {"docs_sites": {"https://a/": "/x"}, "docs_site_hashes": {"https://a/": "sha256:1"}},
            {"docs_sites": {"https://a/": "/y"}, "docs_site_hashes": {"https://a/": "sha256:2"}},
            "the site for https://a/",
        ),
        (
            {"docs_sites": {"https://a/": "https://b/"}},
            {},
            "the site for https://a/: https://b/, now none",
        ),
        ({"arm_hash": "sha256:1"}, {"arm_hash": "sha256:2"}, "the content of the arm's folder"),
        ({"prompt_hash": "sha256:1"}, {"prompt_hash": "sha256:2"}, "what the agent is told"),
        ({"model": "m-1"}, {"model": "m-2"}, "the model: m-1, now m-2"),
        ({"image": "a:1"}, {"image": "a:2"}, "the image: a:1, now a:2"),
        (
            {"budgets": {"max_turns": 1, "max_seconds": 2}},
            {"budgets": {"max_turns": 1, "max_seconds": 3, "max_cost_usd": 1}},
            "the budgets (max_seconds, max_cost_usd)",
        ),
        (
            {"resources": {"pids": 1}},
            {"resources": {"pids": 2}},
            "the limits of the sandbox (pids)",
        ),
        (
            {"respect_robots": True},
            {"respect_robots": False},
            "whether robots.txt is obeyed: obeyed, now ignored",
        ),
        (
            {"harness_version": "0.1"},
            {"harness_version": "0.2"},
            "quickstarted's version: 0.1, now 0.2",
        ),
        ({"backend": "docker"}, {"backend": "local"}, "the backend: docker, now local"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_experiment_is_refused_with_what_is_different(tmp_path, then, now, said):
    replace(PLANS[0], of_record=then).write(tmp_path)
    message = refused(tmp_path, [replace(PLANS[0], of_record=now)])

    assert message.splitlines()[1:] == [f"  flask, replay (1 attempt): {said}"]


@pytest.mark.parametrize(
    "different",
    [
        {"prices": {"source": "x"}},
        {"task_path": "elsewhere/flask.yaml"},
        {"docs_freshness": "refresh"},
        {"arm_folder": "/elsewhere"},
    ],
    ids=lambda different: next(iter(different)),
)
def test_what_changes_no_attempt_is_not_refused(tmp_path, different):
    PLANS[0].write(tmp_path)

    assert len(opened(tmp_path, [replace(PLANS[0], of_record=different)]).done) == 1


def test_a_site_in_another_folder_with_the_same_content_is_the_same_site(tmp_path):
    then, now = (
        {"docs_sites": {"https://a/": folder}, "docs_site_hashes": {"https://a/": "sha256:1"}}
        for folder in ("/x", "/y")
    )
    replace(PLANS[0], of_record=then).write(tmp_path)

    assert len(opened(tmp_path, [replace(PLANS[0], of_record=now)]).done) == 1


def test_a_refusal_is_short_whatever_has_changed(tmp_path):
    plans = made_of([key_of(number, task=f"t{task}") for task in range(20) for number in (1, 2)])
    write_all(tmp_path, plans)
    lines = refused(
        tmp_path, [replace(one, of_record={"model": "m"}) for one in plans]
    ).splitlines()

    assert lines[1] == "  t0, replay (2 attempts): the model: none, now m"
    assert (8, "  and 14 more") == (len(lines), lines[-1])
