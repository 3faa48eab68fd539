"""
What an engine says of itself, asked with a time limit; and what is wrong where it says nothing.

For `doctor`, which must end within seconds where everything else may wait: each question has a
thread of its own, because a daemon that accepts and sends a byte now and then meets no time limit
of a socket.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self, TypeVar

import docker
import docker.errors
import requests.exceptions
from docker.constants import DEFAULT_UNIX_SOCKET
from docker.context import ContextAPI

from quickstarted.sandbox.engine import CALL_TIMEOUT_S, OLDEST_API, Engine, engine_calls
from quickstarted.sandbox.trouble import Trouble, trouble_of

T = TypeVar("T")

UNIX = "unix://"
SETTINGS = ("DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which engine is asked, and who says so."""

    address: str
    """For example `unix:///var/run/docker.sock`."""
    variable: str | None
    """`DOCKER_HOST` where that names it."""
    settings: tuple[str, ...] = ()
    """All variables that say how to reach it, that are set."""
    context: str | None = None
    """The docker command line's own context, where that means another engine."""
    context_address: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """An engine that answers."""

    product: str
    """`Docker Engine`, `Podman Engine`, or what else it calls itself."""
    version: str
    os: str
    architecture: str
    operating_system: str
    rootless: bool
    storage_driver: str
    backing_filesystem: str
    cgroup_version: str
    unsupported_limits: tuple[str, ...]
    """Limits that the engine's kernel does not have: `memory`, `swap`, `cpus`, `pids`."""
    root_dir: str
    clock_offset_s: float | None
    """The engine's clock less this machine's; None where it does not say."""

    @property
    def is_podman(self) -> bool:
        """Whether podman answers as if it were Docker."""
        return "podman" in self.product.lower()

    @property
    def is_desktop(self) -> bool:
        """Whether it runs in a virtual machine of Docker Desktop."""
        return self.operating_system == "Docker Desktop"


LIMIT_FEATURES = {
    "memory": "MemoryLimit",
    "swap": "SwapLimit",
    "cpus": "CpuCfsQuota",
    "pids": "PidsLimit",
}


def _client(api_version: str) -> docker.DockerClient:
    return docker.from_env(version=api_version, timeout=CALL_TIMEOUT_S)


