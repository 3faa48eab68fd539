"""The scripts of the action and of the workflow, run as a runner runs them, without an engine."""

import os
import re
import shlex
import subprocess
import sys

import pytest
import yaml
from lxml import etree

from fakes.github_api import GitHubApi
from fakes.pages import CHECKOUT
from fakes.program import write_task

ACTION = yaml.safe_load((CHECKOUT / "action.yml").read_text())
WORKFLOW = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "quickstarts.yml").read_text())
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")
LOCAL = {"backend": "local", "allow-unenforced": "true"}
GAP = "replay: ['false']\nsuccess: {script: 'false'}\n"


class Runner:
    """A job on a machine where quickstarted is installed already."""

    def __init__(self, folder, **context):
        self.folder = folder
        self.context = context
        program = shlex.quote(sys.executable)
        for name, text in {"python": program, "quickstarted": f"{program} -m quickstarted"}.items():
            path = folder / "temp" / "quickstarted" / "bin" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'#!/bin/sh\nexec {text} "$@"\n')
            path.chmod(0o755)

    def value(self, text):
        """*text* with what stands in its expressions."""
        return EXPRESSION.sub(lambda match: self.context.get(match[1], ""), str(text))

    def run(self, step, **environ):
        """A step; its outputs are known to those that follow."""
        output = self.folder / "output"
        output.write_text("")
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.folder,
            env={
                **os.environ,
                "RUNNER_TEMP": str(self.folder / "temp"),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_WORKSPACE": str(self.folder),
                "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md"),
                **environ,
                **{name: self.value(value) for name, value in step.get("env", {}).items()},
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        for name, value in outputs(output.read_text()):
            self.context[f"steps.{step.get('id')}.outputs.{name}"] = value
        return done


def outputs(text):
    """As a runner reads them: NAME=VALUE, or NAME<<END and lines up to END."""
    lines = iter(text.splitlines())
    for line in lines:
        if "<<" in line:
            name, _, end = line.partition("<<")
            yield name, "\n".join(iter(lines.__next__, end))
        else:
            yield tuple(line.split("=", 1))


def step_named(name, steps):
    return next(step for step in steps if step.get("name") == name)


def of_action(folder, **inputs):
    known = {name: str(one["default"]) for name, one in ACTION["inputs"].items()} | inputs
    return Runner(folder, **{f"inputs.{name}": value for name, value in known.items()})


def test_the_action_runs_tells_comments_and_ends_as_the_run_does(tmp_path):
    write_task(tmp_path, GAP)
    runner = of_action(
        tmp_path, **LOCAL, tasks="probe.yaml", comment="true", token="token-of-a-test"
    )
    steps = ACTION["runs"]["steps"]
    with GitHubApi() as api:
        job = {**api.environ, "GITHUB_REF": "refs/pull/7/merge", "GITHUB_ACTIONS": "true"}
        ran = runner.run(step_named("Run", steps), **job)
        commented = runner.run(step_named("Comment", steps), **job)
        verdict = runner.run(step_named("Verdict", steps))

    assert (0, 0, 1) == tuple(one.returncode for one in (ran, commented, verdict)), ran.stderr
    assert "::error file=site/index.html" in ran.stderr
    assert "0 passed" in (tmp_path / "summary.md").read_text()
    assert "comment on #7: created\n" == commented.stdout
    assert "0 passed" in api.bodies()[0]


def test_a_comment_on_what_was_red_is_written_anew_where_nothing_is_left_to_run(tmp_path):
    write_task(tmp_path, GAP)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=no"]
    for arguments in (["init", "-q"], ["add", "--all"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *arguments], cwd=tmp_path, check=True)
    steps = ACTION["runs"]["steps"]
    told = {"tasks": "probe.yaml", "comment": "true", "token": "token-of-a-test"}
    red = of_action(tmp_path, **LOCAL, **told, out="temp/red")
    green = of_action(tmp_path, **LOCAL, **told, out="temp/green", **{"changed-since": "HEAD"})
    with GitHubApi() as api:
        job = {**api.environ, "GITHUB_REF": "refs/pull/7/merge", "GITHUB_ACTIONS": "true"}
        for runner in (red, green):
            runner.run(step_named("Run", steps), **job)
            assert "" != runner.context["steps.run.outputs.results"]
            runner.run(step_named("Comment", steps), **job)

    assert "0" == green.context["steps.run.outputs.exit-code"]
    (body,) = api.bodies()
    assert "0 attempts" in body
    assert "docs_gap" not in body


@pytest.mark.parametrize(
    "name", ["$(touch written)", "`touch written`", "'; touch written; '", "a\ntouch written"]
)
def test_an_input_is_no_script_whatever_stands_in_it(tmp_path, name):
    runner = of_action(tmp_path, **LOCAL, tasks=name, select=name, comment="true", base=name)
    runner.context |= {"inputs.comment-key": name, "steps.run.outputs.results": name}
    steps = ACTION["runs"]["steps"]
    ran = runner.run(step_named("Run", steps))
    runner.context["steps.run.outputs.results"] = name
    runner.run(step_named("Comment", steps))

    assert 0 == ran.returncode
    assert not (tmp_path / "written").exists()


@pytest.mark.parametrize(("shards", "code"), [(("1", "2"), "1"), (("1",), "3")])
def test_the_workflow_joins_its_shards_to_one_verdict(tmp_path, shards, code):
    write_task(tmp_path, GAP)
    for number in shards:
        shard = of_action(
            tmp_path,
            **LOCAL,
            tasks="probe.yaml",
            repeat="2",
            shard=f"{number}/2",
            out=f"temp/shards/quickstarted-shard-{number}",
            fail="false",
        )
        shard.run(step_named("Run", ACTION["runs"]["steps"]))
        assert 0 == shard.run(step_named("Verdict", ACTION["runs"]["steps"])).returncode
    report = Runner(tmp_path, **{"inputs.strict-inconclusive": "false", "inputs.key": "nightly"})
    steps = WORKFLOW["jobs"]["report"]["steps"]
    report.run(step_named("Join the shards", steps))
    verdict = report.run(step_named("Verdict", steps))

    assert code == report.context["steps.merge.outputs.exit-code"]
    assert int(code) == verdict.returncode
    assert (code == "1") == (tmp_path / "results" / "results.json").exists()
    if code == "1":
        assert 0 == report.run(step_named("Tell", steps)).returncode
        assert "2" == etree.parse(tmp_path / "results" / "junit.xml").getroot().get("failures")
        assert "## nightly" in (tmp_path / "summary.md").read_text()
