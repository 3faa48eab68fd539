from quickstarted.cli import run_cli
from quickstarted.resources import tasks_dir


def test_examples_are_listed_with_their_first_line(capsys):
    assert run_cli(["examples"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("demo ") and len(line) > len("demo  ") for line in lines)


def test_an_example_is_printed_as_it_is(capsys):
    assert run_cli(["examples", "show", "demo"]) == 0

    assert capsys.readouterr().out == (tasks_dir() / "demo.yaml").read_text(encoding="utf-8")


def test_a_copy_validates_and_says_how_to_run_it(tmp_path, capsys):
    assert run_cli(["examples", "copy", "demo", str(tmp_path)]) == 0
    assert f"run it: quickstarted run {tmp_path}/demo.yaml" in capsys.readouterr().out

    assert run_cli(["validate", str(tmp_path)]) == 0


def test_copying_twice_is_a_usage_error(tmp_path, capsys):
    run_cli(["examples", "copy", "demo", str(tmp_path)])

    assert run_cli(["examples", "copy", "demo", str(tmp_path)]) == 3
    assert "nothing was copied" in capsys.readouterr().err


def test_an_unknown_example_is_a_usage_error(capsys):
    assert run_cli(["examples", "show", "nope"]) == 3
    assert "there is no example called nope" in capsys.readouterr().err
