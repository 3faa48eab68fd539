"""
Packages out of Debian, npm and PyPI, unpacked into a cache folder and never installed.

The clients know where their archives are: no host is named here. The folder is the one that the
tests of the examples use too (`QS_EXAMPLES_CACHE` names another).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path


def cache() -> Path:
    """Where everything is kept that takes long to make."""
    named = os.environ.get("QS_EXAMPLES_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = (Path(named) if named else base / "quickstarted-tests") / "fidelity"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> None:
    """
    Run a command in *cwd*.

    Raises:
        SystemExit: It fails or is not installed; the message has the end of what it printed.

    """
    if shutil.which(str(command[0])) is None:
        raise SystemExit(f"{command[0]} is needed to fetch the documentation; install it")
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        tail = (done.stdout + done.stderr)[-3000:]
        raise SystemExit(f"{' '.join(map(str, command))} failed in {cwd}:\n{tail}")


def made_once(target: Path, make: Callable[[Path], None]) -> Path:
    """*target*; made beside it where it is not there yet, so that it is never half there."""
    if not target.is_dir():
        target.parent.mkdir(parents=True, exist_ok=True)
        print(f"making {target}", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".make-") as work:
            folder = Path(work) / target.name
            folder.mkdir()
            make(folder)
            folder.rename(target)
    return target


def debian_package(package: str, folders: Sequence[str]) -> Path:
    """The files of *package* that are below *folders*."""

    def fetch(target: Path) -> None:
        work = target.parent
        # _apt has no way into this user's folder.
        download = ("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", package)
        try:
            run(*download, cwd=work)
        except SystemExit:
            run("apt-get", "-qq", "update", cwd=work)
            run(*download, cwd=work)
        (archive,) = work.glob("*.deb")
        with (work / "files.tar").open("wb") as file:
            subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], stdout=file, check=True)
        _unpack(work / "files.tar", target, [f"./{folder}/" for folder in folders])

    return made_once(cache() / "debian" / package, fetch)


def npm_package(package: str) -> Path:
    """The files of an npm package, `name@version`."""

    def fetch(target: Path) -> None:
        run("npm", "pack", "--silent", "--ignore-scripts", package, cwd=target.parent)
        (archive,) = target.parent.glob("*.tgz")
        _unpack(archive, target, ["package/"])

    return made_once(cache() / "npm" / package, fetch) / "package"


def pypi_source(package: str) -> Path:
    """The files of a source distribution, `name==version`."""

    def fetch(target: Path) -> None:
        pip = (sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check")
        run(*pip, "download", "--no-deps", "--no-binary", ":all:", package, cwd=target.parent)
        (archive,) = target.parent.glob("*.tar.gz")
        _unpack(archive, target, [""])

    (folder,) = made_once(cache() / "pypi" / package, fetch).iterdir()
    return folder


def _unpack(archive: Path, target: Path, prefixes: Sequence[str]) -> None:
    """Links that lead out of *target* are left out."""
    with tarfile.open(archive) as tar:
        for member in tar:
            if any(member.name.startswith(prefix) for prefix in prefixes):
                try:
                    tar.extract(member, target, filter="data")
                except (tarfile.FilterError, KeyError):
                    continue
