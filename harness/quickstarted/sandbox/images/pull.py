"""
Pull an image, and say whose fault it is when that fails.

Decided by HTTP status, never by the engine's words: 404 and 400 mean that there is no such image
(or that it is private: registries do not tell the difference), every other failure means that the
registry did not serve. The engine gives an unreachable registry, a rate limit (429) and a broken
TLS connection the same status 500 (measured with 20.10), and what to do about them is the same.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import docker.errors

from quickstarted.errors import EngineFault, ImageFault
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.images.standins import stand_in_for

Progress = Callable[[str], None]
"""Takes one line for a person; called every few seconds, and what it raises ends the pull."""

FIRST_ANSWER_S = 60.0
"""For the registry's first answer."""
SILENCE_S = 300.0
"""Between two answers; a large layer is unpacked without a word."""
PROGRESS_EVERY_S = 2.0
NO_SUCH_IMAGE = (400, 404)


class RegistryFault(EngineFault):
    """No registry served the image; it may well exist."""


def pull(
    engine: Engine,
    name: str,
    *,
    platform: str | None = None,
    progress: Progress | None = None,
    first_answer_s: float = FIRST_ANSWER_S,
) -> None:
    """
    Pull *name* for *platform* (`os/architecture[/variant]`; None means the engine's own).

    Raises:
        ImageFault: There is no such image, or none for that platform.
        RegistryFault: The registry cannot be reached, limits the rate, or broke off.

    """
    started = time.monotonic()
    layers = _Layers(name)
    next_line = started + PROGRESS_EVERY_S
    for event in _events(engine, name, platform, first_answer_s):
        if "errorDetail" in event or "error" in event:
            raise _broken_off(engine, name, platform, event)
        layers.note(event)
        if progress and time.monotonic() >= next_line:
            progress(layers.line() if layers else f"{name}: waiting for its registry")
            next_line = time.monotonic() + PROGRESS_EVERY_S
    if progress:
        progress(f"{layers.line()}, pulled in {time.monotonic() - started:.1f} s")


class _Layers:
    """How far each layer is, from the engine's progress events."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._sizes: dict[str, int] = {}
        self._here: dict[str, int] = {}
        self._done: set[str] = set()

    def __bool__(self) -> bool:
        """Whether any is known yet."""
        return bool(self._sizes)

    def note(self, event: dict[str, Any]) -> None:
        """Take one event of the engine's JSON stream."""
        layer, status = event.get("id"), event.get("status")
        if not layer or str(status).startswith("Pulling from"):
            return
        self._sizes.setdefault(layer, 0)
        detail = event.get("progressDetail") or {}
        if status == "Downloading":
            self._sizes[layer] = max(self._sizes[layer], int(detail.get("total") or 0))
            self._here[layer] = int(detail.get("current") or 0)
        elif status in {"Download complete", "Verifying Checksum"}:
            self._here[layer] = self._sizes[layer]
        elif status in {"Pull complete", "Already exists"}:
            self._here[layer] = self._sizes[layer]
            self._done.add(layer)

    def line(self) -> str:
        """For example `python:3.13-slim: 2 of 4 layers, 12.1 of 30.4 MB`."""
        here, total = sum(self._here.values()) / 1e6, sum(self._sizes.values()) / 1e6
        count = f"{len(self._done)} of {len(self._sizes)} layers"
        return f"{self._name}: {count}, {here:.1f} of {total:.1f} MB"


