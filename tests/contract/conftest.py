"""Places, one of each kind at a time, and commands in them; engines, real and fake."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from contract.engines import open_lab
from contract.places import KINDS, Place
from quickstarted.events import CommandResult
from quickstarted.sandbox.protocol import Limits


@pytest.fixture(scope="session", name="place")
def _place(request, tmp_path_factory):
    """A place of the kind that the test asks for."""
    kind = request.param
    with KINDS[kind].open(kind, tmp_path_factory.mktemp("place")) as place:
        yield place


@pytest.fixture(name="fresh_place")
def _fresh_place(request, place, tmp_path):
    """Another place of the kind, for a test that spoils it."""
    with KINDS[place.kind].open(place.kind, tmp_path) as fresh:
        yield fresh


@pytest.fixture(scope="session", name="method")
def _method(request):
    """`bash` or `run_clean`."""
    return request.param


@dataclass(frozen=True)
class Run:
    """`run(command)` with ample time, by one of the two methods."""

    place: Place
    method: str

    def __call__(self, command: str, timeout_s: float = 30.0, **limits: Any) -> CommandResult:
        method = getattr(self.place.sandbox, self.method)
        return method(command, Limits(timeout_s=timeout_s, **limits))


@pytest.fixture(name="run")
def _run(place, method):
    if method == "bash":
        place.sandbox.reset_shell()
    return Run(place, method)


@pytest.fixture(name="bash")
def _bash(place):
    """Commands of the agent's, in a shell that nothing has been done in."""
    place.sandbox.reset_shell()
    return Run(place, "bash")


@pytest.fixture(name="clean")
def _clean(place):
    """Clean scripts."""
    return Run(place, "run_clean")


@pytest.fixture(params=["real", "fake"], name="lab")
def _lab(request):
    """An engine, and how to bring it into a state."""
    with open_lab(request.param) as lab:
        yield lab


@pytest.fixture(name="api")
def _api(lab):
    """The SDK's client of that engine."""
    return lab.engine.api
