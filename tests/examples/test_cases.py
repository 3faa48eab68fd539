"""Every example is in the table, is valid, and names nothing that its pages do not name."""

from __future__ import annotations

import json
from pathlib import PurePosixPath

import pytest

from examples.cases import case_names, case_of, task_names, task_of
from examples.naming import pages_of, unnamed
from quickstarted.cli import run_cli
from quickstarted.resources import tasks_dir


def test_every_example_has_a_row_and_every_row_an_example():
    assert task_names() == case_names()


def test_every_example_stands_in_the_readme():
    readme = (tasks_dir() / "README.md").read_text("utf-8")

    assert [] == [name for name in task_names() if f"| `{name}` |" not in readme]


@pytest.mark.parametrize("name", case_names())
def test_the_readme_says_where_the_documentation_of_an_example_is(name):
    lines = (tasks_dir() / "README.md").read_text("utf-8").splitlines()

    for source in case_of(name).docs:
        folder = PurePosixPath("docs", source.folder)
        package = f"{'npm' if source.npm else 'Debian'} `{source.package}`"
        assert f"| `{name}` | {package} | `{source.prefix}={folder}` |" in lines


def test_every_example_validates_without_a_finding(capsys):
    assert 0 == run_cli(["validate", "--json", str(tasks_dir())])

    reports = json.loads(capsys.readouterr().out)["tasks"]
    assert {} == {
        report["name"]: report["findings"] + report["unsupported"]
        for report in reports
        if report["findings"] or report["unsupported"]
    }


@pytest.mark.parametrize("name", task_names())
def test_an_example_is_called_like_its_file(name):
    assert name == task_of(name).name


@pytest.mark.docker
@pytest.mark.parametrize("name", case_names())
def test_an_example_names_nothing_that_its_documentation_does_not_name(name):
    case = case_of(name)
    task = task_of(name)

    assert sorted(case.known) == sorted(unnamed(task, pages_of(task, case)))
