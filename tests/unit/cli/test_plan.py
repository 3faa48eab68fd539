"""`run --plan` and the choices that it shows, as they are called; nothing is run by any of it."""

import json
import subprocess
from textwrap import dedent

import pytest
from click.testing import CliRunner

from fakes.program import write_task
from fakes.results_folders import Made, key_of, write_call
from quickstarted.cli import run_cli
from quickstarted.cli.run import command
from quickstarted.errors import FileInvalid, QuickstartedError, UsageError

BODY = "success: {script: 'true'}\n"
RUN = {
    "task": "one",
    "agent": "replay",
    "affordance_policy": "all",
    "arm": "docs",
    "classification": "passed",
    "duration_seconds": 60.0,
    "estimated_cost_usd": 0.0,
}
CLAUDE = RUN | {"agent": "claude", "estimated_cost_usd": 0.5}


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with the tasks one and two, and nothing else."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tasks").mkdir()
    write_task(tmp_path / "tasks", f"tags: [web]\n{BODY}", name="one")
    write_task(tmp_path / "tasks", BODY, name="two")
    return tmp_path


def plan(*flags):
    done = CliRunner().invoke(command, ["--plan", "--json", *flags], catch_exceptions=False)
    assert 0 == done.exit_code, done.output
    return json.loads(done.stdout)


def cells(*flags):
    names = ("task", "agent", "affordance_policy", "arm", "attempts")
    return [" ".join(str(cell[name]) for name in names) for cell in plan(*flags)["cells"]]


def refused(*flags, error=UsageError):
    with pytest.raises(error) as caught:
        CliRunner().invoke(command, ["--plan", *flags], catch_exceptions=False)
    assert 3 == caught.value.exit_code
    return str(caught.value)


def write_results(folder, *runs, name="results.json"):
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(json.dumps({"schema_version": 1, "runs": list(runs)}))
    return path


def write_matrix(text):
    with open("matrix.yaml", "w") as file:  # noqa: PTH123
        file.write(dedent(text))


def test_a_plan_writes_nothing_and_asks_no_engine(desk, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")

    assert ["one replay all docs 1", "two replay all docs 1"] == cells()
    assert ["tasks"] == [path.name for path in desk.iterdir()]


def test_flags_are_crossed(desk):
    assert [
        f"{task} {agent} {condition} 2"
        for task in ("one", "two")
        for agent in ("claude", "claude:x")
        for condition in ("all docs", "all no-docs", "none docs")
    ] == cells(
        *("--agent", "claude", "--agent", "claude:x", "--repeat", "2"),
        *("--affordances", "all", "--affordances", "none", "--arm", "docs", "--arm", "no-docs"),
    )


def test_a_matrix_file_says_what_is_run_with_how_many_workers(desk):
    write_matrix("""\
        agents: [replay, claude]
        repeat: 3
        workers: 5
        exclude: [{agent: replay, task: two}]
        """)

    assert [
        "one replay all docs 3",
        "one claude all docs 3",
        "two claude all docs 3",
    ] == cells("--matrix", "matrix.yaml")
    assert 5 == plan("--matrix", "matrix.yaml")["workers"]
    assert 1 == plan("--matrix", "matrix.yaml", "--workers", "1")["workers"]


def test_a_matrix_files_workers_come_before_those_of_the_repository(desk):
    write_matrix("{agents: [replay], workers: 5}")
    (desk / "quickstarted.yaml").write_text("run: {workers: 2}")

    assert (5, 2) == (plan("--matrix", "matrix.yaml")["workers"], plan()["workers"])


def test_a_matrix_file_may_repeat_until_a_rate_is_decided(desk):
    write_matrix("{agents: [claude], repeat: 'auto:30', min_pass_rate: 0.9}")

    made = plan("--matrix", "matrix.yaml")

    assert made["may_stop_early"]
    assert 30 >= max(cell["attempts"] for cell in made["cells"]) > 1


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--agent", "replay"], "--agent"),
        (["tasks"], "TASK"),
        (["--repeat", "1"], "--repeat"),
        (["--affordances", "all"], "--affordances"),
        (["--arm", "docs"], "--arm"),
        (["--model", "x"], "--model"),
        (["--example", "demo"], "--example"),
        (["tasks/one.yaml", "--arm", "docs", "--agent", "replay"], "TASK, --agent, --arm"),
    ],
)
def test_what_a_matrix_file_says_is_not_said_again(desk, flags, words):
    write_matrix("agents: [replay]")

    assert (
        f"{words} together with --matrix: matrix.yaml says what is run\n"
        "Change the file, choose among its cells with -k or --tag, or leave --matrix out."
    ) == refused("--matrix", "matrix.yaml", *flags)


