"""
Which images of ours are on the engine, and which of them nothing needs any more.

Sandboxes that were kept belong to their runs and to `quickstarted gc`; here are only the images
that runs are made from.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import docker.errors

from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images import bootstrap, provision
from quickstarted.sandbox.images import sidecar as sidecar_image
from quickstarted.sandbox.images.build import LATEST
from quickstarted.sandbox.images.resolve import inspect
from quickstarted.sandbox.images.standins import (
    BASE_REPOSITORY,
    DEFAULT_IMAGE,
    SANDBOX_NODE,
    SANDBOX_PYTHON,
)

ROLES = {
    BASE_REPOSITORY: bootstrap.ROLE_NAME,
    SANDBOX_PYTHON.repository: provision.ROLE_NAME,
    SANDBOX_NODE.repository: provision.ROLE_NAME,
    sidecar_image.REPOSITORY: sidecar_image.ROLE_NAME,
}
"""Repositories that are ours, each with what its images are for."""
PUBLIC = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One image."""

    image_id: str
    name: str
    """The tag that says most, or empty where it has none."""
    tags: list[str]
    role: str
    """`default`: the public image of tasks that name none."""
    size_bytes: int
    created: float
    """Epoch seconds."""
    stale: bool
    """Whether a newer one has taken its place."""

    @property
    def age_s(self) -> float:
        """Since it was made."""
        return max(0.0, time.time() - self.created)


def list_images(engine: Engine) -> list[Listed]:
    """Ours and the public default image, those in use first, then the stale ones."""
    current_sidecar = _current_sidecar(engine)
    listed = [
        _listed(image, role, current_sidecar if role == sidecar_image.ROLE_NAME else "")
        for name, role in [*ROLES.items(), (DEFAULT_IMAGE, PUBLIC)]
        for image in _by_name(engine, name)
    ]
    return sorted(listed, key=lambda each: (each.stale, each.role, each.name))


def prune(engine: Engine, *, everything: bool = False) -> list[Listed]:
    """
    Remove the stale images of ours, or with *everything* all of ours; return what was removed.

    The public image is never removed, and nothing that a container uses.
    """
    # Newest first: an image cannot go while another one is built on it.
    newest_first = sorted(list_images(engine), key=lambda each: -each.created)
    return [
        each
        for each in newest_first
        if each.role != PUBLIC and (everything or each.stale) and remove(engine, each)
    ]


def _by_name(engine: Engine, name: str) -> list[dict[str, Any]]:
    with engine_calls("listing images"):
        found: list[dict[str, Any]] = engine.api.images(name=name)
        return found


def _current_sidecar(engine: Engine) -> str:
    """The tag that a run would use now."""
    base = inspect(engine, DEFAULT_IMAGE) or inspect(engine, SANDBOX_PYTHON.tag)
    if base is None:
        return ""
    return sidecar_image.sidecar_recipe(base["Id"]).tag


def _listed(image: dict[str, Any], role: str, current: str) -> Listed:
    """One image; *current* is the tag that counts, by default the repository's newest."""
    tags = list(image["RepoTags"] or [])
    newest = [tag for tag in tags if tag.endswith(f":{LATEST}")]
    wanted = [tag for tag in tags if tag == current] if current else newest
    return Listed(
        image_id=image["Id"],
        name=next(iter(wanted or newest or tags), ""),
        tags=tags,
        role=role,
        size_bytes=image["Size"],
        created=image["Created"],
        stale=role != PUBLIC and not wanted,
    )


def remove(engine: Engine, image: Listed) -> bool:
    """Remove it with all its tags; False where something still uses it."""
    with engine_calls(f"removing the image {image.name or image.image_id}"):
        try:
            for name in image.tags or [image.image_id]:
                engine.api.remove_image(name)
        except docker.errors.APIError as exc:
            if exc.status_code in (404, 409):
                return False
            raise
    return True