def _events(
    engine: Engine, name: str, platform: str | None, first_answer_s: float
) -> Iterator[dict[str, Any]]:
    """
    The engine's progress events, and an empty one whenever there is none for a while.

    Read on a thread of their own: the SDK's pull has no time limit, and the engine alone waits
    15 s and more for a registry that swallows packets.
    """
    events: queue.Queue[dict[str, Any] | BaseException | None] = queue.Queue()

    def read() -> None:
        try:
            for event in engine.api.pull(name, stream=True, decode=True, platform=platform):
                events.put(event)
            events.put(None)
        except Exception as exc:  # noqa: BLE001 (raised again on the caller's thread)
            events.put(exc)

    threading.Thread(target=read, name=f"pull {name}", daemon=True).start()
    limit_s = first_answer_s
    heard = time.monotonic()
    while True:
        left_s = heard + limit_s - time.monotonic()
        try:
            event = events.get(timeout=max(0.0, min(left_s, PROGRESS_EVERY_S)))
        except queue.Empty:
            if left_s > PROGRESS_EVERY_S:
                yield {}
                continue
            raise not_served(name, f"no answer in {limit_s:.0f} s") from None
        heard = time.monotonic()
        if event is None:
            return
        if isinstance(event, docker.errors.APIError):
            raise _refused(name, event) from event
        if isinstance(event, BaseException):
            with engine_calls(f"pulling {name}"):
                raise event
        limit_s = SILENCE_S
        yield event


def _refused(name: str, error: docker.errors.APIError) -> ImageFault | RegistryFault:
    """The fault for a pull that the engine answered with an error status."""
    text = error.explanation or str(error)
    if error.status_code in NO_SUCH_IMAGE:
        return no_such_image(name, text)
    return not_served(name, text)


def _broken_off(
    engine: Engine, name: str, platform: str | None, event: dict[str, Any]
) -> ImageFault | RegistryFault:
    """
    The fault for an error in the middle of the stream, where there is no status any more.

    An image that lacks the platform looks like a connection that broke; the registry's own list
    of platforms tells them apart.
    """
    detail = event.get("errorDetail") or {}
    text = detail.get("message") or str(event.get("error"))
    wanted = platform or native_platform(engine)
    offered = _offered_platforms(engine, name)
    if offered and not any(same_platform(wanted, each) for each in offered):
        return ImageFault(
            f"there is no image {name!r} for the platform {wanted}; it is made for"
            f" {', '.join(offered)}",
            hint="Choose another image, or set `platform:` in the task to one of these.",
        )
    return not_served(name, text)


def not_served(name: str, text: str) -> RegistryFault:
    """The fault for a registry that did not serve *name*."""
    instead = "name an image that is here with `--image` (`quickstarted images` lists them)"
    if stand_in_for(name):
        instead = f"make a stand-in for it with `quickstarted images build`, or {instead}"
    return RegistryFault(
        f"the image {name!r} is not on this machine and no registry served it: {text}",
        hint=(
            f"Try again once the registry answers (`docker login` raises a rate limit), {instead}."
        ),
    )


def no_such_image(name: str, text: str) -> ImageFault:
    """The fault for a name that no image has."""
    return ImageFault(
        f"there is no image {name!r}, or it is private: {text}",
        hint="Check the spelling of name and tag; for a private image run `docker login`.",
    )


def native_platform(engine: Engine) -> str:
    """`os/architecture` of the engine."""
    return f"{engine.version.get('Os', 'linux')}/{engine.version.get('Arch', 'amd64')}"


def same_platform(wanted: str, have: str) -> bool:
    """
    Whether *have* does for *wanted*.

    The variant counts only where both name one, and arm64 has a single variant (v8), written or
    not (https://github.com/containerd/platforms, "Normalization").
    """
    first, second = wanted.lower().split("/"), have.lower().split("/")
    return all(a == b for a, b in zip(first, second, strict=False))


def _offered_platforms(engine: Engine, name: str) -> list[str]:
    """Platforms of the image as the registry lists them; empty when it does not answer."""
    try:
        with engine_calls(f"asking for the platforms of {name}"):
            found = engine.api.inspect_distribution(name)  # type: ignore[no-untyped-call]
    except EngineFault:
        return []
    parts = ("os", "architecture", "variant")
    return [
        "/".join(each[part] for part in parts if each.get(part))
        for each in found.get("Platforms") or []
        if each.get("architecture") != "unknown"  # attestations
    ]
