"""
A task's image with an agent's program on top, as an image of its own.

Made before an attempt starts, outside its budget and its policy, and kept for the next ones. Files
are put into a container that never runs, which is then committed: a build would run what the
image's makers want run on every build from it (ONBUILD).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import docker.errors

from quickstarted.errors import ImageFault
from quickstarted.programs import Package, Release, fetch, packed
from quickstarted.programs.release import Libc
from quickstarted.sandbox import labels
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images.pull import Progress
from quickstarted.sandbox.images.resolve import inspect, shared
from quickstarted.sandbox.protocol import ImageIdentity, ProgramIdentity
from quickstarted.sandbox.removal import remove_container

REPOSITORY = "quickstarted/program"
ROLE = "program"
LIFE_S = 30 * 24 * 3600
"""After which a sweep removes the image; an attempt that needs it makes it again in seconds."""
_MUSL_LOADERS = {"amd64": "/lib/ld-musl-x86_64.so.1", "arm64": "/lib/ld-musl-aarch64.so.1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What is needed to make such images."""

    engine: Engine
    run_id: str
    environ: Mapping[str, str] = field(repr=False)
    """The caller's: names the registry and the folder of downloads."""
    progress: Progress | None = None
    extra_ca_files: tuple[Path, ...] = ()


def with_program(workshop: Workshop, image: ImageIdentity, release: Release) -> ImageIdentity:
    """
    Have an image that is *image* with *release* in it.

    Returns:
        *image*, with the program that is to run: `program` of it says where.

    Raises:
        ImageFault: There is no such program for this kind of image.
        ProgramUnavailable: It cannot be downloaded.
        EngineFault: The engine does not answer, or has no room.

    """
    return shared(
        workshop.engine,
        ("program", image.image_id, release.name, release.version),
        lambda: _with_program(workshop, image, release),
    )


def _with_program(workshop: Workshop, image: ImageIdentity, release: Release) -> ImageIdentity:
    engine = workshop.engine
    with _container(workshop, image) as container_id:
        package = release.package_for(image.architecture, _libc(engine, container_id, image))
        tag = _key(image.image_id, package)
        found = inspect(engine, f"{REPOSITORY}:{tag}")
        image_id = found["Id"] if found else _make(workshop, container_id, release, package, tag)
    program = ProgramIdentity(
        name=release.name,
        version=release.version,
        integrity=package.integrity,
        command=release.command_in_sandbox(package),
        image_id=image_id,
    )
    return replace(image, program=program)


def _key(image_id: str, package: Package) -> str:
    """Equal for what gives the same image."""
    parts = (image_id, package.name, package.version, package.integrity, *package.keep)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


@contextmanager
def _container(workshop: Workshop, image: ImageIdentity) -> Iterator[str]:
    """A container of *image* that is never started."""
    engine = workshop.engine
    with engine_calls(f"looking into {image.requested}", gone=ImageFault):
        container_id: str = engine.api.create_container(
            image.image_id, command=["-"], labels=labels.labels(workshop.run_id, ROLE)
        )["Id"]
    try:
        yield container_id
    finally:
        remove_container(engine, container_id)


def _libc(engine: Engine, container_id: str, image: ImageIdentity) -> Libc:
    loader = _MUSL_LOADERS.get(image.architecture, "")
    with engine_calls(f"looking into {image.requested}"):
        try:
            chunks, _ = engine.api.get_archive(container_id, loader or "/-")
        except docker.errors.NotFound:
            return "glibc"
        chunks.close()
    return "musl"


def _make(
    workshop: Workshop, container_id: str, release: Release, package: Package, tag: str
) -> str:
    engine, began = workshop.engine, time.monotonic()
    archive = fetch(
        package,
        workshop.environ,
        progress=workshop.progress,
        extra_ca_files=workshop.extra_ca_files,
    )
    with (
        packed(archive, package, release.folder) as files,
        engine_calls(f"putting {release.name} into an image"),
    ):
        engine.api.put_archive(container_id, "/", files)
        image_id: str = engine.api.commit(
            container_id, repository=REPOSITORY, tag=tag, changes=_changes(workshop, release)
        )["Id"]
    if workshop.progress:
        took_s = time.monotonic() - began
        workshop.progress(f"made an image with {release.name} {release.version} in {took_s:.1f} s")
    return image_id


def _changes(workshop: Workshop, release: Release) -> list[str]:
    """
    Labels of the new image.

    The container's are carried along by the engine, so the owner's is emptied: the image outlives
    the process that made it.
    """
    said = {
        labels.RUN: workshop.run_id,
        labels.ROLE: ROLE,
        labels.OWNER: "",
        labels.EXPIRES: str(int(time.time() + LIFE_S)),
        "quickstarted.program": f"{release.name} {release.version}",
    }
    return [f'LABEL {name}="{value}"' for name, value in said.items()]
