"""
Ask from inside: real sandboxes with the real proxy, opened for this and removed after it.

All probes in the image that runs would use; again as a user without privileges what is about
users; and in an image with Node what the first image had no program for.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from quickstarted.agents import known_kinds
from quickstarted.doctor.facts import EngineFacts, SandboxFacts
from quickstarted.errors import QuickstartedError, UsageError
from quickstarted.events import EgressEvent
from quickstarted.probes import PROBES, Probe, ProbeResult, Situation, State, run_probes
from quickstarted.probes.host import (
    HostListener,
    host_addresses,
    name_servers,
    outside_addresses,
)
from quickstarted.probes.running import Witnesses
from quickstarted.registries import SMALL_PAGE
from quickstarted.sandbox.backend import docker_backend
from quickstarted.sandbox.protocol import Backend, Resources, SandboxSpec

PROBED_RESOURCES = Resources(memory_bytes=512 * 1024**2, cpus=1.0, pids=256)
"""Other values than the defaults of an engine, so that reading them back says something."""
PLAIN_USER = "65532:65532"
"""Of no image: a user that is a number only, as in `SandboxSpec.user`."""
ABOUT_USERS = ("plain-user", "workspace", "trust-python", "trust-node")
ALLOWED_HOST, ALLOWED_PATH = SMALL_PAGE


@dataclass(slots=True)
class Session:
    """One call's sandboxes."""

    backend: Backend
    run_id: str
    listener: HostListener
    situation: Situation
    note: Callable[[str], None]
    results: list[ProbeResult] = field(default_factory=list)

    def ask(self, image: str, probes: list[Probe], *, user: str | None = None) -> None:
        """Open a sandbox and ask *probes* in it."""
        self.note(f"starting a sandbox from {image}")
        situation = replace(self.situation, user=user)
        events: list[EgressEvent] = []
        spec = SandboxSpec(
            run_id=self.run_id,
            image=image,
            policy=situation.policy(),
            user=user,
            resources=situation.resources,
        )
        witnesses = Witnesses(events=events, heard=self.listener.heard)
        with self.backend.open(spec, events.append) as sandbox:
            for result in run_probes(sandbox, probes, situation, witnesses):
                self.note(f"asked inside: {result.probe.name}: {result.outcome.state}")
                self.results.append(result)


def gather_sandbox(
    environ: Mapping[str, str], engine: EngineFacts, note: Callable[[str], None]
) -> SandboxFacts:
    """What is known from inside; never raises: what went wrong is part of it."""
    skipped = why_not(engine)
    if skipped:
        return SandboxFacts(skipped=skipped)
    images = engine.images
    assert images is not None
    assert images.usable is not None
    results: list[ProbeResult] = []
    try:
        with session(environ, note) as opened:
            results = opened.results
            opened.ask(images.usable, [probe for probe in PROBES if not probe.needs_user])
            users = [probe for probe in PROBES if probe.name in ABOUT_USERS]
            opened.ask(images.usable, users, user=PLAIN_USER)
            rest = still_open(results)
            if images.node and rest and images.node != images.usable:
                opened.ask(images.node, rest)
    except UsageError as refused:
        # Told with its variable by the rule that it belongs to.
        return SandboxFacts(skipped=f"a run would refuse {refused.message}")
    except QuickstartedError as fault:
        return SandboxFacts(results=tuple(results), fault=fault.message, hint=fault.hint)
    return SandboxFacts(results=tuple(results))


def why_not(engine: EngineFacts) -> str:
    """Why no sandbox can be tried; empty where one can."""
    if engine.images is None:
        return "there is no engine to ask"
    if engine.images.usable is None:
        return f"the image {engine.images.wanted} is not here"
    if not engine.images.sidecar:
        return "the proxy's image is not built"
    return ""


def still_open(results: list[ProbeResult]) -> list[Probe]:
    """Probes that found nothing to ask with so far."""
    answered = {one.probe.name for one in results if one.outcome.state != State.NOT_APPLICABLE}
    return [probe for probe in PROBES if not probe.needs_user and probe.name not in answered]


@contextmanager
def session(environ: Mapping[str, str], note: Callable[[str], None]) -> Iterator[Session]:
    """
    A backend, a listener on this machine, and what probes are told of it.

    Raises:
        QuickstartedError: No backend could be made.

    """
    nonce = f"qs-{uuid.uuid4().hex[:16]}"
    run_id = f"doctor-{nonce}"
    addresses = host_addresses()
    with HostListener(nonce) as listener:
        heard = tuple(address for address in addresses if listener.check(address))
        situation = Situation(
            nonce=nonce,
            allowed_host=ALLOWED_HOST,
            allowed_path=ALLOWED_PATH,
            host_addresses=heard,
            host_port=listener.port,
            outside=outside_addresses(ALLOWED_HOST),
            name_servers=name_servers(),
            resources=PROBED_RESOURCES,
            secret_names=tuple(name for _, kind in known_kinds() for name in kind.key_variables),
        )
        backend = docker_backend(run_id, environ)
        try:
            yield Session(backend, run_id, listener, situation, note)
        finally:
            note("removing what was made")
            backend.close()
