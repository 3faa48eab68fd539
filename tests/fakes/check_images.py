"""An image with every program that `qs_wait_http` can make its requests with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from quickstarted.resources import docker_dir
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images.build import LATEST, Recipe, ensure
from quickstarted.sandbox.images.resolve import resolve
from quickstarted.sandbox.images.standins import SANDBOX_NODE

DOCKERFILE = """\
ARG BASE
FROM ${BASE}
ARG APT_MIRROR
COPY apt-install.sh ca.pem /build/
RUN sh /build/apt-install.sh busybox-static jq netcat-openbsd perl wget && rm -rf /build
"""


@contextmanager
def clients_image(engine: Engine, repository: str) -> Iterator[str]:
    """The stand-in with Node and curl, plus wget, perl with its modules, jq and two kinds of nc."""
    recipe = Recipe(
        repository=repository,
        role="test",
        dockerfile=DOCKERFILE,
        files={"apt-install.sh": (docker_dir() / "apt-install.sh").read_bytes()},
        base_id=resolve(engine, SANDBOX_NODE.tag).image_id,
    )
    ensure(engine, recipe)
    try:
        yield recipe.tag
    finally:
        engine.api.remove_image(f"{repository}:{LATEST}")
        engine.api.remove_image(recipe.tag)
