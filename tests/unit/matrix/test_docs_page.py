"""docs/matrix.md says what there is, and its examples are valid."""

import re

import pytest

from fakes.pages import CHECKOUT
from quickstarted.cli.defaults import NUMBERS, read_defaults
from quickstarted.cli.run import command
from quickstarted.matrix.file import load_matrix, matrix_schema
from quickstarted.matrix.product import cells_of, task_paths
from quickstarted.task import load_task

PAGE = (CHECKOUT / "docs" / "matrix.md").read_text()
MATRIX, _, DEFAULTS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("key", sorted(matrix_schema()["properties"]))
def test_every_key_of_a_matrix_file_is_in_its_table(key):
    assert re.search(rf"^\| .*`{key}`.* \|", PAGE, re.MULTILINE)


def test_the_example_of_a_matrix_is_one(make_task, write_matrix, tmp_path):
    for name in ("flask", "train-gpu"):
        make_task(name, folder=tmp_path / "tasks")
    (tmp_path / "arms/skill").mkdir(parents=True)
    (tmp_path / "arms/skill/AGENTS.md").write_text("x")

    matrix = load_matrix(write_matrix(MATRIX))
    cells = cells_of(matrix, [load_task(path) for path in task_paths(matrix)], 5)

    assert {5, 20} == {cell.repeat for cell in cells}
    assert {"claude", "claude-code", "openai:gpt-6", "replay"} == {
        cell.agent.name for cell in cells
    }


def test_the_example_of_defaults_is_one(tmp_path):
    path = tmp_path / "quickstarted.yaml"
    path.write_text(DEFAULTS)

    assert {"workers", "out", "max-spend", "limit", "docs-site"} == set(
        read_defaults(path, command)
    )


def test_what_is_never_a_default_is_said():
    sentence = PAGE.partition("Never defaults:")[2].partition(";")[0]

    assert NUMBERS == set(re.findall(r"`(\w+)`", sentence))
