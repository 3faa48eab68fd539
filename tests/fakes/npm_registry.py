"""
A registry of npm packages on loopback, of which only the archives are served.

Each package holds one small shell program and a file that nothing needs. How often it was asked is
counted, and the next answers can be scripted.
"""

from __future__ import annotations

import base64
import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from quickstarted.programs import Package, Release

PROGRAM = b"#!/bin/sh\necho it works\n"


class NpmRegistry:
    """Where it listens, what it serves, what it was asked."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.environ = {"NPM_CONFIG_REGISTRY": self.url}
        self.archives: dict[str, bytes] = {}
        """Path to content."""
        self.asked: list[str] = []
        self.script: list[int] = []
        """Statuses of the next answers; 0 closes the connection half way."""

    def publish(self, archive: bytes, *, name: str = "@maker/tool-linux", version: str = "1.2.3"):
        """Serve *archive*; the package as a catalogue would pin it."""
        short = name.rpartition("/")[2]
        self.archives[f"/{name}/-/{short}-{version}.tgz"] = archive
        digest = base64.b64encode(hashlib.sha512(archive).digest()).decode()
        return Package(
            name=name,
            version=version,
            integrity=f"sha512-{digest}",
            command="bin/tool",
            keep=("bin/", "LICENSE"),
        )


def archive(files: dict[str, bytes] | None = None) -> bytes:
    """An archive as npm packs them: everything in `package/`."""
    wanted = files or {
        "package/bin/tool": PROGRAM,
        "package/LICENSE": b"free",
        "package/node_modules/big": b"x" * 1000,
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as tar:
        for name, content in wanted.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(content), 0o755 if "/bin/" in name else 0o644
            entry.uid = entry.gid = 1000
            tar.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def release(package: Package) -> Release:
    """A release that runs on every kind of machine that tests run on."""
    return Release(
        name="tool",
        version=package.version,
        packages={(arch, "glibc"): package for arch in ("amd64", "arm64")},
    )


@contextmanager
def npm_registry() -> Iterator[NpmRegistry]:
    """A registry for the block."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.registry = registry = NpmRegistry(server.server_address[1])  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args: object) -> None:
        """Be quiet."""

    def do_GET(self) -> None:
        registry: NpmRegistry = self.server.registry  # type: ignore[attr-defined]
        registry.asked.append(self.path)
        body = registry.archives.get(self.path)
        status = registry.script.pop(0) if registry.script else 200
        if body is None:
            status, body = 404, b"{}"
        self.send_response(status or 200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if status else body[: len(body) // 2])
        self.close_connection = not status
