"""
Run the sidecar's tests in their image and return pytest's exit code.

    python tests/addon/run.py [PYTEST ARGUMENT...]

The image is built from the working tree; nothing is mounted.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from uuid import uuid4

import docker.errors

from quickstarted.resources import docker_dir
from quickstarted.sandbox.engine import Engine, connect
from quickstarted.sandbox.images import build
from quickstarted.sandbox.images.build import Recipe
from quickstarted.sandbox.images.resolve import sidecar_image
from quickstarted.sandbox.labels import labels

HERE = Path(__file__).parent
REPOSITORY = "quickstarted/sidecar-test"
SMALL_DISK = {"/small": "rw,size=1m,mode=1777"}
"""For what happens when a disk is full."""


def recipe(base_id: str) -> Recipe:
    """The test image on top of the sidecar's."""
    files = {f"tests/{path.name}": path.read_bytes() for path in sorted(HERE.glob("*.py"))}
    files["requirements.txt"] = (HERE / "requirements.txt").read_bytes()
    return Recipe(
        repository=REPOSITORY,
        role="sidecar-test-image",
        dockerfile=(docker_dir() / "proxy-test.Dockerfile").read_text(),
        files=files,
        base_id=base_id,
    )


def run(engine: Engine, image_id: str, arguments: list[str]) -> int:
    """Run pytest in a container, its output on ours; the container is removed."""
    api = engine.api
    made = api.create_container(
        image_id,
        arguments or None,
        labels=labels(f"addon-tests-{uuid4().hex[:8]}", "addon-tests"),
        host_config=api.create_host_config(tmpfs=SMALL_DISK),
    )
    try:
        api.start(made["Id"])
        for piece in api.logs(made["Id"], stream=True, follow=True):
            sys.stdout.buffer.write(piece)
            sys.stdout.flush()
        return int(api.wait(made["Id"])["StatusCode"])
    finally:
        api.remove_container(made["Id"], force=True)


def remove_older(engine: Engine, image_id: str) -> None:
    """Test images of earlier states of the tree are of no use to anybody."""
    for image in engine.api.images(name=REPOSITORY):
        if image["Id"] != image_id:
            with contextlib.suppress(docker.errors.APIError):
                engine.api.remove_image(image["Id"], force=True)


def main() -> int:
    """Build, run, and say how it went."""
    engine = connect()
    image_id = build.ensure(engine, recipe(sidecar_image(engine, print)), progress=print)
    remove_older(engine, image_id)
    return run(engine, image_id, sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
