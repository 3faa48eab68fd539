"""A sidecar with a package cache, and what its tests ask it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sidecar_process import SidecarProcess, policy, rule

HASHED_HOST = "sub.ok.test"
"""Whose paths hold the digest of the file, as PyPI's do."""
POLICY = policy(
    rule("ok.test"),
    rule(HASHED_HOST),
    docs=("docs.test",),
    private=("ok.test",),
    paths=[{"host": "ok.test", "patterns": ["/pool/**"], "subdomains": False, "default": False}],
)
IMMUTABLE = [
    {"host": "ok.test", "patterns": ["/pool/*/*/*"], "hash_in_path": False},
    {"host": HASHED_HOST, "patterns": ["/packages/**"], "hash_in_path": True},
    {"host": "docs.test", "patterns": ["/**"], "hash_in_path": False},
]

_GO_FILES = [f"https://ok.test/pool/index/{{name}}/{{version}}.{end}" for end in ("zip", "mod")]
INDEXES = [
    {"host": "ok.test", "patterns": patterns, "kind": kind, "files": files}
    for kind, patterns, files in (
        ("npm", ["/pool/index/*"], []),
        ("go", ["/pool/index/sumdb/lookup/*"], _GO_FILES),
        ("debian", ["/**/dists/**"], []),
    )
]


def order(folder: Path, trust_pem: str, *, max_bytes: int = 10**9, **more: Any) -> dict[str, Any]:
    """The order `start` of a sidecar that keeps packages in *folder*."""
    cache = {
        "folder": str(folder),
        "max_bytes": max_bytes,
        "immutable": IMMUTABLE,
        "indexes": INDEXES,
    }
    return {"policy": POLICY, "trust_pem": trust_pem, "package_cache": cache, **more}


def started(folder: Path, trust_pem: str, **more: Any) -> SidecarProcess:
    return SidecarProcess(order(folder, trust_pem, **more)).ready()


def kept(folder: Path, kind: str = "blobs") -> list[Path]:
    """The files of a kind in the cache."""
    return sorted(path for path in (folder / "v1" / kind).glob("**/*") if path.is_file())


def wait_until_kept(folder: Path, count: int = 1) -> list[Path]:
    """Files are verified behind the answer's back."""
    until(lambda: len(kept(folder, "entries")) >= count and not kept(folder, "partial"))
    return kept(folder, "entries")


def until(true: Callable[[], bool]) -> None:
    """Return when something has become true."""
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def shown(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Type, status, bytes and whether it came from the cache; the detail of what was no answer."""
    return [
        (event["type"], event.get("status"), event.get("bytes_in"), event.get("from_cache", False))
        if event["type"] == "egress_allowed"
        else (event["type"], event.get("detail"))
        for event in events
    ]
