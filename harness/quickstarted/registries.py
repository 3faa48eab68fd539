"""
The package registries and code hosts that every sandbox may reach, by their public names.

The only place of the product that names them. raw.githubusercontent.com is left out on purpose:
projects serve their README, which is documentation, from it.
"""

from __future__ import annotations

REGISTRIES: dict[str, tuple[str, ...]] = {
    "PyPI": ("pypi.org", "files.pythonhosted.org"),
    "npm": ("registry.npmjs.org",),
    "crates.io": ("index.crates.io", "static.crates.io"),
    "Go modules": ("proxy.golang.org", "sum.golang.org"),
    "Debian": ("deb.debian.org", "security.debian.org"),
    "Ubuntu": ("archive.ubuntu.com", "security.ubuntu.com"),
    "GitHub": (
        "github.com",
        "codeload.github.com",
        "objects.githubusercontent.com",
        "release-assets.githubusercontent.com",
    ),
}
"""What serves them to its exact hosts."""

DEBIAN_MIRROR = "http://deb.debian.org/debian"
DEBIAN_SECURITY_MIRROR = "http://deb.debian.org/debian-security"
"""Where the base of the stand-in images comes from, unless the machine has mirrors of its own."""

SMALL_PAGE = ("pypi.org", "/simple/six/")
"""Host and path of a page that is small and always there: shows that an allowed host answers."""

DEFAULT_HOSTS: tuple[str, ...] = tuple(host for group in REGISTRIES.values() for host in group)


def registry_of(host: str) -> str | None:
    """Which of them *host* belongs to, as itself or as a host above one of theirs."""
    for name, hosts in REGISTRIES.items():
        if any(known == host or known.endswith("." + host) for known in hosts):
            return name
    return None
