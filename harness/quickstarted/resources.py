"""Where the files that travel with the program are: Dockerfiles, proxy sources, examples."""

from __future__ import annotations

from pathlib import Path

import quickstarted_proxy

_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parent.parent


def docker_dir() -> Path:
    """Folder with the Dockerfiles and pinned requirements of the images."""
    return _data("docker")


def tasks_dir() -> Path:
    """Folder with the example tasks."""
    return _data("tasks")


def proxy_source_dir() -> Path:
    """Folder of the package `quickstarted_proxy`, which is copied into the sidecar's image."""
    return Path(quickstarted_proxy.__file__).parent


def _data(name: str) -> Path:
    """In an installation below the package, in a checkout at the top level."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _CHECKOUT / name
