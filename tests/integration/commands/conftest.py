"""One running sandbox for each kind of image."""

from __future__ import annotations

import pytest

from fakes.containers import base_image, derive, open_sandbox
from quickstarted.sandbox.protocol import Limits


@pytest.fixture(scope="session", name="dash_only")
def _dash_only(engine):
    return derive(engine, "dash", "rm -f /bin/bash /usr/bin/bash", "USER 4321")


@pytest.fixture(scope="session", name="bash_box")
def _bash_box(engine):
    with open_sandbox(engine, base_image()) as sandbox:
        yield sandbox


@pytest.fixture(scope="session", name="boxes")
def _boxes(engine, bash_box, busybox, non_root, dash_only):
    with (
        open_sandbox(engine, busybox) as ash,
        open_sandbox(engine, non_root) as reader,
        open_sandbox(engine, dash_only) as dash,
    ):
        yield {"bash": bash_box, "busybox": ash, "non-root": reader, "dash-no-passwd": dash}


KINDS = ["bash", "busybox", "non-root", "dash-no-passwd"]


@pytest.fixture(params=KINDS, name="box")
def _box(request, boxes):
    """Each kind of image: root with bash, busybox's ash, a user, a user without passwd entry."""
    box = boxes[request.param]
    box.reset_shell()
    return box


@pytest.fixture(params=["bash", "non-root"], name="bash_kind")
def _bash_kind(request, boxes):
    """Images with bash."""
    box = boxes[request.param]
    box.reset_shell()
    return box


@pytest.fixture(name="run")
def _run():
    """`run(box, command)` with ample time."""

    def run(box, command, timeout_s=30.0, **limits):
        return box.bash(command, Limits(timeout_s=timeout_s, **limits))

    return run
