"""`--executor` and `--forward-env`: read, and refused where they make no sense."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from quickstarted.cli.executors import Executor, ExecutorParam, forwarded
from quickstarted.cli.run import command
from quickstarted.errors import UsageError


@pytest.mark.parametrize(
    ("given", "executor"),
    [
        ("local", Executor()),
        ("ray", Executor("ray")),
        ("ray:10.0.0.5:6379", Executor("ray", "10.0.0.5:6379")),
        ("ray:head.example:6379", Executor("ray", "head.example:6379")),
        ("ray:[::1]:6379", Executor("ray", "[::1]:6379")),
    ],
)
def test_an_executor_is_read(given, executor):
    assert executor == ExecutorParam().convert(given, None, None)


@pytest.mark.parametrize(
    "given",
    ["", "dask", "local:1", "ray:", "ray:head", "ray:head:", "ray:head:x", "ray:ray://head:10001"],
)
def test_what_is_no_executor_is_refused(given):
    with pytest.raises(click.BadParameter, match=r"none of local, ray and ray:HOST:PORT"):
        ExecutorParam().convert(given, None, None)


@pytest.mark.parametrize(
    ("flags", "why"),
    [
        (["--forward-env", "KEY"], "--forward-env is for --executor ray"),
        (["--executor", "ray", "--keep-sandbox"], "--keep-sandbox and --executor ray contradict"),
    ],
)
def test_flags_that_do_not_go_together_are_refused(flags, why):
    done = CliRunner().invoke(command, ["x.yaml", *flags])

    assert isinstance(done.exception, UsageError)
    assert why in str(done.exception)


def test_variables_are_forwarded_by_name_and_must_be_set():
    environ = {"A": "1", "B": "2"}

    assert {"B": "2"} == forwarded(("B",), environ)
    with pytest.raises(UsageError, match="--forward-env C: it is not set here"):
        forwarded(("A", "C"), environ)
