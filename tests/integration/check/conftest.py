"""Sandboxes of four kinds of images to run checks in, and one with every client."""

from __future__ import annotations

import os
from dataclasses import dataclass

import pytest

from fakes.check_images import clients_image
from fakes.containers import base_image, derive, open_sandbox
from quickstarted.check import CheckPlan, run_check
from quickstarted.sandbox.container.sandbox import DockerSandbox

NO_PROXY_HELPS = {"HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9"}
"""A proxy that does not answer, and no NO_PROXY: what is asked through it is seen."""


@dataclass
class Checker:
    sandbox: DockerSandbox

    def run(self, script="", *, outputs=b"", **parts):
        plan = CheckPlan(script=script, **{"timeout_s": 60.0, **parts})
        return run_check(self.sandbox, plan, outputs)


@pytest.fixture(scope="module", name="checkers")
def _checkers(engine, busybox, non_root):
    images = {
        "bash": base_image(),
        "busybox": busybox,
        "non-root": non_root,
        "dash": derive(engine, "check-dash", "rm -f /bin/bash /usr/bin/bash", "USER 4321"),
    }
    with (
        open_sandbox(engine, images["bash"], env=NO_PROXY_HELPS) as bash,
        open_sandbox(engine, images["busybox"], env=NO_PROXY_HELPS) as ash,
        open_sandbox(engine, images["non-root"], env=NO_PROXY_HELPS) as reader,
        open_sandbox(engine, images["dash"], env=NO_PROXY_HELPS) as dash,
    ):
        yield {
            "bash": Checker(bash),
            "busybox": Checker(ash),
            "non-root": Checker(reader),
            "dash": Checker(dash),
        }


@pytest.fixture(params=["bash", "busybox", "non-root", "dash"], name="checker")
def _checker(request, checkers):
    """Root with bash, nothing but busybox, a user with bash, a user with dash only."""
    return checkers[request.param]


@pytest.fixture(scope="module", name="all_clients")
def _all_clients(engine):
    with (
        clients_image(engine, f"qs-test/check-clients-{os.getpid()}") as image,
        open_sandbox(engine, image, env=NO_PROXY_HELPS) as sandbox,
    ):
        yield Checker(sandbox)
