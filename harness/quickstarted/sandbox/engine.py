"""
The door to the container engine: connect, and turn its failures into ours.

Everything else in this package talks to the engine through an `Engine`, so that no error of the
docker SDK, of requests or of a socket leaves the package.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import docker
import docker.errors
import requests.exceptions

from quickstarted.errors import AttemptFault, EngineFault

CALL_TIMEOUT_S = 60
"""Of an ordinary call; pulls and builds stream and have limits of their own."""
OLDEST_API = (1, 41)
"""Engine 20.10."""

SSH_HINT = (
    "Forward its socket, `ssh -nNT -L /tmp/engine.sock:/var/run/docker.sock {host}`, and set"
    " DOCKER_HOST=unix:///tmp/engine.sock."
)
NOT_THERE_HINT = (
    "Start Docker (Docker Desktop, Colima, or `systemctl start docker`) and try again; from a"
    " checkout on Debian or Ubuntu, `make engine` installs and starts one."
)


@dataclass(frozen=True)
class Engine:
    """A connected engine; safe to use from several threads."""

    client: docker.DockerClient

    @property
    def api(self) -> docker.APIClient:
        """The low-level client."""
        return self.client.api

    @cached_property
    def info(self) -> dict[str, Any]:
        """`GET /info`, asked once."""
        with engine_calls("asking the engine about itself"):
            info: dict[str, Any] = self.api.info()
            return info

    @cached_property
    def version(self) -> dict[str, Any]:
        """`GET /version`, asked once."""
        with engine_calls("asking the engine for its version"):
            version: dict[str, Any] = self.api.version()
            return version

    @property
    def major(self) -> int:
        """Major version, e.g. 20 or 28; 0 where the engine does not give a number."""
        head = str(self.version.get("Version", "")).split(".", 1)[0]
        return int(head) if head.isdigit() else 0

    def close(self) -> None:
        """Close the connections."""
        self.client.close()


def connect() -> Engine:
    """
    Connect to the engine that DOCKER_HOST, or the default socket, names.

    Raises:
        EngineFault: None answers, or it is older than Engine 20.10.

    """
    host = os.environ.get("DOCKER_HOST", "")
    if host.startswith("ssh://"):
        raise EngineFault(
            f"DOCKER_HOST={host}: an engine behind ssh cannot be asked directly",
            hint=SSH_HINT.format(host=host.removeprefix("ssh://")),
        )
    with engine_calls("connecting to the container engine"):
        client = docker.from_env(timeout=CALL_TIMEOUT_S, max_pool_size=64)
    have = tuple(int(part) for part in client.api.api_version.split("."))
    if have < OLDEST_API:
        client.close()
        raise EngineFault(
            f"the container engine speaks API {client.api.api_version}; 1.41 is needed",
            hint="Update to Docker Engine 20.10 or newer.",
        )
    return Engine(client)


@contextmanager
def engine_calls(
    what: str, *, gone: type[AttemptFault] = EngineFault, gone_hint: str = ""
) -> Iterator[None]:
    """
    Turn what the SDK raises inside the block into a fault.

    Args:
        what: What is being done, as a phrase: the message starts with it.
        gone: Raised when the engine answers that the object is not there or not running
            (404, 409); every other failure is an `EngineFault`.
        gone_hint: What to do in that case.

    """
    try:
        yield
    except docker.errors.APIError as exc:
        text = exc.explanation or str(exc)
        if exc.status_code in (404, 409):
            raise gone(f"{what}: {text}", hint=gone_hint) from exc
        raise EngineFault(f"{what}: the engine answered {exc.status_code}: {text}") from exc
    except requests.exceptions.Timeout as exc:
        raise EngineFault(
            f"{what}: the engine did not answer in {CALL_TIMEOUT_S} s",
            hint="The daemon hangs: look at its log, restart it, and run again.",
        ) from exc
    except (docker.errors.DockerException, requests.exceptions.RequestException, OSError) as exc:
        where = os.environ.get("DOCKER_HOST") or "the default socket"
        raise EngineFault(
            f"no container engine answers at {where}: {_cause(exc)} ({what})", hint=NOT_THERE_HINT
        ) from exc


def _cause(error: BaseException) -> str:
    """The system's own words, from below the layers that wrap them."""
    deepest: BaseException = error
    seen = {id(error)}
    while True:
        below = [deepest.__cause__, deepest.__context__, *deepest.args]
        inner = next((e for e in below if isinstance(e, BaseException) and id(e) not in seen), None)
        if inner is None:
            break
        seen.add(id(inner))
        deepest = inner
    return getattr(deepest, "strerror", None) or str(deepest) or type(deepest).__name__
