"""
The sidecar's image: built from `docker/proxy.Dockerfile` and the package `quickstarted_proxy`.

Its tag is a hash of all that it is made from, so an edit of the proxy is in force at the next run
and two checkouts on one machine do not take each other's.
"""

from __future__ import annotations

from pathlib import Path

from quickstarted.resources import docker_dir, proxy_source_dir
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images import build
from quickstarted.sandbox.images.build import Recipe
from quickstarted.sandbox.images.pull import Progress

ROLE_NAME = "sidecar-image"
REPOSITORY = "quickstarted/sidecar"


def ensure(engine: Engine, base_id: str, progress: Progress | None = None) -> str:
    """The image's id; built on *base_id* where there is none made from these sources."""
    return build.ensure(engine, sidecar_recipe(base_id), progress=progress)


def sidecar_recipe(base_id: str) -> Recipe:
    """
    What the image is made from.

    The context holds the `docker/proxy*` files at its top, the sources as `quickstarted_proxy/`.
    """
    files = {path.name: path.read_bytes() for path in docker_dir().glob("proxy*") if path.is_file()}
    dockerfile = files.pop("proxy.Dockerfile").decode()
    sources = proxy_source_dir()
    for path in sorted(sources.rglob("*.py")):
        files[str(Path("quickstarted_proxy") / path.relative_to(sources))] = path.read_bytes()
    return Recipe(
        repository=REPOSITORY,
        role=ROLE_NAME,
        dockerfile=dockerfile,
        files=files,
        base_id=base_id,
    )
