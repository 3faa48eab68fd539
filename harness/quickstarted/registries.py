"""
The package registries and code hosts that every sandbox may reach, by their public names.

The only place of the product that names them. raw.githubusercontent.com is left out on purpose:
projects serve their README, which is documentation, from it. For the same reason each host is
limited to the paths that its clients request: docs/sandbox.md says why these, and what a path
cannot tell.
"""

from __future__ import annotations

REGISTRIES: dict[str, dict[str, tuple[str, ...]]] = {
    "PyPI": {
        "pypi.org": ("/simple/**", "/pypi/*/json", "/pypi/*/*/json", "/packages/**"),
        "files.pythonhosted.org": ("/packages/**",),
    },
    "npm": {
        "registry.npmjs.org": (
            "/*",
            "/*/*",
            "/@*/*/*",
            "/*/-/*",
            "/@*/*/-/*",
            "/-/npm/v1/security/**",
            "/-/npm/v1/keys",
            "/-/npm/v1/attestations/**",
            "/-/package/**/dist-tags",
        ),
    },
    "crates.io": {
        "index.crates.io": ("/config.json", "/1/*", "/2/*", "/*/*/*"),
        "static.crates.io": ("/crates/*/*/download", "/crates/*/*.crate"),
    },
    "Go modules": {
        "proxy.golang.org": ("/**/@v/*", "/**/@latest", "/sumdb/**"),
        "sum.golang.org": ("/supported", "/latest", "/lookup/**", "/tile/**"),
    },
    "Debian": {
        "deb.debian.org": ("/*/dists/**", "/*/pool/**"),
        "security.debian.org": ("/dists/**", "/pool/**", "/*/dists/**", "/*/pool/**"),
    },
    "Ubuntu": {
        "archive.ubuntu.com": ("/ubuntu/dists/**", "/ubuntu/pool/**"),
        "security.ubuntu.com": ("/ubuntu/dists/**", "/ubuntu/pool/**"),
    },
    "GitHub": {
        "github.com": (
            "/*/*/info/refs",
            "/*/*/git-upload-pack",
            "/*/*/archive/**",
            "/*/*/zipball/**",
            "/*/*/tarball/**",
            "/*/*/releases/download/**",
            "/*/*/releases/latest",
            "/*/*/releases/latest/download/**",
        ),
        "codeload.github.com": (
            "/*/*/tar.gz/**",
            "/*/*/zip/**",
            "/*/*/legacy.tar.gz/**",
            "/*/*/legacy.zip/**",
        ),
        "objects.githubusercontent.com": ("/github-production-release-asset*/**",),
        "release-assets.githubusercontent.com": ("/github-production-release-asset*/**",),
    },
}
"""What serves them to its exact hosts, and those to the paths that may be requested there."""

CODE_HOSTS = ("bitbucket.org", "codeberg.org", "github.com", "gitlab.com", "googlesource.com")
"""Show a file of a repository as a page of HTML whose URL ends as the file's name does."""

NPM_REGISTRY = "https://registry.npmjs.org"
"""Where programs for sandboxes come from, unless the caller's environment names another one."""

_DEBIAN_FILES = ("*.deb", "*.udeb", "*.dsc", "*.tar.gz", "*.tar.xz", "*.tar.bz2")
_PYPI_FILES = ("*.whl", "*.whl.metadata", "*.tar.gz", "*.zip", "*.tar.bz2")

IMMUTABLE: dict[str, tuple[str, ...]] = {
    "files.pythonhosted.org": tuple(f"/packages/**/{name}" for name in _PYPI_FILES),
    "registry.npmjs.org": ("/*/-/*.tgz", "/@*/*/-/*.tgz"),
    "static.crates.io": ("/crates/*/*/download", "/crates/*/*.crate"),
    "proxy.golang.org": ("/**/@v/v*.*.*.zip", "/**/@v/v*.*.*.mod"),
    "deb.debian.org": tuple(f"/*/pool/**/{name}" for name in _DEBIAN_FILES),
    "security.debian.org": tuple(
        f"{top}/pool/**/{name}" for top in ("", "/*") for name in _DEBIAN_FILES
    ),
    "archive.ubuntu.com": tuple(f"/ubuntu/pool/**/{name}" for name in _DEBIAN_FILES),
    "security.ubuntu.com": tuple(f"/ubuntu/pool/**/{name}" for name in _DEBIAN_FILES),
}
"""
Host to patterns of the files that never change once they are published: the registry gives a new
name to every change. Index pages are not among them, nor archives of code hosts, whose tags move.
"""
_DEBIAN_LISTS = tuple(
    f"/**/dists/**/{folder}/{name}"
    for folder, names in (
        ("binary-*", ("Packages", "Packages.xz", "Packages.gz", "Packages.bz2")),
        ("source", ("Sources", "Sources.xz", "Sources.gz", "Sources.bz2")),
        ("binary-*", ("by-hash/SHA256/*", "by-hash/SHA512/*")),
        ("source", ("by-hash/SHA256/*", "by-hash/SHA512/*")),
    )
    for name in names
)
_GO_FILES = tuple(
    f"https://proxy.golang.org/{{name}}/@v/{{version}}.{suffix}" for suffix in ("zip", "mod")
)

INDEXES: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "registry.npmjs.org": ("npm", ("/*", "/@*/*"), ()),
    "index.crates.io": (
        "crates",
        ("/1/*", "/2/*", "/*/*/*"),
        (
            "https://static.crates.io/crates/{name}/{version}/download",
            "https://static.crates.io/crates/{name}/{name}-{version}.crate",
        ),
    ),
    "sum.golang.org": ("go", ("/lookup/**",), _GO_FILES),
    "proxy.golang.org": ("go", ("/sumdb/sum.golang.org/lookup/**",), _GO_FILES),
    "deb.debian.org": ("debian", _DEBIAN_LISTS, ()),
    "security.debian.org": ("debian", _DEBIAN_LISTS, ()),
    "archive.ubuntu.com": ("debian", _DEBIAN_LISTS, ()),
    "security.ubuntu.com": ("debian", _DEBIAN_LISTS, ()),
}
"""Host of index pages that name digests of files: their kind, their paths, and the files."""
HASH_IN_PATH = frozenset({"files.pythonhosted.org"})
"""Hosts whose paths hold the BLAKE2b-256 of the file."""

DEBIAN_MIRROR = "http://deb.debian.org/debian"
DEBIAN_SECURITY_MIRROR = "http://deb.debian.org/debian-security"
"""Where the base of the stand-in images comes from, unless the machine has mirrors of its own."""

SMALL_PAGE = ("pypi.org", "/simple/six/")
"""Host and path of a page that is small and always there: shows that an allowed host answers."""

DEFAULT_PATHS: dict[str, tuple[str, ...]] = {
    host: patterns for group in REGISTRIES.values() for host, patterns in group.items()
}

DEFAULT_HOSTS: tuple[str, ...] = tuple(DEFAULT_PATHS)


def registry_of(host: str) -> str | None:
    """Which of them *host* belongs to, as itself or as a host above one of theirs."""
    for name, hosts in REGISTRIES.items():
        if any(known == host or known.endswith("." + host) for known in hosts):
            return name
    return None
