"""What a release of a program is made of, for each kind of machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from quickstarted.errors import ImageFault

PROGRAMS_DIR = "/opt/quickstarted/programs"
"""Where a sandbox has them, outside of every PATH: a task may be about installing the same one."""

Libc = Literal["glibc", "musl"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One package of the npm registry, with the program for one kind of machine."""

    name: str
    """With its scope."""
    version: str
    integrity: str
    """`sha512-` and Base64, as the registry's `dist.integrity` (W3C Subresource Integrity)."""
    command: str
    """The program's file, relative to the package's own folder."""
    keep: tuple[str, ...]
    """Files, and folders that end in a slash, that the program needs; the rest is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """One version of a program."""

    name: str
    version: str
    packages: Mapping[tuple[str, Libc], Package]
    """Architecture, in the engine's words, and C library to what runs there."""

    def package_for(self, architecture: str, libc: Libc) -> Package:
        """
        Choose what runs on such a machine.

        Raises:
            ImageFault: Its makers publish nothing for it.

        """
        package = self.packages.get((architecture, libc))
        if package is None:
            known = ", ".join(f"{arch} with {lib}" for arch, lib in sorted(self.packages))
            raise ImageFault(
                f"{self.name} {self.version} does not run on {architecture} with {libc}",
                hint=f"There is a program for {known}: choose an image of such a kind.",
            )
        return package

    def command_in_sandbox(self, package: Package) -> str:
        """The program's path in a sandbox."""
        return f"{self.folder}/{package.command}"

    @property
    def folder(self) -> str:
        """Where a sandbox has this program."""
        return f"{PROGRAMS_DIR}/{self.name}"
