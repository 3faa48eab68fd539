"""
The releases in use, by the hashes that the registry publishes for them.

A new version is a new line here: results say which version ran, and compare only with their like.
"""

from __future__ import annotations

from quickstarted.programs.release import Libc, Package, Release

_CLAUDE_CODE_VERSION = "2.1.197"
_CLAUDE_CODE: dict[tuple[str, Libc], tuple[str, str]] = {
    ("amd64", "glibc"): (
        "linux-x64",
        "rIlKmrY0QMyHgPRX/MYWNj039vbypICvI9jVe3rs9Xy2RnNklySjyPxqh62QadznzoftEO23uYQ1tFePcQ//bg==",
    ),
    ("amd64", "musl"): (
        "linux-x64-musl",
        "/Ij3+inZf96Lb1BLnO0rWArRi1HqIMh6HeGrQoykrp7a8Yj0SA1EQIO42kpNeVxM9z3o3xUaiIf0FRMzLIp6oQ==",
    ),
    ("arm64", "glibc"): (
        "linux-arm64",
        "sx6SoGj3MNR5CV+YDkNtbLHXa1tn3G8qcYFgm1gnvOi9ODQUKbhiPfankJfkTMDVekOvnKJhm6i9hGFIPzp7cQ==",
    ),
    ("arm64", "musl"): (
        "linux-arm64-musl",
        "r3taVK9rDaMahHkrCGV8wF1Sjphs7fqXy2ZEznyDGxUqeW6HxgkbG7dPplXnwwGiMTdYLrtQTQMN21ZTxcVHBA==",
    ),
}

CLAUDE_CODE = Release(
    name="claude-code",
    version=_CLAUDE_CODE_VERSION,
    packages={
        machine: Package(
            name=f"@anthropic-ai/claude-code-{kind}",
            version=_CLAUDE_CODE_VERSION,
            integrity=f"sha512-{digest}",
            command="claude",
            keep=("claude", "LICENSE.md"),
        )
        for machine, (kind, digest) in _CLAUDE_CODE.items()
    },
)

_CODEX_VERSION = "0.171.0"
_CODEX: dict[str, tuple[str, str, str]] = {
    "amd64": (
        "linux-x64",
        "x86_64-unknown-linux-musl",
        "l66NZkQgdk2C3pbcfULDz42yEUB581MVA6I+Y43Wp4OIqEy73HCdmZ0GTjeAHY2ycuH4N00d9VsLrwT1jxshTw==",
    ),
    "arm64": (
        "linux-arm64",
        "aarch64-unknown-linux-musl",
        "9z17t4bbUJ9UCIb49O4PoA+ki+45q3rd8nZ8PeH6sYnlKkBld/Xpo/OS3h3Ti954+foshX4o7k5TCU8N7zzqQA==",
    ),
}
_LIBCS: tuple[Libc, ...] = ("glibc", "musl")
"""Its program needs neither."""

CODEX = Release(
    name="codex",
    version=_CODEX_VERSION,
    packages={
        (architecture, libc): Package(
            name="@openai/codex",
            version=f"{_CODEX_VERSION}-{kind}",
            integrity=f"sha512-{digest}",
            command=f"vendor/{target}/bin/codex",
            keep=(
                f"vendor/{target}/bin/",
                f"vendor/{target}/codex-path/",
                f"vendor/{target}/codex-package.json",
            ),
        )
        for architecture, (kind, target, digest) in _CODEX.items()
        for libc in _LIBCS
    },
)

RELEASES: dict[str, Release] = {release.name: release for release in (CLAUDE_CODE, CODEX)}
