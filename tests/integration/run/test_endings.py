"""What a run ends as, and that each ending is whole: trace, message, exit code, nothing left."""

from __future__ import annotations

import json

import pytest

from fakes.program import finish, run_task, start

pytestmark = pytest.mark.docker


def fetch(url):
    """A command, in YAML's double quotes, that requests *url*."""
    return json.dumps(f"python3 -c \"import urllib.request as u; u.urlopen('{url}')\"")


PASSING = """\
    replay: [echo hello]
    success: {expect_output: {contains: hello}}
    """


def test_a_passing_replay_exits_0_and_leaves_nothing(task, left_by):
    path = task(PASSING)
    results = path.parent / "results"

    process = start(["run", path, "--out", results])
    done = finish(process, results)

    assert 0 == done.code, done.err
    assert ("completed", "passed") == done.ending()
    assert "[PASS] probe" in done.out
    assert [] == left_by(process.pid)
    assert {"run.json", "report.md", "trace.jsonl"} <= {
        entry.name for entry in (results / "probe").iterdir()
    }
    assert 1 == done.document["cells"][0]["passes"]


@pytest.mark.parametrize(
    ("body", "code", "ending"),
    [
        pytest.param(
            "replay: ['true']\nsuccess: {script: 'qs_fail nothing-there'}",
            1,
            ("completed", "docs_gap"),
            id="the check fails",
        ),
        pytest.param(
            "replay: ['exit 3', 'echo never']\nsuccess: {script: 'false'}",
            1,
            ("command_failed", "docs_gap"),
            id="a documented command fails",
        ),
        pytest.param(
            "replay: ['false']\nsuccess: {script: 'true'}",
            0,
            ("command_failed", "passed"),
            id="the check passes whatever the stop reason",
        ),
        pytest.param(
            "success: {script: 'true'}", 2, ("nothing_to_run", "skipped"), id="no replay block"
        ),
        pytest.param(
            "setup: ['exit 7']\nreplay: ['true']\nsuccess: {script: 'true'}",
            2,
            ("fault", "harness_error"),
            id="setup fails",
        ),
        pytest.param(
            "services: ['echo broken >&2; exit 5']\nreplay: ['true']\nsuccess: {script: 'true'}",
            2,
            ("fault", "harness_error"),
            id="a service ends at once",
        ),
        pytest.param(
            "replay: ['true']\nsuccess: {script: 'sleep 60', timeout: 2}",
            2,
            ("completed", "harness_error"),
            id="a check that never ends",
        ),
        pytest.param(
            "replay: ['sleep 60']\nsuccess: {script: 'false'}\nbudgets: {max_seconds: 2}",
            2,
            ("max_seconds", "budget_exhausted"),
            id="the agent's time is over",
        ),
        pytest.param(
            "replay: ['sleep 60']\nsuccess: {script: 'false'}\nbudgets: {max_command_seconds: 2}",
            1,
            ("command_failed", "docs_gap"),
            id="a documented command hangs",
        ),
        pytest.param(
            f"replay: [{fetch('http://unlisted.example/')}]\nsuccess: {{script: 'false'}}",
            2,
            ("command_failed", "harness_error"),
            id="a refused host is not the documentation's fault",
        ),
        pytest.param(
            f"replay: [{fetch('http://gone.invalid/')}]\nsuccess: {{script: 'false'}}\n"
            "network: {allow: [gone.invalid]}",
            2,
            ("command_failed", "infra_error"),
            id="an upstream that fails is not the documentation's fault",
        ),
    ],
)
def test_an_attempt_ends_as_what_happened_says(task, body, code, ending):
    done = run_task(task(body))

    assert ending == done.ending(), done.err
    assert code == done.code


def test_a_failed_attempt_says_in_at_most_eight_lines_what_to_look_at(task):
    done = run_task(task("replay: ['echo boom >&2; exit 3']\nsuccess: {script: 'qs_fail no file'}"))

    lines = done.out.strip().splitlines()
    assert len(lines) <= 8
    assert lines[0].startswith("[FAIL docs_gap] probe")
    assert any("exit code 3" in line or "exit 3" in line for line in lines)
    assert any("check failed: no file" in line for line in lines)
    assert any("quickstarted show" in line for line in lines)


def test_repeats_are_filed_one_by_one_and_an_older_result_is_kept_aside(task):
    path = task(PASSING)

    run_task(path)
    done = run_task(path, "--repeat", "2", "--quiet")

    assert 0 == done.code
    assert ("completed", "passed") == done.ending("probe/replay/1")
    assert ("completed", "passed") == done.ending("probe/replay/2")
    assert (done.results / "probe.1" / "trace.jsonl").exists()
    assert 2 == done.document["cells"][0]["attempts"]


def test_an_invalid_task_exits_3_with_its_position_and_runs_nothing(task):
    path = task("replay: [x]\nsuccess: {script: 'true'}\nbudgets: {max_turns: twenty}")

    done = run_task(path)

    assert 3 == done.code
    assert f"{path}:8:11 budgets.max_turns: " in done.err
    assert not done.results.exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--agent", "codex"], "Name one: --agent codex:MODEL."),
        (["--agent", "exec"], "Name one: --agent exec:COMMAND."),
        (["--agent", "replay", "--model", "m"], "none of the agents takes it"),
        (["--agent", "replay", "--agent", "replay"], "is given more than once"),
        (["--agent", "nobody"], "there is no agent 'nobody'"),
        (["--docs-site", "nonsense"], "PREFIX=DIR"),
        (["--docs-site", "https://docs.example/=/does/not/exist"], "/does/not/exist"),
        (["--no-such-flag"], "no-such-flag"),
    ],
)
def test_a_wrong_call_exits_3_and_says_what_is_wrong(task, flags, message):
    done = run_task(task(PASSING), *flags)

    assert 3 == done.code
    assert message in done.err
