"""
The volume in which sidecars keep files that never change, and what they are told of it.

It belongs to no run: it has no owner and no end, so that no sweep removes it, and it is mounted
into sidecars only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quickstarted.errors import UsageError
from quickstarted.registries import HASH_IN_PATH, IMMUTABLE, INDEXES
from quickstarted.sandbox.labels import ROLE
from quickstarted.task.scalars import DataSize
from quickstarted_proxy.immutable import ImmutableRule
from quickstarted_proxy.index_hashes import IndexRule

FOLDER = "/var/cache/quickstarted"
"""Where sidecars have the volume; the image has the folder, and with it the owner."""
ROLE_NAME = "package-cache"
SIZE_VARIABLE = "QUICKSTARTED_PACKAGE_CACHE_SIZE"
VOLUME_VARIABLE = "QUICKSTARTED_PACKAGE_CACHE_VOLUME"
DEFAULT_NAME = "quickstarted-packages"
DEFAULT_MAX_BYTES = 10 * 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageVolume:
    """A volume of the engine, made when it is first mounted."""

    name: str = DEFAULT_NAME
    max_bytes: int = DEFAULT_MAX_BYTES
    """What is kept in all; what was not used for longest goes."""

    def mount(self) -> dict[str, Any]:
        """As `HostConfig.Mounts` of the Engine API has it."""
        return {
            "Type": "volume",
            "Source": self.name,
            "Target": FOLDER,
            "VolumeOptions": {"Labels": {ROLE: ROLE_NAME}},
        }

    def order(self) -> dict[str, Any]:
        """As the order `start` has it."""
        rules = immutable_rules()
        return {
            "folder": FOLDER,
            "max_bytes": self.max_bytes,
            "immutable": [rule.to_json() for rule in rules],
            "indexes": [rule.to_json() for rule in index_rules()],
        }


def immutable_rules() -> tuple[ImmutableRule, ...]:
    """The files of the registries that never change."""
    return tuple(
        ImmutableRule(host=host, patterns=patterns, hash_in_path=host in HASH_IN_PATH)
        for host, patterns in IMMUTABLE.items()
    )


def index_rules() -> tuple[IndexRule, ...]:
    """The index pages of the registries that say what a file's content must be."""
    return tuple(
        IndexRule(host=host, patterns=patterns, kind=kind, files=files)
        for host, (kind, patterns, files) in INDEXES.items()
    )


def configured_packages(environ: Mapping[str, str]) -> PackageVolume | None:
    """
    Read size and name from the environment; a size of 0 means that nothing is kept.

    Raises:
        UsageError: The size is none.

    """
    text = environ.get(SIZE_VARIABLE, "").strip()
    name = environ.get(VOLUME_VARIABLE, "").strip() or DEFAULT_NAME
    if not text:
        return PackageVolume(name=name)
    try:
        size = TypeAdapter(DataSize).validate_python(0 if text == "0" else text)
    except ValidationError as exc:
        raise UsageError(
            f"{SIZE_VARIABLE}={text} is not a size",
            hint="Use a size with its unit, such as 20g, or 0 to keep nothing.",
        ) from exc
    return PackageVolume(name=name, max_bytes=size) if size else None
