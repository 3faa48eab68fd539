"""The recipes of docs/ci.md: files that their CI systems take, commands that do what is said."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from lxml import etree

from fakes.pages import CHECKOUT, blocks, calls, section
from fakes.program import write_task
from quickstarted.cli import cli
from quickstarted.cli.reference import entries

PAGE = (CHECKOUT / "docs" / "ci.md").read_text()
BIN = Path(sys.executable).parent
ACTION = yaml.safe_load((CHECKOUT / "action.yml").read_text())
WORKFLOW = yaml.safe_load((CHECKOUT / ".github" / "workflows" / "quickstarts.yml").read_text())
FILES = [block.text for block in blocks(PAGE) if block.language == "yaml"]
FOR_GITLAB = [text for text in FILES if "jobs:" not in text and "script:" in text]
FOR_GITHUB = [text for text in FILES if text not in FOR_GITLAB]
RUN_OPTIONS = {
    name
    for entry in entries(cli)
    if list(entry.words[1:]) == ["run"]
    for option in entry.options
    for name in option.opts
}


def whole_workflow(text):
    """A part of a workflow with what it leaves out around it."""
    part = yaml.safe_load(text)
    # YAML 1.1 reads the key `on` as true.
    whole = {"on": part.pop(True, "push"), **part}
    if steps := whole.pop("steps", None):
        whole["jobs"] = {"a": {"runs-on": "ubuntu-latest", "steps": steps}}
    elif "jobs" not in whole:
        whole["jobs"] = {"a": {"runs-on": "ubuntu-latest", "steps": [{"run": "true"}]}}
    return whole


def checked(*command):
    done = subprocess.run(
        [str(one) for one in command], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def steps_in(workflow):
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


def title(text):
    return text.strip().splitlines()[0]


@pytest.mark.parametrize("text", FOR_GITHUB, ids=title)
def test_what_is_for_github_is_taken_by_github(tmp_path, text):
    file = tmp_path / "workflow.yml"
    file.write_text(yaml.safe_dump(whole_workflow(text)))

    assert (0, "") == checked(BIN / "actionlint", "-no-color", file)
    code, said = checked(
        BIN / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", file
    )
    assert 0 == code, said


@pytest.mark.parametrize("text", FOR_GITLAB, ids=title)
def test_what_is_for_gitlab_is_taken_by_gitlab(tmp_path, text):
    file = tmp_path / ".gitlab-ci.yml"
    file.write_text(text)
    code, said = checked(BIN / "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci", file)

    assert 0 == code, said


@pytest.mark.parametrize("text", FOR_GITHUB, ids=title)
def test_the_action_and_the_workflow_are_given_inputs_that_they_have(text):
    workflow = whole_workflow(text)
    given = [step for step in steps_in(workflow) if "OWNER" in str(step.get("uses"))]
    called = [job for job in workflow["jobs"].values() if "OWNER" in str(job.get("uses"))]

    for step in given:
        assert set(step["with"]) <= set(ACTION["inputs"])
    for job in called:
        known = WORKFLOW[True]["workflow_call"]
        assert set(job["with"]) <= set(known["inputs"])
        assert set(job["secrets"]) <= set(known["secrets"])
        assert {name for name, one in known["inputs"].items() if one.get("required")} <= set(
            job["with"]
        )


def test_there_are_recipes_of_every_kind():
    assert (8, 3) == (len(FOR_GITHUB), len(FOR_GITLAB))


class Machine:
    """A folder with tasks, and `quickstarted` and `pip` as a job has them, without an engine."""

    def __init__(self, folder):
        self.folder = folder
        (folder / "tasks").mkdir()
        self.path = folder / "bin"
        self.path.mkdir()
        self.command("pip", "exit 0")
        program = shlex.join([sys.executable, "-m", "quickstarted"])
        self.command(
            "quickstarted",
            f'case "$1" in run) exec {program} "$@" --backend local --allow-unenforced ;; esac\n'
            f'exec {program} "$@"',
        )

    def command(self, name, text):
        (self.path / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.path / name).chmod(0o755)

    def task(self, name, body):
        write_task(self.folder / "tasks", body, name=name)

    def run(self, script, **environ):
        """As a CI system runs it: it ends with the first command that fails."""
        return subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script],
            cwd=self.folder,
            env={**os.environ, "PATH": f"{self.path}:{os.environ['PATH']}", **environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def report(self, name="results/junit.xml"):
        return etree.parse(self.folder / name).getroot()


PASSES = "replay: ['true']\nsuccess: {script: 'true'}\n"
GAP = "replay: ['false']\nsuccess: {script: 'false'}\n"
LOST = "setup: ['false']\nreplay: ['true']\nsuccess: {script: 'true'}\n"


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def job(text, name):
    return yaml.safe_load(text)[name]


def test_the_recipe_for_gitlab_leaves_the_report_where_gitlab_looks_for_it(machine):
    recipe = job(FOR_GITLAB[0], "quickstarts")
    machine.task("good", PASSES)
    machine.task("bad", GAP)
    done = machine.run(
        "\n".join(recipe["script"]), GITLAB_CI="true", CI_PROJECT_DIR=str(machine.folder)
    )
    report = machine.report(recipe["artifacts"]["reports"]["junit"])

    assert 1 == done.returncode
    assert ["1", "2"] == [report.get("failures"), report.get("tests")]
    assert {"tasks/site/index.html", "tasks/good.yaml"} == {
        case.get("file") for case in report.iter("testcase")
    }


@pytest.mark.parametrize(("body", "code"), [(GAP, 1), (LOST, 2)], ids=["gap", "lost"])
def test_shards_of_gitlab_are_joined_to_one_verdict_and_one_report(machine, body, code):
    attempts, verdict = (job(FOR_GITLAB[1], name) for name in ("attempts", "verdict"))
    machine.task("one", PASSES if code != 2 else LOST)
    machine.task("two", body)
    allowed = [0, *attempts["allow_failure"]["exit_codes"]]
    for index in ("1", "2"):
        done = machine.run("\n".join(attempts["script"]), CI_NODE_INDEX=index, CI_NODE_TOTAL="2")
        assert done.returncode in allowed, done.stderr
    done = machine.run("\n".join(verdict["script"]))

    assert code == done.returncode, done.stderr
    assert "6" == machine.report(verdict["artifacts"]["reports"]["junit"]).get("tests")


def test_a_missing_shard_of_gitlab_is_no_verdict(machine):
    attempts, verdict = (job(FOR_GITLAB[1], name) for name in ("attempts", "verdict"))
    machine.task("one", PASSES)
    machine.run("\n".join(attempts["script"]), CI_NODE_INDEX="1", CI_NODE_TOTAL="2")

    assert 3 == machine.run("\n".join(verdict["script"])).returncode


def test_the_recipe_for_jenkins_has_the_report_that_it_publishes(machine):
    (recipe,) = (block.text for block in blocks(PAGE) if block.language == "groovy")
    (script,) = (
        line.split("'")[1] for line in recipe.splitlines() if line.strip().startswith("sh ")
    )
    published = next(line.split("'")[1] for line in recipe.splitlines() if "junit '" in line)
    machine.task("good", PASSES)

    assert 0 == machine.run(script).returncode
    assert "1" == machine.report(published).get("tests")
    assert {word.split("=")[0] for word in calls(script)[0] if word.startswith("--")} <= RUN_OPTIONS


def test_the_recipes_for_a_shell_do_what_they_say(machine):
    _, plain, shard, joined = (
        block.text
        for block in blocks(section(PAGE, "## Anything with a shell"))
        if block.language == "sh"
    )
    machine.task("good", PASSES)

    assert 0 == machine.run(plain).returncode
    assert "1" == machine.report().get("tests")
    for number in ("1", "2"):
        assert 0 == machine.run(shard, NUMBER=number, MACHINES="2").returncode
    assert 0 == machine.run(joined).returncode
    runs = json.loads((machine.folder / "results" / "results.json").read_text())["runs"]
    assert [1, 2, 3] == [run["attempt"] for run in runs]


@pytest.mark.parametrize(
    ("body", "flag", "code"),
    [
        (PASSES, "", 0),
        (GAP, "", 1),
        (LOST, "", 2),
        (LOST, "--strict-inconclusive", 1),
        ("nonsense: 1\n", "", 3),
    ],
    ids=["passes", "gap", "lost", "lost-strictly", "invalid"],
)
def test_the_program_ends_with_the_codes_of_the_table(machine, body, flag, code):
    advice = section(PAGE, "## Which outcomes should fail a build")
    machine.task("one", body)

    assert f"| `{code}` |" in advice
    assert code == machine.run(f"quickstarted run tasks/ {flag}").returncode


@pytest.mark.parametrize(
    ("body", "code"), [(PASSES, 0), (GAP, 1), (LOST, 0)], ids=["passes", "gap", "lost"]
)
def test_a_build_that_no_evidence_does_not_fail_is_as_the_page_writes_it(machine, body, code):
    advice = section(PAGE, "## Which outcomes should fail a build")
    script = next(block.text for block in blocks(advice) if block.language == "sh")
    machine.task("one", body)

    assert code == machine.run(script).returncode
