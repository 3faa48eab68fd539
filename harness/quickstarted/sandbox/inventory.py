"""
Which images of ours are on the engine, and which of them nothing needs any more.

Sandboxes that were kept belong to their runs and to `quickstarted gc`; here are only the images
that runs are made from.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import docker.errors

from quickstarted.sandbox import bootstrap, provision, sidecar_image
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images import inspect
from quickstarted.sandbox.labels import ROLE
from quickstarted.sandbox.standins import DEFAULT_IMAGE, SANDBOX_PYTHON

OWN_ROLES = frozenset({bootstrap.ROLE_NAME, provision.ROLE_NAME, sidecar_image.ROLE_NAME})


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
    with engine_calls("listing images"):
        ours = engine.api.images(filters={"label": ROLE})
        public = engine.api.images(name=DEFAULT_IMAGE)
    current = _current_sidecar(engine)
    listed = [
        _listed(each, role, current)
        for each in ours
        if (role := (each["Labels"] or {}).get(ROLE)) in OWN_ROLES
    ]
    listed += [_listed(each, "default", current) for each in public]
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
        if each.role in OWN_ROLES and (everything or each.stale) and _remove(engine, each)
    ]


def _current_sidecar(engine: Engine) -> str:
    """The tag that a run would use now."""
    base = inspect(engine, DEFAULT_IMAGE) or inspect(engine, SANDBOX_PYTHON.tag)
    if base is None:
        return ""
    recipe = sidecar_image.sidecar_recipe(base["Id"])
    return f"{sidecar_image.REPOSITORY}:{recipe.key}"


def _listed(image: dict[str, object], role: str, current_sidecar: str) -> Listed:
    tags = [str(tag) for tag in image.get("RepoTags") or [] if tag != "<none>:<none>"]  # type: ignore[attr-defined]
    stale = not tags or (role == sidecar_image.ROLE_NAME and current_sidecar not in tags)
    named = current_sidecar if current_sidecar in tags else next(iter(tags), "")
    return Listed(
        image_id=str(image["Id"]),
        name=named,
        tags=tags,
        role=role,
        size_bytes=int(str(image["Size"])),
        created=float(str(image["Created"])),
        stale=stale,
    )


def _remove(engine: Engine, image: Listed) -> bool:
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
