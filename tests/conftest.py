"""The suite ends by looking for anything that a test has left on the engine."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from fakes.program import end_started
from quickstarted.docs.store.place import SIZE_VARIABLE
from quickstarted.sandbox.engine import connect
from quickstarted.sandbox.gc import Swept, sweep
from quickstarted.sandbox.labels import this_process
from quickstarted.sandbox.lanes import packages

os.environ[packages.SIZE_VARIABLE] = "0"
os.environ[SIZE_VARIABLE] = "0"
"""What tests fetch is not kept for anybody; a test of a cache has a volume or folder of its own."""

_used_docker: list[str] = []
"""Tests of this process, or of the processes that it has given them to, that used the engine."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("docker"):
        _used_docker.append(item.nodeid)


class Workers:
    """Where tests are given to several processes, the first one looks when all have ended."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        _used_docker.extend(getattr(node, "workeroutput", {}).get("used_docker", []))


def pytest_configure(config: pytest.Config) -> None:
    # Set where tests run in several processes, and by some terminals: outputs would be wrapped.
    os.environ.pop("COLUMNS", None)
    # Where a CI system runs the tests, what the program tells it would stand in each output.
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "GITLAB_", "CI_", "INPUT_")) or name == "GH_TOKEN":
            del os.environ[name]
    config.pluginmanager.register(Workers())


@pytest.fixture(autouse=True)
def _no_program_outlives_its_test() -> Iterator[None]:
    yield
    end_started()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """What tests made and dead processes own; what a living neighbour runs is its own."""
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["used_docker"] = _used_docker
        return
    if not _used_docker:
        return
    engine = connect()
    found = sweep(engine, now=time.time(), dry_run=True)
    engine.close()
    left = [one for one in found if one.removed or one.owner == str(this_process()) or is_kept(one)]
    if left:
        lines = [f"  {one.kind} {one.id[:19]} {one.role} of {one.run_id}" for one in left]
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        reporter.write_line("\nleft on the engine by tests:\n" + "\n".join(lines), red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def is_kept(one: Swept) -> bool:
    """A sandbox that a test has kept; the image has no owner, so that it outlives the process."""
    return one.run_id.startswith("test") and not one.owner
