"""
Have every image that a run needs, with as little work as the machine allows.

The public default image where a registry serves it; else the stand-ins, from a Debian base that is
bootstrapped once for all of them. Then the sidecar's image on top.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from quickstarted.errors import ImageFault
from quickstarted.resources import docker_dir
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images import bootstrap, build
from quickstarted.sandbox.images.build import Recipe
from quickstarted.sandbox.images.pull import Progress, RegistryFault, pull
from quickstarted.sandbox.images.resolve import inspect, sidecar_image
from quickstarted.sandbox.images.standins import (
    BASE_REPOSITORY,
    DEFAULT_IMAGE,
    SANDBOX_NODE,
    SANDBOX_PYTHON,
    STAND_INS,
    StandIn,
)

ROLE_NAME = "sandbox-image"


def provide(
    engine: Engine, progress: Progress, *, force: bool = False, stand_ins: bool = False
) -> None:
    """
    Have the images for a run; does nothing, and asks no registry, when they are here.

    Args:
        engine: Where they are needed.
        progress: Takes lines for a person.
        force: Make the stand-ins again, from a new base.
        stand_ins: Make them even where the public image is here.

    Raises:
        ImageFault: Something could not be made; the hint says what else can be done.

    """
    if stand_ins or force or not _public_image_is_here(engine, progress):
        _provide_stand_ins(engine, progress, force=force)
    else:
        sidecar_image(engine, progress)


def _public_image_is_here(engine: Engine, progress: Progress) -> bool:
    """Whether the public default image is here or was pulled now; a stand-in saves the question."""
    if inspect(engine, DEFAULT_IMAGE):
        return True
    if inspect(engine, SANDBOX_PYTHON.tag):
        return False
    try:
        pull(engine, DEFAULT_IMAGE, progress=progress)
    except RegistryFault as fault:
        progress(f"{fault.message}")
        progress("making stand-ins from Debian's packages instead")
        return False
    return True


def _provide_stand_ins(engine: Engine, progress: Progress, *, force: bool) -> None:
    base_id = _provide_base(engine, progress, force=force)
    python = stand_in_recipe(SANDBOX_PYTHON, base_id)
    python_id = build.ensure(engine, python, progress=progress)
    # Both stand on the Python image and share nothing else.
    with ThreadPoolExecutor(max_workers=2, thread_name_prefix="images") as pool:
        jobs = [
            pool.submit(
                build.ensure, engine, stand_in_recipe(SANDBOX_NODE, python_id), progress=progress
            ),
            pool.submit(sidecar_image, engine, progress),
        ]
        for job in jobs:
            job.result()


def _provide_base(engine: Engine, progress: Progress, *, force: bool) -> str:
    base = None if force else inspect(engine, f"{BASE_REPOSITORY}:{bootstrap.BASE_KEY}")
    image_id = str(base["Id"]) if base else bootstrap.bootstrap_base(engine, progress)
    build.point_latest_at(engine, image_id, BASE_REPOSITORY)
    return image_id


def stand_in_recipe(stand_in: StandIn, base_id: str) -> Recipe:
    """What a stand-in is made from."""
    folder = docker_dir()
    return Recipe(
        repository=stand_in.repository,
        role=ROLE_NAME,
        dockerfile=(folder / stand_in.dockerfile).read_text(),
        files={"apt-install.sh": (folder / "apt-install.sh").read_bytes()},
        base_id=base_id,
    )


def pull_image(engine: Engine, name: str, platform: str | None, progress: Progress) -> None:
    """
    Pull *name* even if an image of that name is here.

    Raises:
        ImageFault: There is no such image.
        RegistryFault: No registry served it.

    """
    if any(name == stand_in.tag for stand_in in STAND_INS):
        raise ImageFault(
            f"{name} is made on this machine and in no registry",
            hint="Run `quickstarted images build --stand-ins`.",
        )
    pull(engine, name, platform=platform, progress=progress)
