"""
The places that `test_sandbox*.py` hold to the promises of `protocol.Sandbox`.

A new backend gets an entry in `KINDS`, and what it cannot keep a line in a table of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from fakes import lanes, shell_sandbox
from fakes.shell_sandbox import SHELLS, ShellSandbox
from quickstarted.events import EgressEvent
from quickstarted.sandbox.container.keep import remove_kept
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.local.folders import BASE_VARIABLE, remove_folder
from quickstarted.sandbox.local.keep import SCHEME
from quickstarted.sandbox.protocol import Limits, Sandbox, SandboxSpec
from quickstarted_proxy.policy import EgressPolicy

DOCS_HOST = "docs.example.com"
"""For `read_docs` only, so that a request of the shell's is refused and recorded."""
GREETING = {"GREETING": "good  morning"}
"""Configured for every process of the place."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """A running sandbox."""

    kind: str
    sandbox: Any
    uid: int
    """Of the image's user."""
    destroy: Callable[[], None]
    """Have the sandbox gone, as when somebody else removes it."""
    forget: Callable[[str], None] = lambda _: None
    """Remove an image that `save` made."""
    open_image: Callable[[str], AbstractContextManager[Sandbox]] | None = None
    """Another sandbox, from that image."""
    events: list[EgressEvent] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a place is opened, and what it is known not to do."""

    open: Callable[[str, Path], AbstractContextManager[Place]]
    """Takes the name of the kind and a folder of the host."""
    commands: tuple[str, ...] = ("bash", "run_clean")
    """Methods that are held to what both of them promise; fewer where a kind differs in others."""
    lacks: Mapping[str, str] = field(default_factory=dict)
    """Members of the protocol that it does not have, and why."""
    breaks: Mapping[str, str] = field(default_factory=dict)
    """Tests whose promise it does not keep, and why."""


@contextmanager
def docker_place(kind: str, folder: Path, user: str | None) -> Iterator[Place]:
    """A sandbox on a lane, its image the default one or its stand-in."""
    policy = EgressPolicy(docs_hosts=(DOCS_HOST,))
    events: list[EgressEvent] = []
    with lanes.connected() as engine, lanes.docker_backend(engine) as backend:
        spec = lanes.spec(engine, policy, user=user, env=GREETING, record_dir=folder / "records")

        def open_image(name: str) -> AbstractContextManager[Sandbox]:
            return backend.open(lanes.spec(engine, image=name), lambda _: None)

        with backend.open(spec, events.append) as sandbox:
            yield Place(
                kind=kind,
                sandbox=sandbox,
                uid=int(user or 0),
                destroy=lambda: engine.api.remove_container(sandbox.container_id, force=True),
                forget=lambda name: remove_kept(engine, name),
                open_image=open_image,
                events=events,
            )


@contextmanager
def shell_place(kind: str, folder: Path, shell: str) -> Iterator[Place]:
    """The fake that checks are tried in."""
    sandbox = ShellSandbox(folder, SHELLS[shell], env=dict(GREETING))
    uid = Path(sandbox.workspace).stat().st_uid
    yield Place(kind=kind, sandbox=sandbox, uid=uid, destroy=lambda: None)


@contextmanager
def local_place(kind: str, folder: Path) -> Iterator[Place]:
    """This machine."""
    backend = LocalBackend("test-contract", {**os.environ, BASE_VARIABLE: str(folder / "base")})
    kept = {"record_dir": folder / "records", "env": GREETING, "policy": EgressPolicy()}
    spec = SandboxSpec(run_id="test-contract", image="none", **kept)

    def open_image(name: str) -> AbstractContextManager[Sandbox]:
        return backend.open(dataclasses.replace(spec, image=name), lambda _: None)

    with backend.open(spec, lambda _: None) as sandbox:
        yield Place(
            kind=kind,
            sandbox=sandbox,
            uid=os.geteuid(),
            destroy=lambda: remove_folder(Path(sandbox.workspace).parent),
            forget=lambda name: remove_folder(backend.base / name.removeprefix(SCHEME)),
            open_image=open_image,
        )


LOCAL_BREAKS = {
    "test_it_says_what_runs_and_how": "this machine has no image id",
    "test_egress_is_delivered_with_its_scope_before_a_drain_returns": (
        "nothing is between commands and network"
    ),
    **(
        {}
        if os.geteuid() == 0
        else {
            "test_a_script_is_roots_when_asked": "what is root's elsewhere is the caller's",
            "test_a_file_is_roots_and_so_are_the_folders_made_for_it": "everything is the caller's",
        }
    ),
}

KINDS = {
    "local": Kind(open=local_place, breaks=LOCAL_BREAKS),
    "docker": Kind(open=functools.partial(docker_place, user=None)),
    "docker-user": Kind(open=functools.partial(docker_place, user="4321"), commands=()),
    **{
        f"fake-{shell}": Kind(
            open=functools.partial(shell_place, shell=shell),
            lacks=shell_sandbox.LACKS,
            breaks=shell_sandbox.BREAKS,
        )
        for shell in SHELLS
    },
}

AMPLE = Limits(timeout_s=30)
Test = Callable[..., None]
Answer = TypeVar("Answer")


def eventually(ask: Callable[[], Answer], wanted: Callable[[Answer], bool]) -> Answer:
    """The answer, as soon as it is what is wanted; the last one after ten seconds."""
    deadline = time.monotonic() + 10
    while not wanted(answer := ask()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return answer


def promise(*methods: str) -> Callable[[Test], Test]:
    """Run a test, which takes `place`, on each kind that has all of *methods*."""

    def decorate(test: Test) -> Test:
        kinds = [name for name, kind in KINDS.items() if not kind.lacks.keys() & set(methods)]
        return pytest.mark.parametrize("place", kinds, indirect=True, scope="session")(_held(test))

    return decorate


def command_promise(test: Test) -> Test:
    """Run a test, which takes `place` and `run`, on each kind with `bash` and with `run_clean`."""
    ways = [
        pytest.param(name, method, id=f"{name}-{method}")
        for name, kind in KINDS.items()
        for method in kind.commands
        if method not in kind.lacks
    ]
    names = ["place", "method"]
    return pytest.mark.parametrize(names, ways, indirect=True, scope="session")(_held(test))


def _held(test: Test) -> Test:
    """Hold a place to the test, or to its table where that says that the promise is broken."""

    @functools.wraps(test)
    def held(*, place: Place, **fixtures: Any) -> None:
        why = KINDS[place.kind].breaks.get(test.__name__)
        if why is None:
            test(place=place, **fixtures)
            return
        try:
            test(place=place, **fixtures)
        except AssertionError:
            return
        pytest.fail(f"{place.kind} keeps this promise after all; take it from the table: {why}")

    return held
