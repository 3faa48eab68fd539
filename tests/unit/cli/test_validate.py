import json

import pytest

from quickstarted.cli import run_cli

VALID = """\
name: x
goal: g
docs: {entrypoint: https://docs.example/}
replay: [pip install x]
success: {script: python a.py}
"""


@pytest.fixture(name="folder")
def _folder(tmp_path, monkeypatch):
    (tmp_path / "tasks").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "tasks"


def test_valid_files_end_with_0(folder, capsys):
    (folder / "x.yaml").write_text(VALID)

    assert run_cli(["validate"]) == 0
    assert capsys.readouterr().out == (
        "tasks/x.yaml: valid\n1 task file: 0 invalid, 0 warnings, 0 notes\n"
    )


def test_invalid_files_end_with_1_and_all_files_are_looked_at(folder, capsys):
    (folder / "a.yaml").write_text("name: a\n\tb: 1\n")
    (folder / "b.yaml").write_text(VALID.replace("goal: g", "goal: 3\nmax_turns: 3"))
    (folder / "c.yaml").write_text(VALID)

    assert run_cli(["validate", "tasks"]) == 1
    assert capsys.readouterr().out == (
        "tasks/a.yaml: invalid\n"
        "  error: tasks/a.yaml:2:1: a tab is used for indentation: YAML wants spaces\n"
        "tasks/b.yaml: invalid\n"
        "  error: tasks/b.yaml:2:1 goal: expected text, got 3: quote it\n"
        "  error: tasks/b.yaml:3:1 max_turns: unknown key here: did you mean"
        " `budgets.max_turns`?\n"
        "tasks/c.yaml: valid\n"
        "3 task files: 2 invalid, 0 warnings, 0 notes\n"
    )


def test_warnings_and_notes_do_not_count_and_say_what_to_do(folder, capsys):
    (folder / "x.yaml").write_text(
        VALID.replace("[pip install x]", "[flask run]") + "resources: {gpus: all}\n"
    )

    assert run_cli(["validate", "tasks/x.yaml"]) == 0
    assert capsys.readouterr().out == (
        "tasks/x.yaml: valid\n"
        '  warning: tasks/x.yaml:4:10 replay[0]: "flask run" does not end by itself\n'
        "    Move it to `services`, to `success.serve`, or set `success.leftovers`.\n"
        "  note: tasks/x.yaml:6:13 resources.gpus: GPUs are not supported by this version\n"
        "    `run` refuses the task until then.\n"
        "1 task file: 0 invalid, 1 warning, 1 note\n"
    )


def test_tasks_of_one_name_are_warned_about(folder, capsys):
    (folder / "a.yaml").write_text(VALID)
    (folder / "b.yaml").write_text(VALID)

    assert run_cli(["validate"]) == 0
    assert "warning: tasks/b.yaml:1:1 name: tasks/a.yaml has the same name" in (
        capsys.readouterr().out
    )


def test_machines_get_one_document(folder, capsys):
    (folder / "a.yaml").write_text("name: a\n")
    (folder / "b.yaml").write_text(VALID.replace("[pip install x]", "[flask run]"))

    assert run_cli(["validate", "--json"]) == 1
    invalid, valid = json.loads(capsys.readouterr().out)["tasks"]
    assert (invalid["path"], invalid["valid"], invalid["name"]) == ("tasks/a.yaml", False, None)
    assert invalid["problems"][0] == "tasks/a.yaml:1:1 goal: is required"
    assert (valid["valid"], valid["name"], valid["problems"]) == (True, "x", [])
    assert valid["findings"] == [
        {
            "severity": "warning",
            "code": "replay-never-ends",
            "line": 4,
            "column": 10,
            "key": "replay[0]",
            "message": '"flask run" does not end by itself',
            "advice": "Move it to `services`, to `success.serve`, or set `success.leftovers`.",
        }
    ]


@pytest.mark.parametrize("args", [[], ["tasks"], ["missing.yaml"], ["tasks/*.yaml"]])
def test_no_file_at_all_ends_with_3(folder, capsys, args):
    assert run_cli(["validate", *args]) == 3
    assert "there is no task file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--image", "x"], "--image goes with --prove"),
        (["--image", "x", "--check-urls"], "--image goes with --prove"),
        (["--docs-site", "https://a.example/=."], "--docs-site goes with --prove or --check-urls"),
    ],
)
def test_flags_of_work_that_is_not_asked_for_are_refused(folder, capsys, flags, said):
    (folder / "x.yaml").write_text(VALID)

    assert run_cli(["validate", *flags]) == 3
    assert f"{said}\n" in capsys.readouterr().err
