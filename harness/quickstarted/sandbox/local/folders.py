"""
The folder of one attempt on this machine: made, found again, removed.

All of them are in one folder of the caller's own, so that what a dead run left is found by the next
one. Each says in a file whose it is (`sandbox.labels`).
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.sandbox.labels import Owner, this_process

BASE_VARIABLE = "QUICKSTARTED_LOCAL_DIR"
ATTEMPT = "attempt-"
KEPT = "kept-"
LABELS_FILE = "labels.json"
REMOVAL_TRIES = 3
_BETWEEN = "~"


@dataclass(frozen=True, slots=True)
class AttemptFolder:
    """One attempt's places; whoever knows the root knows them all."""

    root: Path

    @property
    def workspace(self) -> Path:
        """Where commands start."""
        return self.root / "workspace"

    @property
    def state(self) -> Path:
        """The harness's own."""
        return self.root / "state"

    @property
    def home(self) -> Path:
        """HOME of every command."""
        return self.root / "home"

    @property
    def tmp(self) -> Path:
        """TMPDIR of every command."""
        return self.root / "tmp"

    @property
    def labels(self) -> dict[str, str]:
        """Whose it is; empty where it does not say."""
        return read_labels(self.root)


def base_folder(environ: Mapping[str, str]) -> Path:
    """
    The folder of all attempts, made where it is not there: `QUICKSTARTED_LOCAL_DIR`, else one of
    the caller's own in the place for temporary files.

    Raises:
        UsageError: It cannot be made, or others may write there.

    """
    named = environ.get(BASE_VARIABLE)
    uid = os.geteuid()
    hint = f"Name another folder of your own in {BASE_VARIABLE}."
    try:
        base = Path(named or Path(tempfile.gettempdir()) / f"quickstarted-{uid}").absolute()
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = base.lstat() if named is None else base.stat()
    except OSError as exc:
        raise UsageError(f"a folder for attempts cannot be made: {exc}", hint=hint) from exc
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or others:
        raise UsageError(f"{base} is not a folder that only you may write to", hint=hint)
    return base.resolve()


def make_folder(base: Path, labels: Mapping[str, str], *, root: Path | None = None) -> Path:
    """
    Make a folder with *labels* in it: *root*, or one with a new name.

    Raises:
        FileExistsError: *root* is there.
        OSError: It cannot be made.

    """
    root = root or base / f"{ATTEMPT}{secrets.token_hex(4)}"
    # With its labels from its first moment on: without them it would count as left over one day.
    rough = base / _rough_name(root)
    rough.mkdir(mode=0o755)
    (rough / LABELS_FILE).write_text(json.dumps(dict(labels)), encoding="utf-8")
    try:
        if root.exists():
            raise FileExistsError(root)
        # Fails where somebody else has been quicker: no folder with files in it is replaced.
        rough.rename(root)
    except OSError:
        remove_folder(rough)
        raise
    return root


def _rough_name(root: Path) -> str:
    """Of a folder that has no labels yet: whoever finds it knows from its name whose it is."""
    owner = str(this_process()).replace("/", _BETWEEN)
    return f".{root.name}-{secrets.token_hex(4)}{_BETWEEN}{owner}"


def maker_of(rough: Path) -> Owner | None:
    """Who makes a folder that has no labels yet; None where its name does not say."""
    return Owner.parse(rough.name.partition(_BETWEEN)[2].replace(_BETWEEN, "/"))


def read_labels(root: Path) -> dict[str, str]:
    """The labels of a folder; empty where it has none that can be read."""
    try:
        found = json.loads((root / LABELS_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {str(name): str(value) for name, value in found.items()}


def remove_folder(root: Path) -> None:
    """
    Remove a folder, also where programs have made parts of it read-only; twice is no error.

    Its labels go last: what a remover that was killed has left still says whose it is.

    Raises:
        OSError: Something of it cannot be removed.

    """
    for tries_left in reversed(range(REMOVAL_TRIES)):
        if not root.exists() and not root.is_symlink():
            return
        try:
            _make_writable(root)
            _remove_content(root)
            shutil.rmtree(root)
        except FileNotFoundError:
            continue
        except OSError:
            if not tries_left:
                raise


def _remove_content(root: Path) -> None:
    """All of it but the labels; a link is left to the caller, and so is what it leads to."""
    for path in [] if root.is_symlink() else list(root.iterdir()):
        if path.name == LABELS_FILE:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def copy_tree(source: Path, target: Path) -> None:
    """
    Copy the contents of *source* below *target*, which may be there.

    Symbolic links stay links; sockets, pipes and devices are left out.

    Raises:
        OSError: Something cannot be read or written.

    """
    shutil.copytree(source, target, symlinks=True, ignore=_special, dirs_exist_ok=True)


def _special(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not _can_be_copied(os.path.join(folder, name))]  # noqa: PTH118 (bytes of names as they are)


def _can_be_copied(path: str) -> bool:
    mode = os.lstat(path).st_mode
    kinds: tuple[Callable[[int], bool], ...] = (stat.S_ISREG, stat.S_ISDIR, stat.S_ISLNK)
    return any(is_kind(mode) for is_kind in kinds)


def _make_writable(root: Path) -> None:
    """Nothing can be removed from a folder that its owner may not write to."""
    for folder, names, _ in os.walk(root):
        for name in [".", *names]:
            path = os.path.join(folder, name)  # noqa: PTH118 (bytes of names as they are)
            found = os.lstat(path)
            if stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
                _allow(path, found.st_mode)


def _allow(path: str, mode: int) -> None:
    try:
        os.chmod(path, stat.S_IMODE(mode) | stat.S_IRWXU)  # noqa: PTH101 (same)
    except OSError:
        # The removal says what is wrong.
        return
