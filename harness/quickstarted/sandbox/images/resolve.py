"""
From the name of an image to what will run: local first, else pulled, else a stand-in.

The one place that decides which image an attempt gets, so that what is recorded
(`ImageIdentity`) is what ran.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from http import HTTPStatus
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import docker.errors

from quickstarted.errors import ImageFault
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images import sidecar
from quickstarted.sandbox.images.pull import (
    FIRST_ANSWER_S,
    Progress,
    RegistryFault,
    native_platform,
    no_such_image,
    pull,
    same_platform,
)
from quickstarted.sandbox.images.standins import (
    DEFAULT_IMAGE,
    OWN_REPOSITORY,
    SANDBOX_PYTHON,
    familiar_name,
    repository_of,
    stand_in_for,
)
from quickstarted.sandbox.protocol import ImageIdentity

T = TypeVar("T")

FIRST_ANSWER_WITH_STAND_IN_S = 8.0
"""For the registry's first answer where a stand-in is ready: every later run waits this long."""


def resolve(
    engine: Engine, name: str, *, platform: str | None = None, progress: Progress | None = None
) -> ImageIdentity:
    """
    Have the image *name* on the engine, and say what it is.

    Safe to call from several threads: an image is pulled once, the others wait for that pull.

    Args:
        engine: Where the image is needed.
        name: As in a task file or after `--image`; also an image id.
        platform: `os/architecture[/variant]`; None takes what is here, else the engine's own.
        progress: Takes lines for a person; also told when a stand-in is used.

    Raises:
        ImageFault: There is no such image, none for the platform, or a stand-in asked for by its
            own name is not built.
        RegistryFault: An `EngineFault`: no registry served it and no stand-in may replace it.

    """
    flights = _flights_of(engine)
    return flights.share((name, platform), lambda: _resolve(engine, name, platform, progress))


def sidecar_image(engine: Engine, progress: Progress | None = None) -> str:
    """
    The id of the sidecar's image, built if it is missing or its sources have changed.

    Built on the default image where that is here or can be had, else on its stand-in; a stand-in
    that is here saves the question to a registry.

    Raises:
        ImageFault: The build failed; the message ends with its last lines.
        RegistryFault: There is nothing to build it on.

    """

    def build() -> str:
        base = inspect(engine, DEFAULT_IMAGE) or inspect(engine, SANDBOX_PYTHON.tag)
        base_id = base["Id"] if base else resolve(engine, DEFAULT_IMAGE, progress=progress).image_id
        return sidecar.ensure(engine, base_id, progress)

    return _flights_of(engine).share("sidecar", build)


def inspect(engine: Engine, name: str) -> dict[str, Any] | None:
    """What the engine knows about a local image; None when it has none of that name."""
    with engine_calls(f"inspecting the image {name!r}", gone=ImageFault):
        try:
            found: dict[str, Any] = engine.api.inspect_image(name)  # type: ignore[no-untyped-call]
        except docker.errors.NotFound:
            return None
        except docker.errors.APIError as exc:
            if exc.status_code == HTTPStatus.BAD_REQUEST:
                raise no_such_image(name, exc.explanation or str(exc)) from exc
            raise
        return found


class _Flights:
    """Work that is under way, by key: who comes second waits for the first one's result."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._under_way: dict[object, Future[Any]] = {}
        self.unserved: set[str] = set()
        """Names that no registry served; not asked for again while a stand-in does."""

    def share(self, key: object, work: Callable[[], T]) -> T:
        """Do *work*, or wait for the caller who does; a failure is everybody's."""
        with self._lock:
            future = self._under_way.get(key)
            mine = future is None
            if future is None:
                future = self._under_way[key] = Future()
        if not mine:
            shared: T = future.result()
            return shared
        try:
            result = work()
        except BaseException as exc:
            future.set_exception(exc)
            raise
        else:
            future.set_result(result)
            return result
        finally:
            with self._lock:
                del self._under_way[key]


def shared(engine: Engine, key: object, work: Callable[[], T]) -> T:
    """Do *work* on images once, however many ask for it at the same time."""
    return _flights_of(engine).share(key, work)


_flights: WeakKeyDictionary[Engine, _Flights] = WeakKeyDictionary()
_flights_lock = threading.Lock()


def _flights_of(engine: Engine) -> _Flights:
    with _flights_lock:
        return _flights.setdefault(engine, _Flights())


def _resolve(
    engine: Engine, name: str, platform: str | None, progress: Progress | None
) -> ImageIdentity:
    local = inspect(engine, name)
    if local and _fits(local, platform):
        return _identity(name, local)
    if name.startswith("sha256:"):
        raise no_such_image(name, "no image on this machine has this id")
    if familiar_name(name).startswith(OWN_REPOSITORY):
        raise ImageFault(
            f"the image {name!r} is not built on this machine",
            hint="Run `quickstarted images build --stand-ins`.",
        )
    replaced = _stand_in(engine, name, platform)
    unserved = _flights_of(engine).unserved
    if replaced and name in unserved:
        return replaced
    patience_s = FIRST_ANSWER_WITH_STAND_IN_S if replaced else FIRST_ANSWER_S
    try:
        pull(engine, name, platform=platform, progress=progress, first_answer_s=patience_s)
    except RegistryFault:
        if not replaced:
            raise
        unserved.add(name)
        if progress:
            progress(f"no registry serves {name}: using the stand-in {replaced.stand_in}")
        return replaced
    pulled = inspect(engine, name)
    if not pulled or not _fits(pulled, platform):
        raise ImageFault(
            f"the image {name!r} is not made for the platform {platform}",
            hint="Choose another image, or leave `platform:` out of the task.",
        )
    return _identity(name, pulled)


def _stand_in(engine: Engine, name: str, platform: str | None) -> ImageIdentity | None:
    """What may run in place of *name*, where it is built and fits."""
    stand_in = stand_in_for(name)
    local = inspect(engine, stand_in.tag) if stand_in else None
    if stand_in is None or local is None or not _fits(local, platform or native_platform(engine)):
        return None
    return _identity(name, local, stand_in=stand_in.tag)


def _fits(found: dict[str, Any], platform: str | None) -> bool:
    return platform is None or same_platform(platform, _platform(found))


def _platform(found: dict[str, Any]) -> str:
    variant = found.get("Variant")
    return f"{found['Os']}/{found['Architecture']}" + (f"/{variant}" if variant else "")


def _identity(name: str, found: dict[str, Any], stand_in: str | None = None) -> ImageIdentity:
    return ImageIdentity(
        requested=name,
        image_id=found["Id"],
        digest=_digest(name, found.get("RepoDigests") or []),
        architecture=found["Architecture"],
        user=(found.get("Config") or {}).get("User") or "",
        stand_in=stand_in,
    )


def _digest(name: str, digests: list[str]) -> str | None:
    """The digest under the repository that was asked for, else any: the content is the same."""
    own = [each for each in digests if repository_of(each) == repository_of(name)]
    return next(iter(own or digests), None)
