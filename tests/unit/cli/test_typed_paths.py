"""An unset variable of a script is no folder."""

from __future__ import annotations

import click
import pytest

from quickstarted.cli import ci, diff, merge, run

PATHS = [
    param
    for module in (run, ci, diff, merge)
    for param in module.command.params
    if isinstance(param.type, click.Path)
]


@pytest.mark.parametrize("param", PATHS, ids=lambda param: param.name)
def test_no_command_about_results_takes_an_empty_path(param):
    with pytest.raises(click.BadParameter, match="the path is empty"):
        param.type.convert("", param, None)


def test_the_working_directory_is_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (out,) = (param for param in run.command.params if param.name == "out")
    assert "." == str(out.type.convert(".", out, None))
