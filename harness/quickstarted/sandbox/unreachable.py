"""A backend that is not there: each attempt says so in its own trace, as any other fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from quickstarted.errors import EngineFault
from quickstarted.sandbox.protocol import EgressSink, ImageIdentity, Sandbox, SandboxSpec


class UnreachableBackend:
    """Stands in for the backend that *fault* kept from being made."""

    def __init__(self, name: str, fault: EngineFault, *, enforced: bool = True) -> None:
        self.name = name
        self.enforced = enforced
        self._fault = fault

    @property
    def disk(self) -> None:
        """There is none."""

    def prepare(self, images: Iterable[str]) -> None:
        """Nothing can be prepared; `open` says why."""
        del images

    @contextmanager
    def open(self, spec: SandboxSpec, on_egress: EgressSink) -> Iterator[Sandbox]:
        """
        Nothing can be opened.

        Raises:
            EngineFault: Always.

        """
        del spec, on_egress
        raise self._fault
        yield

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """
        Nothing can be known of an image.

        Raises:
            EngineFault: Always.

        """
        del image, platform
        raise self._fault

    def expect(self, attempts: int) -> None:
        """Nothing is kept for attempts to come."""
        del attempts

    def close(self) -> None:
        """There is nothing to close."""
