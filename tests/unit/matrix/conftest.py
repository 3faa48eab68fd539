"""Tasks, cells and matrix files to try things with."""

from pathlib import Path
from textwrap import dedent

import pytest

from quickstarted.agents import agent_named
from quickstarted.arms import Arm
from quickstarted.condition import Condition
from quickstarted.matrix import Cell
from quickstarted.task import parse_task

TASK = """\
name: {name}
goal: Do as the page says.
tags: [{tags}]
docs: {{path: [https://docs.example/]}}
success: {{script: 'true'}}
"""


@pytest.fixture
def make_task(tmp_path):
    """Write a task file; further keys as YAML."""

    def make(name, *, tags="", more="", folder=tmp_path):
        path = folder / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TASK.format(name=name, tags=tags) + dedent(more))
        return path

    return make


@pytest.fixture
def make_cell():
    """A cell of a task that stands in no file."""

    def make(task="flask", agent="replay", *, affordances="all", arm="docs", repeat=1, tags=""):
        text = TASK.format(name=task, tags=tags)
        return Cell(
            task=parse_task(text.encode(), Path(f"{task}.yaml")),
            agent=agent_named(agent),
            condition=Condition(affordances=affordances, arm=arm),
            arm=Arm(name=arm),
            repeat=repeat,
        )

    return make


@pytest.fixture
def write_matrix(tmp_path):
    """Write a matrix file beside the tasks."""

    def write(text, name="matrix.yaml"):
        path = tmp_path / name
        path.write_text(dedent(text))
        return path

    return write
