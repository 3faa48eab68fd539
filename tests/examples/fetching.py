"""
Documentation out of Debian and npm packages: downloaded and unpacked, never installed.

Kept in a folder of the user's (`QS_EXAMPLES_CACHE` names another), so that each package is fetched
once. apt and npm know where their archives are; no host is named here.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path

from examples import npm_archive
from examples.cases import Case, Source

MAX_PACKAGE_BYTES = 25_000_000
TRIES = 3
APT = ("apt-get", "--quiet=2", "-o", "Acquire::Retries=3")


def docs_flags(case: Case) -> list[str]:
    """The `--docs-site` flags of `quickstarted run` with which *case* is read."""
    flags: list[str] = []
    for source in case.docs:
        flags += ["--docs-site", f"{source.prefix}={folder_of(source)}"]
    return flags


def folder_of(source: Source) -> Path:
    """
    The folder with the pages of *source*, fetched when it is not there yet.

    Raises:
        AssertionError: It cannot be fetched, is too large, or has no such folder.

    """
    tree = _cache() / ("npm" if source.npm else "debian") / source.package
    if not tree.is_dir():
        tree.parent.mkdir(parents=True, exist_ok=True)
        _fetch(source, tree)
    folder = tree / source.folder
    assert folder.is_dir(), f"{source.package} has no folder {source.folder}; it is in {tree}"
    return folder


def _cache() -> Path:
    named = os.environ.get("QS_EXAMPLES_CACHE")
    cache = Path(named) if named else Path.home() / ".cache" / "quickstarted-tests"
    cache.mkdir(parents=True, exist_ok=True)
    return cache


def _fetch(source: Source, tree: Path) -> None:
    """Into a folder beside *tree* first, which then takes its name: half a tree is never seen."""
    with tempfile.TemporaryDirectory(dir=tree.parent, prefix=f".{tree.name}-") as work:
        unpacked = Path(work) / "tree"
        if source.npm:
            npm_archive.unpack(source.npm, unpacked)
        else:
            archive = _download(source.package, Path(work))
            subprocess.run(["dpkg-deb", "-x", archive, unpacked], check=True)
        try:
            unpacked.rename(tree)
        except OSError:
            assert tree.is_dir(), f"{tree} cannot be written"


def _download(package: str, folder: Path) -> Path:
    for attempt in range(TRIES):
        if attempt:
            time.sleep(attempt)
            _renew_package_lists()
        size = _size_bytes(package)
        assert size <= MAX_PACKAGE_BYTES, f"{package} has {size:,} bytes"
        done = subprocess.run(
            [*APT, "download", package], cwd=folder, capture_output=True, text=True, check=False
        )
        archives = list(folder.glob("*.deb"))
        if done.returncode == 0 and archives:
            return archives[0]
    raise AssertionError(f"apt-get download {package}: {done.stdout}{done.stderr}")


def _renew_package_lists() -> None:
    """Lists that are missing or old are a reason why a package is not found."""
    if os.geteuid() == 0:
        subprocess.run([*APT, "update"], capture_output=True, check=False)


def _size_bytes(package: str) -> int:
    """Of its archive; 0 when apt does not know the package, which the download then says."""
    shown = subprocess.run(
        ["apt-cache", "show", "--no-all-versions", package],
        capture_output=True,
        text=True,
        check=False,
    )
    sizes = [line.split(":")[1] for line in shown.stdout.splitlines() if line.startswith("Size:")]
    return int(sizes[0]) if sizes else 0
