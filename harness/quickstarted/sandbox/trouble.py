"""Why an engine could not be asked: from an exception of the SDK's to a kind that can be mended."""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import docker.errors
import requests.exceptions

from quickstarted.errors import QuickstartedError

TroubleKind = Literal[
    "hangs",
    "permission",
    "absent",
    "refused",
    "unknown_host",
    "setting",
    "ssh",
    "not_an_engine",
    "fails",
]
OWN_TYPES = {
    TimeoutError: "hangs",
    requests.exceptions.Timeout: "hangs",
    PermissionError: "permission",
    FileNotFoundError: "absent",
    ConnectionRefusedError: "refused",
    socket.gaierror: "unknown_host",
}
"""What an exception anywhere in the chain means, the first that is found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why the engine could not be asked any further."""

    kind: TroubleKind
    asked: str
    """What it was asked, as a phrase."""
    said: str
    """The system's or the engine's own words."""


def trouble_of(error: BaseException, asked: str) -> Trouble:
    """What an exception of the SDK's means, from the system's error below its layers."""
    for one in _chain(error):
        for kind, name in OWN_TYPES.items():
            if isinstance(one, kind):
                return _trouble(name, asked, getattr(one, "strerror", None) or str(one))
        if isinstance(one, OSError) and one.errno in {errno.EHOSTUNREACH, errno.ENETUNREACH}:
            return _trouble("absent", asked, one.strerror or str(one))
    if isinstance(error, docker.errors.TLSParameterError | ValueError):
        return _trouble("setting", asked, str(error))
    if isinstance(error, QuickstartedError):
        return _trouble("fails", asked, error.message)
    if (
        isinstance(error, docker.errors.DockerException)
        and not isinstance(error, docker.errors.APIError)
        and error.__cause__ is None
    ):
        # What the SDK finds wrong with an address before it asks anybody.
        return _trouble("setting", asked, str(error))
    return _trouble("not_an_engine", asked, f"{type(error).__name__}: {error}")


def _trouble(kind: Any, asked: str, said: str) -> Trouble:
    return Trouble(kind=kind, asked=asked, said=" ".join(said.split())[:300])


def _chain(error: BaseException) -> Iterator[BaseException]:
    """*error*, what it wraps, and so on, each once."""
    waiting, seen = [error], set()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        below = [one.__cause__, one.__context__, getattr(one, "reason", None), *one.args]
        waiting.extend(each for each in below if isinstance(each, BaseException))
