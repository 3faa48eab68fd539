"""The distribution as people get it: built from the checkout, installed, called from elsewhere."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).parents[2]
NOBODY = 65534


@dataclass(frozen=True)
class Built:
    """What the checkout makes."""

    sdist: Path
    wheel: Path
    """As pip makes it for `pip install ./quickstarted`."""
    wheel_of_sdist: Path


@dataclass(frozen=True)
class Installed:
    """An environment with nothing in it but the distribution and what it depends on."""

    prefix: Path

    @property
    def site_packages(self) -> Path:
        """Where the packages are."""
        (found,) = self.prefix.glob("lib/python3*/site-packages")
        return found

    def call(self, *args: str | Path, cwd: Path, **how: Any) -> subprocess.CompletedProcess[str]:
        """A program of the environment, in *cwd*, with a caller's environment and no more."""
        return subprocess.run(
            [self.prefix / "bin" / args[0], *map(str, args[1:])],
            cwd=cwd,
            env={**clean_environment(), "NO_COLOR": "1", "HOME": str(cwd)},
            capture_output=True,
            text=True,
            check=False,
            **how,
        )


def clean_environment() -> dict[str, str]:
    """This process's environment without what belongs to its Python and its virtualenv."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") and name != "VIRTUAL_ENV"
    }


def build(folder: Path) -> Built:
    """
    Build all three below *folder*, each in an isolated environment with pinned backends.

    Isolated environments inherit pip's settings: index, certificates, proxies and download cache.
    """
    _python(["-m", "build", "--outdir", folder / "both", CHECKOUT])
    (sdist,) = (folder / "both").glob("*.tar.gz")
    (of_sdist,) = (folder / "both").glob("*.whl")
    return Built(sdist, build_wheel(folder / "wheel"), of_sdist)


def build_wheel(folder: Path) -> Path:
    """The wheel alone, in *folder*."""
    _python(["-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, CHECKOUT])
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, prefix: Path) -> Installed:
    """Make an environment at *prefix* that anybody may read, and install *wheel* into it."""
    base = shared_python()
    subprocess.run([base, "-m", "venv", "--without-pip", prefix], check=True)
    pip(["install", "-q", wheel], prefix)
    return Installed(prefix)


def pip(args: Sequence[str | Path], prefix: Path) -> str:
    """What pip prints for the environment at *prefix*, which has no pip of its own."""
    return _python(["-m", "pip", "--python", prefix / "bin" / "python", *args])


def shared_python() -> str:
    """
    A Python from 3.11 on that other users may run too.

    The one that runs the tests may be in root's home, as pyenv's is.
    """
    own = str(Path(sys._base_executable).resolve())
    for python in [own, "/usr/bin/python3", "/usr/local/bin/python3"]:
        probe = "import sys, venv; sys.exit(sys.version_info < (3, 11))"
        try:
            done = subprocess.run([python, "-c", probe], check=False, cwd="/", **as_reader())
        except OSError:
            continue
        if done.returncode == 0:
            return python
    raise AssertionError("no Python from 3.11 on that other users may run: install python3-venv")


def as_reader() -> Mapping[str, Any]:
    """How to start a process that may read an installation, may ask the engine, and is not root."""
    if os.geteuid() != 0:
        return {}
    socket = Path(
        os.environ.get("DOCKER_HOST", "").removeprefix("unix://") or "/var/run/docker.sock"
    )
    groups = (
        [socket.stat().st_gid] if socket.exists() and stat.S_ISSOCK(socket.stat().st_mode) else []
    )
    return {"user": NOBODY, "group": NOBODY, "extra_groups": groups}


def contents(wheel: Path) -> dict[str, bytes]:
    """Every file of *wheel*."""
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def _python(args: Sequence[str | Path]) -> str:
    """What this process's Python prints, with the versions that the project pins."""
    pins = str(CHECKOUT / ".ci" / "constraints.txt")
    done = subprocess.run(
        [sys.executable, *map(str, args)],
        env={**clean_environment(), "PIP_CONSTRAINT": pins, "PIP_BUILD_CONSTRAINT": pins},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout
