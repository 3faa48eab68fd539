"""
A package's archive on this machine: from the cache, or from the registry and then in the cache.

What is in the cache is there whole and right: a file gets its name only when its hash is the one
that is pinned, and is hashed again before each use.
"""

from __future__ import annotations

import base64
import hashlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

import httpx
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from quickstarted import trust
from quickstarted.errors import ProgramUnavailable, StorageFault
from quickstarted.programs.release import Package
from quickstarted.registries import NPM_REGISTRY

REGISTRY_VARIABLES = ("NPM_CONFIG_REGISTRY", "npm_config_registry")
"""As npm reads them."""
TRIES = 4
PROGRESS_EVERY_S = 2.0
_PIECE_BYTES = 1024**2
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})

Progress = Callable[[str], None]
"""Takes one line for a person."""


class _Passing(Exception):
    """The download may go better in a moment."""


def fetch(
    package: Package,
    environ: Mapping[str, str],
    *,
    progress: Progress | None = None,
    extra_ca_files: tuple[Path, ...] = (),
) -> Path:
    """
    Have the archive of *package* here.

    Args:
        package: Which one.
        environ: The caller's: names the registry (NPM_CONFIG_REGISTRY), and the cache's folder by
            XDG_CACHE_HOME or HOME.
        progress: Takes lines for a person while something is downloaded.
        extra_ca_files: Roots that the registry may be served with (`--upstream-ca`).

    Returns:
        A gzipped tar archive, as npm publishes it.

    Raises:
        ProgramUnavailable: The registry did not serve it, or not the right one.
        StorageFault: The cache cannot be written.

    """
    path = cache_folder(environ) / _file_name(package)
    if path.is_file() and _digest_of(path) == package.integrity:
        return path
    url = address(package, environ)
    retrying = Retrying(
        retry=retry_if_exception_type(_Passing),
        stop=stop_after_attempt(TRIES),
        wait=wait_exponential_jitter(initial=0.5, max=8.0),
        reraise=True,
    )
    try:
        with httpx.Client(
            verify=trust.ssl_context(extra_ca_files), follow_redirects=True, timeout=60.0
        ) as client:
            retrying(_download, client, url, package, path, progress)
    except _Passing as exc:
        raise ProgramUnavailable(
            f"{package.name} {package.version} could not be downloaded: {exc}",
            hint=f"Check the network, or name another registry: {REGISTRY_VARIABLES[0]}=URL.",
        ) from exc
    except OSError as exc:
        raise StorageFault(
            f"{path} cannot be written: {exc.strerror or exc}",
            hint="Make room, or name another folder: XDG_CACHE_HOME=DIR.",
        ) from exc
    return path


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where archives are kept (XDG Base Directory Specification)."""
    base = environ.get("XDG_CACHE_HOME") or ""
    root = Path(base) if base.startswith("/") else Path(environ.get("HOME") or "~") / ".cache"
    return root.expanduser() / "quickstarted" / "programs"


def address(package: Package, environ: Mapping[str, str]) -> str:
    """The archive's URL, by the rule that the registry's own metadata follows."""
    named = next((environ[name] for name in REGISTRY_VARIABLES if environ.get(name)), "")
    base = (named or NPM_REGISTRY).rstrip("/")
    short = package.name.rpartition("/")[2]
    return f"{base}/{package.name}/-/{short}-{package.version}.tgz"


def _file_name(package: Package) -> str:
    return f"{package.name.strip('@').replace('/', '-')}-{package.version}.tgz"


def _download(
    client: httpx.Client, url: str, package: Package, path: Path, progress: Progress | None
) -> None:
    digest = hashlib.sha512()
    path.parent.mkdir(parents=True, exist_ok=True)
    with _new_file(path) as file:
        try:
            with client.stream("GET", url, headers={"accept-encoding": "identity"}) as response:
                _check_status(response, package)
                telling = _Telling(progress, package, response.headers.get("content-length"))
                for piece in response.iter_raw(_PIECE_BYTES):
                    digest.update(piece)
                    file.write(piece)
                    telling.count(len(piece))
        except httpx.TransportError as exc:
            raise _Passing(str(exc) or type(exc).__name__) from exc
        if (found := _named(digest.digest())) != package.integrity:
            raise ProgramUnavailable(
                f"what the registry serves as {package.name} {package.version} is not what was"
                f" published under that name: {found}, not {package.integrity}",
                hint=f"A mirror or a proxy changes packages: {url.partition('://')[2]}",
            )


def _check_status(response: httpx.Response, package: Package) -> None:
    if response.is_success:
        return
    words = f"HTTP {response.status_code} {response.reason_phrase}".rstrip()
    if response.status_code in _PASSING:
        raise _Passing(words)
    raise ProgramUnavailable(
        f"the registry does not have {package.name} {package.version}: {words}",
        hint=f"Name a registry that has it: {REGISTRY_VARIABLES[0]}=URL.",
    )


@contextmanager
def _new_file(path: Path) -> Iterator[IO[bytes]]:
    """A file that gets the name *path* if the block ends well, and is gone otherwise."""
    with NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise


def _digest_of(path: Path) -> str:
    digest = hashlib.sha512()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            digest.update(piece)
    return _named(digest.digest())


def _named(digest: bytes) -> str:
    return f"sha512-{base64.b64encode(digest).decode('ascii')}"


class _Telling:
    """Says now and then how far a download is."""

    def __init__(self, progress: Progress | None, package: Package, length: str | None) -> None:
        self._progress = progress
        self._what = f"{package.name} {package.version}"
        self._of = f" of {int(length) / 1e6:.0f}" if length and length.isdecimal() else ""
        self._done_bytes = 0
        self._told = time.monotonic()
        if progress:
            progress(f"downloading {self._what}")

    def count(self, size_bytes: int) -> None:
        self._done_bytes += size_bytes
        now = time.monotonic()
        if self._progress and now - self._told >= PROGRESS_EVERY_S:
            self._told = now
            self._progress(f"downloading {self._what}: {self._done_bytes / 1e6:.0f}{self._of} MB")
