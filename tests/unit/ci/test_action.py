"""The inputs of the action as arguments of `run`, and its outputs."""

import os
import signal
import subprocess
import sys

import pytest

from fakes.attempts import result
from fakes.ci_results import ResultsFolder
from fakes.program import start, wait_until, write_task
from quickstarted.ci.action import arguments, outputs, pass_rate
from quickstarted.errors import UsageError
from quickstarted.results import suite_result

ACTION = [sys.executable, "-m", "quickstarted.ci.action"]
LOCAL = {"INPUT_BACKEND": "local", "INPUT_ALLOW_UNENFORCED": "true"}


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ({"TASKS": "tasks/a.yaml\n\n  tasks/b c.yaml  "}, ["tasks/a.yaml", "tasks/b c.yaml"]),
        ({"TASKS": "--out=/etc"}, ["./--out=/etc"]),
        ({"AGENT": "replay\nclaude"}, ["--agent=replay", "--agent=claude"]),
        ({"AGENT": "exec:sh -c 'do it'"}, ["--agent=exec:sh -c 'do it'"]),
        ({"SELECT": "flask and not slow"}, ["-k", "flask and not slow"]),
        ({"REPEAT": "3", "SHARD": "1/4"}, ["--repeat=3", "--shard=1/4"]),
        ({"OFFLINE": "true", "VERBOSE": "false"}, ["--offline"]),
        ({"ARGS": "--keep-sandbox --only 'docs_gap'"}, ["--keep-sandbox", "--only", "docs_gap"]),
        ({"DOCS_SITE": "https://d.example/=a b"}, ["--docs-site=https://d.example/=a b"]),
    ],
)
def test_inputs_are_arguments_whatever_stands_in_them(inputs, expected):
    environ = {f"INPUT_{name}": value for name, value in inputs.items()}
    fixed = {"--no-github-annotations", "--junit=results/junit.xml"}

    assert expected == [one for one in arguments(environ) if one not in fixed]


def test_nothing_at_all_runs_every_task_and_writes_a_report():
    assert ["--no-github-annotations", "--junit=results/junit.xml"] == arguments({})


def test_the_report_is_in_the_folder_of_results_unless_it_is_named():
    assert "--junit=there/junit.xml" in arguments({"INPUT_OUT": "there"})
    assert "--junit=j.xml" in arguments({"INPUT_OUT": "there", "INPUT_JUNIT": "j.xml"})


def test_annotations_are_on_or_off_and_never_left_to_the_program():
    assert "--github-annotations" in arguments({"INPUT_ANNOTATIONS": "true"})
    assert "--no-github-annotations" in arguments({"INPUT_ANNOTATIONS": "false"})


def test_pages_are_kept_where_the_action_keeps_them_or_the_caller():
    environ = {"INPUT_CACHE": "true", "RUNNER_TEMP": "/tmp/runner"}

    assert "--cache-dir=/tmp/runner/quickstarted-docs" in arguments(environ)
    assert "--cache-dir=mine" in arguments({**environ, "INPUT_CACHE_DIR": "mine"})
    assert "--cache-dir=/tmp/runner/quickstarted-docs" not in arguments(
        {**environ, "INPUT_CACHE_DIR": "mine"}
    )


def test_what_is_neither_true_nor_false_is_refused():
    with pytest.raises(UsageError, match="input offline: expected true or false, got 'yes'"):
        arguments({"INPUT_OFFLINE": "yes"})


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], ""),
        ([("passed", {}), ("docs_gap", {}), ("infra_error", {})], "0.5000"),
        ([("infra_error", {})], ""),
        ([("passed", {"task": "a"}), ("passed", {"task": "b"})], "1.0000"),
        ([("passed", {"agent": "claude"}), ("passed", {})], ""),
        (
            [
                ("passed", {"models_reported": ["a"]}),
                ("passed", {"task": "x", "models_reported": ["b"]}),
            ],
            "",
        ),
        ([("passed", {}), ("passed", {"affordance_policy": "none"})], ""),
    ],
)
def test_a_rate_is_over_evidence_and_never_of_two_models_or_conditions(runs, expected):
    made = [result(kind, attempt=n, **fields) for n, (kind, fields) in enumerate(runs, 1)]

    assert expected == pass_rate(suite_result(made, created=1.0))


def test_results_of_an_earlier_call_are_not_this_ones(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.add()
    written = (folder.write() / "results.json").stat().st_mtime
    environ = {"INPUT_OUT": str(tmp_path)}

    assert ("", "") == tuple(
        outputs(environ, 3, written + 60)[name] for name in ("results", "pass-rate")
    )
    assert (str(tmp_path), "1.0000") == tuple(
        outputs(environ, 0, written)[name] for name in ("results", "pass-rate")
    )


def read_outputs(path):
    """As the runner reads them: NAME<<END, lines, END."""
    lines, found = iter(path.read_text().splitlines()), {}
    for line in lines:
        name, _, end = line.partition("<<")
        found[name] = "\n".join(iter(lines.__next__, end))
    return found


def act(folder, **environ):
    output = folder / "outputs"
    done = subprocess.run(
        ACTION,
        cwd=folder,
        env={**os.environ, "GITHUB_OUTPUT": str(output), **LOCAL, **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done, read_outputs(output)


@pytest.mark.parametrize(("command", "code"), [("true", "0"), ("false", "1")])
def test_the_action_runs_the_tasks_and_leaves_the_verdict_to_its_last_step(tmp_path, command, code):
    write_task(tmp_path, f"replay: ['{command}']\nsuccess: {{script: '{command}'}}\n")
    done, found = act(tmp_path, INPUT_TASKS="probe.yaml")

    assert 0 == done.returncode, done.stderr
    assert {
        "exit-code": code,
        "results": str(tmp_path / "results"),
        "junit": str(tmp_path / "results" / "junit.xml"),
        "pass-rate": "1.0000" if code == "0" else "0.0000",
    } == found
    assert (tmp_path / "results" / "junit.xml").exists()


def test_a_wrong_call_is_an_exit_code_and_no_results(tmp_path):
    done, found = act(tmp_path, INPUT_TASKS="gone.yaml")
    _, also = act(tmp_path, INPUT_OFFLINE="perhaps")

    assert (0, "3", "") == (done.returncode, found["exit-code"], found["results"])
    assert "3" == also["exit-code"]


def test_a_cancelled_job_ends_the_run_which_says_what_it_has(tmp_path):
    write_task(tmp_path, "replay: ['touch begun; sleep 60']\nsuccess: {script: 'true'}\n")
    output = tmp_path / "outputs"
    process = start(
        [],
        command=ACTION,
        env={
            **LOCAL,
            "GITHUB_OUTPUT": str(output),
            "INPUT_TASKS": str(tmp_path / "probe.yaml"),
            "INPUT_OUT": str(tmp_path / "results"),
            "INPUT_ARGS": f"--docs-site https://docs.example/={tmp_path / 'site'}",
        },
    )
    trace = tmp_path / "results" / "probe" / "trace.jsonl"
    wait_until(
        lambda: trace.exists() and "sleep 60" in trace.read_text(), "the command", program=process
    )
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    assert "130" == read_outputs(output)["exit-code"]
    assert (tmp_path / "results" / "junit.xml").exists()