class Unanswered(Exception):
    """A question that got no answer."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.said)
        self.trouble = trouble


class Survey:
    """
    Asks one engine; a context manager.

    Args:
        where: From `which_engine`.
        answer_within_s: For each question.

    """

    def __init__(self, where: Where, *, answer_within_s: float) -> None:
        self.where = where
        self._within_s = answer_within_s
        self._engine: Engine | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._engine is not None:
            self._engine.close()

    def about(self) -> About:
        """
        Connect, and ask who is there.

        Raises:
            Unanswered: Nobody, or no engine.

        """
        if self.where.address.startswith("ssh://"):
            raise Unanswered(Trouble(kind="ssh", asked="connecting", said="an engine behind ssh"))
        self._ask("its version", self._knock)
        api_version = self._ask("its version", self._greet)
        self._engine = self._ask("its version", lambda: Engine(_client(api_version)))
        engine = self._engine
        # Not `engine.info`: until Python 3.12 a cached property that hangs in one thread hangs all.
        version: dict[str, Any] = self._ask("its version", engine.api.version)
        info, asked_at, answered_at = self._ask("about itself", lambda: _timed(engine.api.info))
        return about_engine(version, info, now=(asked_at + answered_at) / 2)

    def ask(self, what: str, question: Callable[[Engine], T]) -> T:
        """
        Ask the connected engine something.

        Raises:
            Unanswered: It does not answer, or refuses.

        """
        engine = self._engine
        assert engine is not None, "about() comes first"
        return self._ask(what, lambda: question(engine))

    def _knock(self) -> None:
        """Without the SDK, which leaves the socket of a failed connection open."""
        if self.where.address.startswith(UNIX):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(self._within_s)
                client.connect(self.where.address.removeprefix(UNIX))

    def _greet(self) -> str:
        """
        The version of the API that is spoken there.

        With a client of its own: one that asks while it is made cannot be closed when that fails.
        """
        client = _client(f"{OLDEST_API[0]}.{OLDEST_API[1]}")
        try:
            return str(client.api.version(api_version=False)["ApiVersion"])
        except (requests.exceptions.JSONDecodeError, LookupError, TypeError) as exc:
            said = "what comes is not an engine's answer"
            raise Unanswered(Trouble(kind="not_an_engine", asked="its version", said=said)) from exc
        finally:
            client.close()

    def _ask(self, what: str, question: Callable[[], T]) -> T:
        answers: list[T] = []
        failures: list[BaseException] = []

        def work() -> None:
            try:
                answers.append(question())
            except Exception as exc:  # noqa: BLE001 (told on the caller's thread)
                failures.append(exc)

        asking = threading.Thread(target=work, name=f"ask {what}", daemon=True)
        asking.start()
        asking.join(self._within_s)
        if answers:
            return answers[0]
        if failures and isinstance(failures[0], Unanswered):
            raise failures[0]
        if failures:
            raise Unanswered(trouble_of(failures[0], what)) from failures[0]
        said = f"no answer in {self._within_s:g} s"
        raise Unanswered(Trouble(kind="hangs", asked=what, said=said))


def which_engine() -> Where:
    """The engine that a run would use, and the one that the docker command line means."""
    named = os.environ.get("DOCKER_HOST", "")
    address = named or DEFAULT_UNIX_SOCKET.replace("http+unix://", "unix://")
    settings = tuple(name for name in SETTINGS if os.environ.get(name))
    if settings:
        variable = "DOCKER_HOST" if named else None
        return Where(address=address, variable=variable, settings=settings)
    try:
        context: Any = ContextAPI.get_context()
    except (docker.errors.DockerException, OSError, ValueError, KeyError):
        # A file of another program's that cannot be read says nothing about the engine.
        context = None
    if context is None or context.Name == "default" or context.Host == address:
        return Where(address=address, variable=None)
    return Where(address=address, variable=None, context=context.Name, context_address=context.Host)


def about_engine(version: dict[str, Any], info: dict[str, Any], *, now: float) -> About:
    """
    Read the answers of `GET /version` and `GET /info`.

    Args:
        version: The first answer.
        info: The second.
        now: This machine's clock when the second was made, epoch seconds.

    """
    components = version.get("Components") or []
    products = [str(one.get("Name", "")) for one in components]
    engine = next((name for name in products if "engine" in name.lower()), "Engine")
    status = dict(pair for pair in info.get("DriverStatus") or [] if len(pair) == 2)
    options = info.get("SecurityOptions") or []
    return About(
        product="Docker Engine" if engine == "Engine" else engine,
        version=str(version.get("Version", "")),
        os=str(info.get("OSType") or version.get("Os", "")),
        architecture=str(version.get("Arch") or info.get("Architecture", "")),
        operating_system=str(info.get("OperatingSystem", "")),
        rootless=any("name=rootless" in str(option) for option in options),
        storage_driver=str(info.get("Driver", "")),
        backing_filesystem=str(status.get("Backing Filesystem", "")),
        cgroup_version=str(info.get("CgroupVersion", "")),
        unsupported_limits=tuple(
            name for name, feature in LIMIT_FEATURES.items() if info.get(feature) is False
        ),
        root_dir=str(info.get("DockerRootDir", "")),
        clock_offset_s=_offset(info.get("SystemTime"), now),
    )


def _offset(text: object, now: float) -> float | None:
    """RFC 3339 with nanoseconds, of which Python reads six digits."""
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text).timestamp() - now
    except ValueError:
        return None


def _timed(question: Callable[[], T]) -> tuple[T, float, float]:
    began = time.time()
    return question(), began, time.time()


def registry_serves(engine: Engine, image: str) -> bool:
    """
    Whether a registry answers for *image*; nothing is downloaded.

    Raises:
        EngineFault: The engine, or the registry through it, says no.

    """
    with engine_calls(f"asking the registry for {image}"):
        engine.api.inspect_distribution(image)  # type: ignore[no-untyped-call]
    return True