def test_what_is_wrong_with_a_matrix_file_is_said_with_its_place(desk):
    write_matrix("""\
        agents: [replay]
        exclude:
          - {task: three}
        """)

    assert (
        'matrix.yaml:3:6 exclude[0].task: matches nothing: no cell has task "three"; there are'
        " one, two"
    ) == refused("--matrix", "matrix.yaml", error=FileInvalid)
    assert "nothing.yaml: there is no file" == refused("--matrix", "nothing.yaml")


def test_choices_are_shown_with_what_each_left_out(desk):
    made = plan("-k", "replay", "--tag", "web", "--agent", "replay", "--agent", "claude")

    assert [
        {"flag": '-k "replay"', "cells": 2},
        {"flag": "--tag web", "cells": 1},
    ] == made["left_out"]
    assert 1 == made["attempts"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (
            ["-k", "three"],
            (
                'nothing is left of 2 cells to run:\n  -k "three" left out 2\nA word of -k is part'
                " of a task's name, of a tag or of an agent's name."
            ),
        ),
        (
            ["--tag", "web", "-k", "two"],
            (
                'nothing is left of 2 cells to run:\n  -k "two" left out 1\n  --tag web left out 1'
                "\nThe tasks have the tags web."
            ),
        ),
        (["-k", "("], '-k "(": at character 2 it ends: expected a word, "not" or "("'),
        (
            ["--last-failed"],
            (
                "--last-failed: there is no results/results.json, so there was no last call\n"
                "Run without --last-failed first, or name the folder with --out."
            ),
        ),
        (["--shard", "2"], "--shard 2: write it as I/N, such as 1/4"),
    ],
)
def test_a_choice_that_cannot_be_or_leaves_nothing_is_refused(desk, flags, said):
    assert said == refused(*flags)


def test_a_classification_that_there_is_not_is_refused(desk, capsys):
    assert 3 == run_cli(["run", "--only", "failed"])
    assert "Invalid value for '--only': 'failed' is not one of 'passed', 'docs_gap'" in (
        capsys.readouterr().err
    )


def test_last_failed_and_only_look_at_the_results_of_the_folder(desk):
    write_results(
        desk / "results",
        RUN,
        CLAUDE | {"classification": "docs_gap"},
        RUN | {"task": "two", "classification": "infra_error"},
    )
    agents = ["--agent", "replay", "--agent", "claude"]

    assert ["one claude all docs 1", "two replay all docs 1"] == cells(*agents, "--last-failed")
    assert ["one claude all docs 1"] == cells(*agents, "--only", "docs_gap")
    assert ["one replay all docs 1"] == cells(*agents, "--only", "passed")


@pytest.mark.parametrize(
    ("tables", "noted"),
    [
        ("none", []),
        (
            "old",
            ["note: --last-failed: attempts that results/results.json lacks are read, too"],
        ),
    ],
)
def test_after_a_kill_last_failed_reads_the_attempts_themselves(desk, tables, noted):
    gap = {"passed": False, "classification": "docs_gap"}
    passed, failed = Made(key=key_of(task="one")), Made(key=key_of(task="two"), ending=gap)
    write_call(desk / "results", [passed, failed], [passed, failed])
    document = desk / "results" / "results.json"
    if tables == "none":
        document.unlink()
    else:
        suite = json.loads(document.read_text())
        document.write_text(json.dumps(suite | {"runs": suite["runs"][:1]}))

    done = CliRunner().invoke(command, ["--plan", "--json", "--last-failed"])

    assert ["two"] == [one["task"] for one in json.loads(done.stdout)["cells"]]
    assert noted == [line for line in done.stderr.splitlines() if line.startswith("note: --")]


