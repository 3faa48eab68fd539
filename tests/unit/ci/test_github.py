"""What a job of GitHub Actions knows of itself."""

import json

import pytest

from quickstarted.ci.github import SUMMARY_BYTES, Job


def test_outside_of_a_job_nothing_is_known():
    job = Job.of({})

    assert (False, "", "", "", None, None) == (
        job.is_actions,
        job.repository,
        job.run_url,
        job.name,
        job.summary,
        job.pull_request,
    )
    assert "https://api.github.com" == job.api_url


def test_the_runs_page_and_the_jobs_name_are_put_together():
    job = Job.of(
        {
            "GITHUB_SERVER_URL": "https://github.example",
            "GITHUB_REPOSITORY": "o/n",
            "GITHUB_RUN_ID": "12",
            "GITHUB_WORKFLOW": "Docs",
            "GITHUB_JOB": "replay",
        }
    )

    assert ("https://github.example/o/n/actions/runs/12", "Docs/replay") == (job.run_url, job.name)


@pytest.mark.parametrize(
    ("event", "ref", "expected"),
    [
        ({"pull_request": {"number": 7}}, "", 7),
        ({"issue": {"number": 8, "pull_request": {"url": "x"}}}, "", 8),
        ({"issue": {"number": 8}}, "", None),
        ({"pull_request": {"number": "8"}}, "", None),
        ({}, "refs/pull/9/merge", 9),
        ({}, "refs/heads/main", None),
        ([], "refs/pull/9/head", 9),
        (None, "refs/pull/9/merge", 9),
    ],
)
def test_the_pull_request_is_the_events_or_the_refs(tmp_path, event, ref, expected):
    path = tmp_path / "event.json"
    if event is not None:
        path.write_text(json.dumps(event))

    assert expected == Job.of({"GITHUB_EVENT_PATH": str(path), "GITHUB_REF": ref}).pull_request


def test_a_job_has_the_token_of_either_name():
    assert ["a", "b", "a"] == [
        Job.of(environ).token
        for environ in (
            {"GITHUB_TOKEN": "a"},
            {"GH_TOKEN": "b"},
            {"GITHUB_TOKEN": "a", "GH_TOKEN": "b"},
        )
    ]


def test_the_room_of_the_summary_is_what_earlier_writers_have_left(tmp_path):
    path = tmp_path / "summary.md"
    job = Job.of({"GITHUB_STEP_SUMMARY": str(path)})
    before = job.summary_room
    path.write_text("x" * 1000)

    assert (SUMMARY_BYTES, SUMMARY_BYTES - 1000) == (before, job.summary_room)
