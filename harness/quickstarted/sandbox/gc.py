"""
Remove what runs left behind that can no longer clean up after themselves.

Only objects with our label are looked at, and only those go whose owner is certainly gone or whose
time is over: a neighbour's running attempt is never touched, and there is no global prune. Other
processes may sweep at the same time, so an object that has vanished is as good as removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Literal

import docker.errors

from quickstarted.errors import EngineFault
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images.layers import ROLE as PROGRAM
from quickstarted.sandbox.labels import OWNER, ROLE, RUN, Owner, why_expired, why_left_over
from quickstarted.sandbox.removal import remove_container, remove_network

STUCK_AFTER_S = 1.0
PATIENCE_S = 10.0
"""Less than the owner would have: what a sweep leaves, the next one finds."""

Kind = Literal["container", "network", "volume", "image", "folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """One labelled object, and what became of it."""

    kind: Kind
    id: str
    name: str
    run_id: str
    role: str
    owner: str
    why: str
    """Why it can go, or why it stays."""
    removed: bool
    """With `dry_run`: whether it would be."""
    error: str = ""
    """Why the engine did not remove it."""


@dataclass(frozen=True, slots=True)
class _Found:
    kind: Kind
    id: str
    name: str
    labels: dict[str, str]


def sweep(
    engine: Engine, *, now: float, dry_run: bool = False, kept_images: bool = False
) -> list[Swept]:
    """
    Remove left-over containers, networks, volumes and images; return all labelled objects.

    Args:
        engine: Where to look.
        now: Epoch seconds.
        dry_run: Remove nothing, only say what would go.
        kept_images: Remove images of kept sandboxes before their time, too.

    Raises:
        EngineFault: The engine does not answer. What it refuses to remove is in `error` instead.

    """
    return [
        _judge(engine, found, now=now, dry_run=dry_run, kept_images=kept_images)
        for found in _labelled(engine)
    ]


def _judge(engine: Engine, found: _Found, *, now: float, dry_run: bool, kept_images: bool) -> Swept:
    why = _why_it_goes(found, now=now, kept_images=kept_images)
    error = _remove(engine, found) if why and not dry_run else ""
    return Swept(
        kind=found.kind,
        id=found.id,
        name=found.name,
        run_id=found.labels.get(RUN, ""),
        role=found.labels.get(ROLE, ""),
        owner=found.labels.get(OWNER, ""),
        why=why or _why_it_stays(found),
        removed=bool(why) and not error,
        error=error,
    )


def _why_it_goes(found: _Found, *, now: float, kept_images: bool) -> str:
    """An image outlives its owner on purpose: only its time counts."""
    if found.kind != "image":
        return why_left_over(found.labels, now=now)
    asked_for = kept_images and found.labels.get(ROLE) != PROGRAM
    return why_expired(found.labels, now=now) or ("asked for" if asked_for else "")


def _why_it_stays(found: _Found) -> str:
    if found.kind == "image":
        what = "an agent's program" if found.labels.get(ROLE) == PROGRAM else "a kept sandbox"
        return f"it is {what} and its time is not over"
    owner = Owner.parse(found.labels.get(OWNER, ""))
    if owner is not None and owner.is_alive():
        return f"its owner, process {owner.pid}, is running"
    return "its owner is on another machine or in another container, and its time is not over"


def _labelled(engine: Engine) -> Iterator[_Found]:
    """One filtered call per kind, in an order in which each can be removed."""
    wanted = {"label": RUN}
    with engine_calls("listing what carries our label"):
        containers = engine.api.containers(all=True, filters=wanted)
        networks = engine.api.networks(filters=wanted)
        volumes = engine.api.volumes(filters=wanted)["Volumes"] or []
        images = engine.api.images(filters=wanted)
    for one in containers:
        name = (one.get("Names") or [""])[0].removeprefix("/")
        yield _Found("container", one["Id"], name, one.get("Labels") or {})
    for one in networks:
        yield _Found("network", one["Id"], one["Name"], one.get("Labels") or {})
    for one in volumes:
        yield _Found("volume", one["Name"], one["Name"], one.get("Labels") or {})
    for one in images:
        name = next(iter(set(one.get("RepoTags") or []) - {"<none>:<none>"}), "")
        yield _Found("image", one["Id"], name, one.get("Labels") or {})


def _remove(engine: Engine, found: _Found) -> str:
    """Remove the object; return the engine's reason where it refuses."""
    if found.kind == "container":
        remove = partial(remove_container, engine, found.id)
    elif found.kind == "network":
        remove = partial(
            remove_network, engine, found.id, stuck_after_s=STUCK_AFTER_S, patience_s=PATIENCE_S
        )
    elif found.kind == "volume":
        remove = partial(_remove_volume, engine, found.id)
    else:
        remove = partial(_remove_image, engine, found.name or found.id)
    try:
        remove()
    except EngineFault as fault:
        return " ".join(filter(None, (fault.message, fault.hint)))
    return ""


def _remove_volume(engine: Engine, name: str) -> None:
    with engine_calls("removing a volume"), suppress(docker.errors.NotFound):
        engine.api.remove_volume(name, force=True)


def _remove_image(engine: Engine, name: str) -> None:
    with engine_calls("removing an image"), suppress(docker.errors.NotFound):
        engine.api.remove_image(name, force=False)