def test_changed_since_asks_git_and_says_what_it_cannot_tell(desk):
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for arguments in (
        ["init", "--quiet"],
        ["add", "--all"],
        [*who, "commit", "--quiet", "--message", "x"],
    ):
        subprocess.run(["git", *arguments], check=True)
    path = desk / "tasks" / "two.yaml"
    path.write_text(f"{path.read_text()}# changed\n")
    assert ["two replay all docs 1"] == cells("--changed-since", "HEAD")

    done = CliRunner().invoke(
        command, ["--plan", "--json", "--changed-since", "HEAD", "--example", "demo", "tasks"]
    )

    assert "note: --changed-since HEAD: cannot tell for demo, so it is run: " in done.stderr
    assert ["demo", "two"] == sorted(cell["task"] for cell in json.loads(done.stdout)["cells"])


def test_shards_are_disjoint_and_all_of_them_are_everything(desk):
    flags = ["--agent", "replay", "--agent", "claude", "--repeat", "3"]
    shards = [plan(*flags, "--shard", f"{n}/5") for n in range(1, 6)]

    assert plan(*flags)["attempts"] == sum(shard["attempts"] for shard in shards) == 12
    assert ["1/5", "2/5", "3/5", "4/5", "5/5"] == [shard["shard"] for shard in shards]


def test_shards_are_balanced_by_the_durations_that_are_named_and_no_others(desk):
    write_matrix("{agents: [replay], include: [{task: two, repeat: 5}]}")
    long = RUN | {"duration_seconds": 300.0}
    write_results(desk / "results", long, RUN | {"task": "two"})
    named = write_results(desk, long, RUN | {"task": "two"}, name="before.json")

    def sizes(*flags):
        return [
            plan("--matrix", "matrix.yaml", "--shard", f"{n}/2", *flags)["attempts"] for n in (1, 2)
        ]

    assert [3, 3] == sizes()
    assert [1, 5] == sizes("--durations", str(named))


def test_there_may_be_more_shards_than_attempts(desk):
    assert [1, 1, 0] == [plan("--shard", f"{n}/3")["attempts"] for n in (1, 2, 3)]


def test_costs_and_minutes_come_from_earlier_results_and_those_kept_aside(desk):
    write_results(desk / "results", CLAUDE)
    write_results(
        desk / "results",
        CLAUDE | {"estimated_cost_usd": 1.5, "duration_seconds": 180.0},
        name="results.json.1",
    )

    made = plan("tasks/one.yaml", "--agent", "claude", "--repeat", "4", "--workers", "2")

    assert {"low": 0.6, "expected": 1.0, "high": 1.4} == pytest.approx(made["cells"][0]["cost_usd"])
    assert {"low": 2.4, "expected": 4.0, "high": 5.6} == pytest.approx(made["cost_usd"]["known"])
    assert {"low": 2.4, "expected": 4.0, "high": 5.6} == pytest.approx(made["minutes"]["known"])
    assert ["results/results.json", "results/results.json.1"] == made["estimated_from"]


def test_what_is_not_known_is_null(desk):
    made = plan("--agent", "claude")

    assert [None, None] == [cell["cost_usd"] for cell in made["cells"]]
    assert {"known": None, "known_attempts": 0, "unknown_attempts": 2} == made["cost_usd"]
    assert {"known": None, "known_attempts": 0, "unknown_attempts": 2} == made["minutes"]


def test_earlier_results_that_cannot_be_read_are_said_and_are_no_estimate(desk):
    (desk / "results").mkdir()
    (desk / "results" / "results.json").write_text("{")
    done = CliRunner().invoke(command, ["--plan"], catch_exceptions=False)

    assert 0 == done.exit_code
    assert "note: no estimates from it: results/results.json is not a document of" in done.stderr
    assert "2 attempts of 2 cells" in done.stdout


def test_durations_that_cannot_be_read_are_refused(desk):
    (desk / "took.json").write_text("{")

    with pytest.raises(QuickstartedError, match=r"^took\.json is not a document of"):
        CliRunner().invoke(command, ["--plan", "--durations", "took.json"], catch_exceptions=False)


def test_people_get_a_table(desk):
    done = CliRunner().invoke(command, ["--plan"])

    assert 0 == done.exit_code
    assert done.stdout.startswith("2 attempts of 2 cells (2 tasks, 1 agent): 0 done, 2 to make\n")
