"""
Documentation out of Debian and npm packages: downloaded and unpacked, never installed.

Kept in a folder of the user's (`QS_EXAMPLES_CACHE` names another), so that each package is fetched
once. apt and npm know where their archives are; no host is named here.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path

from examples.cases import Case, Source, case_names, case_of
from examples.from_sandbox import MADE, make_folder
from quickstarted.sandbox.images.standins import SANDBOX_NODE, SANDBOX_PYTHON

MAX_PACKAGE_MB = 25
APT = "apt-get --quiet=2 -o Acquire::Retries=3"


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
    tree = _tree(source)
    if not tree.is_dir():
        if source.npm:
            _fetch_npm(source.npm, tree)
        else:
            _fetch_debian(tree.parent)
    folder = tree / source.folder
    assert folder.is_dir(), f"{source.package} has no folder {source.folder}; it is in {tree}"
    return folder


def _tree(source: Source) -> Path:
    named = os.environ.get("QS_EXAMPLES_CACHE")
    cache = Path(named) if named else Path.home() / ".cache" / "quickstarted-tests"
    kind = cache / ("npm" if source.npm else "debian")
    kind.mkdir(parents=True, exist_ok=True)
    return kind / source.package


def _fetch_npm(package: str, tree: Path) -> None:
    """`npm pack` tries again by itself; the archive's one folder becomes *tree*."""
    commands = (
        f"npm pack --silent --ignore-scripts --fetch-retries 3 {shlex.quote(package)}",
        _small_enough("*.tgz"),
        f"tar -xzf *.tgz --strip-components 1 --no-same-owner -C {MADE}",
    )
    make_folder(SANDBOX_NODE.tag, commands, tree)


def _fetch_debian(folder: Path) -> None:
    """All packages of the table that are not in *folder* yet: the lists are fetched once."""
    sources = [source for name in case_names() for source in case_of(name).docs if source.debian]
    missing = sorted({source.package for source in sources if not _tree(source).is_dir()})
    commands = (
        f"{APT} update",
        f"{APT} download {shlex.join(missing)}",
        _small_enough("*.deb"),
        f'for file in *.deb; do dpkg-deb -x "$file" "{MADE}/${{file%%_*}}" || exit 1; done',
    )
    with tempfile.TemporaryDirectory(dir=folder, prefix=".fetch-") as work:
        fetched = Path(work) / "all"
        make_folder(SANDBOX_PYTHON.tag, commands, fetched)
        for package in missing:
            _take(fetched / package, folder / package)


def _take(fetched: Path, tree: Path) -> None:
    """Another call may have been quicker."""
    try:
        fetched.rename(tree)
    except OSError:
        assert tree.is_dir(), f"{tree} cannot be written"


def _small_enough(files: str) -> str:
    return f'! find . -maxdepth 1 -name "{files}" -size +{MAX_PACKAGE_MB}M | grep .'
