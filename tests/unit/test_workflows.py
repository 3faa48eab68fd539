"""Workflows and the action are what GitHub takes, and nobody can write commands into them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fakes.pages import CHECKOUT
from quickstarted.ci.action import FLAGS, ONE_A_LINE, VALUES, arguments, outputs
from quickstarted.cli import cli
from quickstarted.cli.reference import entries

WORKFLOWS = sorted((CHECKOUT / ".github" / "workflows").glob("*.yml"))
ACTION_FILE = CHECKOUT / "action.yml"
ACTION = yaml.safe_load(ACTION_FILE.read_text())
STEPS = ACTION["runs"]["steps"]
RUN_STEP = next(step for step in STEPS if step.get("id") == "run")
BIN = Path(sys.executable).parent
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
OF_THE_ACTION = {"args", "cache"}
"""Inputs that the run step takes beside those that are an option each."""


def check(*command):
    done = subprocess.run(
        [str(part) for part in command], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def document(path):
    return yaml.safe_load(path.read_text())


def steps_of(path):
    found = document(path)
    jobs = found["jobs"].values() if "jobs" in found else [found["runs"]]
    return [step for job in jobs for step in job.get("steps", [])]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actionlint_has_nothing_to_say(path):
    assert (0, "") == check(BIN / "actionlint", "-no-color", path)


def test_actionlint_would_have_something_to_say(tmp_path):
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n"
        "      - run: echo ${{ matrix.nothing }}\n"
    )
    code, said = check(BIN / "actionlint", "-no-color", wrong)

    assert 1 == code
    assert "potentially untrusted" in said
    assert 'property "nothing" is not defined' in said


@pytest.mark.parametrize(
    ("schema", "path"),
    [*(("github-workflows", path) for path in WORKFLOWS), ("github-actions", ACTION_FILE)],
    ids=lambda one: getattr(one, "name", one),
)
def test_each_file_is_valid_by_its_schema(schema, path):
    code, said = check(BIN / "check-jsonschema", "--builtin-schema", f"vendor.{schema}", path)

    assert 0 == code, said


@pytest.mark.parametrize("path", [*WORKFLOWS, ACTION_FILE], ids=lambda path: path.name)
def test_no_expression_stands_in_the_text_of_a_script(path):
    assert [] == [step["run"] for step in steps_of(path) if "${{" in str(step.get("run", ""))]


@pytest.mark.parametrize("path", [*WORKFLOWS, ACTION_FILE], ids=lambda path: path.name)
def test_actions_of_others_are_pinned_to_a_commit(path):
    lines = [line.strip().removeprefix("- ") for line in path.read_text().splitlines()]
    used = [line for line in lines if line.startswith("uses: ") and "uses: ./" not in line]

    assert used
    assert [] == [line for line in used if not PINNED.fullmatch(line)]


def test_one_version_of_each_action_is_used():
    text = "".join(path.read_text() for path in [*WORKFLOWS, ACTION_FILE])
    commits = dict.fromkeys(re.findall(r"uses: (actions/[\w-]+)[\w/-]*@([0-9a-f]{40})", text))

    assert len({name for name, _ in commits}) == len(commits)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_no_workflow_runs_what_a_fork_has_written_with_the_rights_of_this_repository(path):
    assert "pull_request_target" not in path.read_text()
    for step in steps_of(path):
        if str(step.get("uses", "")).startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_every_input_of_the_action_is_used_and_no_other():
    used = {
        name for step in STEPS for name in re.findall(r"\binputs\.([\w-]+)", yaml.safe_dump(step))
    }

    assert set(ACTION["inputs"]) == used


def test_the_run_step_gets_each_input_in_its_own_variable():
    expected = {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}"
        for name in [*ONE_A_LINE, *VALUES, *FLAGS, *OF_THE_ACTION]
    }

    assert expected == RUN_STEP["env"]


def test_every_input_is_an_option_of_run():
    options = next(entry for entry in entries(cli) if list(entry.words[1:]) == ["run"]).options
    known = {name for option in options for name in (*option.opts, *option.secondary_opts)}
    mapped = {*ONE_A_LINE.values(), *VALUES.values(), *FLAGS.values()} - {""}

    assert set() == mapped - known


def test_inputs_that_are_true_or_false_begin_as_one_of_them():
    begins = {name: ACTION["inputs"][name]["default"] for name in FLAGS}

    assert {"true", "false"} == set(begins.values())
    assert arguments({"INPUT_OUT": "results"}) == arguments(
        {
            f"INPUT_{name.upper().replace('-', '_')}": ACTION["inputs"][name]["default"]
            for name in [*ONE_A_LINE, *VALUES, *OF_THE_ACTION - {"cache"}]
        }
    )


def test_every_output_is_one_that_the_run_step_writes():
    written = outputs({}, 0, 0)

    assert {name: f"${{{{ steps.run.outputs.{name} }}}}" for name in written} == {
        name: one["value"] for name, one in ACTION["outputs"].items()
    }


def test_results_are_uploaded_and_kept_also_where_something_failed():
    late = list(STEPS[STEPS.index(RUN_STEP) + 1 :])

    assert {"Comment", "Upload results", "Save documentation and packages"} <= {
        step["name"] for step in late
    }
    assert all(step["if"].startswith("always() && ") for step in late)


@pytest.mark.parametrize(
    ("fail", "code", "expected"),
    [
        *(("true", code, code) for code in (0, 1, 2, 3, 130)),
        *(("false", code, 0) for code in (0, 1, 2)),
        *(("false", code, code) for code in (3, 130)),
    ],
)
def test_the_last_step_of_the_action_has_the_exit_code_of_the_run(fail, code, expected):
    (verdict,) = (step for step in STEPS if step["name"] == "Verdict")
    done = subprocess.run(
        ["bash", "-e", "-c", verdict["run"]],
        env={"CODE": str(code), "FAIL": fail},
        capture_output=True,
        check=False,
    )

    assert expected == done.returncode


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_gives_the_action_inputs_that_it_has(path):
    given = {
        name
        for step in steps_of(path)
        if step.get("uses") in ("./", "./.quickstarted")
        for name in step["with"]
    }

    assert given <= set(ACTION["inputs"])


def test_the_list_of_shards_is_one_that_a_matrix_can_be_made_of(tmp_path):
    (step,) = document(CHECKOUT / ".github" / "workflows" / "quickstarts.yml")["jobs"]["plan"][
        "steps"
    ]
    output = tmp_path / "output"
    subprocess.run(
        ["bash", "-e", "-c", step["run"]],
        env={"PATH": f"{BIN}:/usr/bin:/bin", "SHARDS": "3", "GITHUB_OUTPUT": str(output)},
        check=True,
    )

    assert "list=[1, 2, 3]\n" == output.read_text()
