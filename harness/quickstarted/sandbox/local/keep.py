"""
What an attempt left, kept as a copy of its folder, for `check --sandbox`.

Programs write absolute paths down (a virtual environment in each of its scripts), so a copy is put
back where the original was, unless something is there again.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Mapping
from pathlib import Path

from quickstarted.errors import ImageFault, SandboxFault, StorageFault
from quickstarted.sandbox import labels
from quickstarted.sandbox.local.folders import (
    KEPT,
    AttemptFolder,
    copy_tree,
    make_folder,
    read_labels,
    remove_folder,
)
from quickstarted.sandbox.protocol import SavedSandbox

SCHEME = "local:"
"""Before the name of a kept folder, where a container has the name of an image."""
ORIGIN = "quickstarted.origin"
"""Label: where the original was."""
ROLE = "kept"
PARTS = ("workspace", "home", "tmp")
_NAME = re.compile(rf"{SCHEME}({KEPT}[\w-]+)", re.ASCII)


def save(base: Path, folder: AttemptFolder, run_id: str, expires_s: float) -> SavedSandbox:
    """
    Copy an attempt's folder, without what is the harness's own.

    Raises:
        SandboxFault: It is gone.
        StorageFault: It cannot be copied.

    """
    if not folder.root.is_dir():
        raise SandboxFault(f"the sandbox's folder {folder.root} is gone")
    expires = time.time() + expires_s
    kept_labels = {
        labels.RUN: run_id,
        labels.ROLE: ROLE,
        labels.EXPIRES: str(int(expires)),
        labels.OWNER: "",
        ORIGIN: str(folder.root),
    }
    name = re.sub(r"[^\w-]", "-", run_id[:60], flags=re.ASCII)
    root = base / f"{KEPT}{name}-{secrets.token_hex(4)}"
    try:
        make_folder(base, kept_labels, root=root)
        _copy_parts(folder.root, root)
    except OSError as exc:
        remove_folder(root)
        raise StorageFault(f"keeping {folder.root} as {root}: {exc}") from exc
    return SavedSandbox(image=f"{SCHEME}{root.name}", expires=expires)


def is_kept(image: str) -> bool:
    """Whether *image* names a kept folder."""
    return _NAME.fullmatch(image) is not None


def restore(base: Path, image: str, own_labels: Mapping[str, str]) -> AttemptFolder:
    """
    Make an attempt's folder from a kept one, at the place of the original where that is free.

    Raises:
        ImageFault: There is no such kept folder.
        StorageFault: It cannot be copied.

    """
    kept = base / image.removeprefix(SCHEME)
    origin = read_labels(kept).get(ORIGIN)
    if origin is None:
        raise ImageFault(
            f"the kept sandbox {image} is not in {base}",
            hint="Its time may be over, or the machine has been restarted; run the task again with"
            " --keep-sandbox.",
        )
    try:
        root = _make_at(base, Path(origin), own_labels)
        _copy_parts(kept, root)
    except OSError as exc:
        raise StorageFault(f"copying the kept sandbox {kept}: {exc}") from exc
    return AttemptFolder(root)


def _make_at(base: Path, origin: Path, own_labels: Mapping[str, str]) -> Path:
    if origin.parent == base and not origin.exists():
        try:
            return make_folder(base, own_labels, root=origin)
        except OSError:
            # Somebody else was quicker, with another copy of the same.
            return make_folder(base, own_labels)
    return make_folder(base, own_labels)


def _copy_parts(source: Path, target: Path) -> None:
    for part in PARTS:
        if (source / part).is_dir():
            copy_tree(source / part, target / part)
