"""
An image registry on loopback with one tiny image per repository.

Speaks the pulling half of the OCI distribution spec 1.1 to a real engine, which takes a registry on
127.0.0.0/8 without TLS. A repository's name says how it behaves.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
MANIFEST_LIST = "application/vnd.docker.distribution.manifest.list.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar"
SCRIPTED = {"limited": 429, "broken": 500, "absent": 404}
"""Repository to the status that its manifests get."""


class Registry:
    """Where it listens, and what it was asked."""

    def __init__(self, port: int, architecture: str) -> None:
        self.host = f"127.0.0.1:{port}"
        self.architecture = architecture
        self.requests: list[str] = []
        self.blobs: dict[str, bytes] = {}
        self.manifests: dict[str, tuple[str, bytes]] = {}
        """Digest or repository to media type and content."""
        self.released = threading.Event()
        """Repository `silent` answers once this is set."""
        for repository in ("good", "limited-layer", "silent"):
            self._add(repository)
        self._add_foreign("foreign")

    def pings(self) -> int:
        """How often the engine asked who is there: once for each pull."""
        return self.requests.count("/v2/")

    def digest(self, repository: str) -> str:
        """Of the repository's manifest."""
        return _digest(self.manifests[repository][1])

    def _blob(self, content: bytes) -> dict[str, object]:
        self.blobs[_digest(content)] = content
        return {"digest": _digest(content), "size": len(content)}

    def _add(self, repository: str) -> None:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w") as tar:
            entry = tarfile.TarInfo(f"quickstarted-test-{repository}-{self.host}")
            tar.addfile(entry, io.BytesIO())
        layer = self._blob(packed.getvalue())
        config = {
            "architecture": self.architecture,
            "os": "linux",
            "config": {"User": "1000:1000"},
            "rootfs": {"type": "layers", "diff_ids": [layer["digest"]]},
        }
        manifest = {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": {"mediaType": CONFIG, **self._blob(json.dumps(config).encode())},
            "layers": [{"mediaType": LAYER, **layer}],
        }
        self._publish(repository, MANIFEST, manifest)

    def _add_foreign(self, repository: str) -> None:
        """An image for another architecture only."""
        entry = {
            "mediaType": MANIFEST,
            "size": 1,
            "digest": _digest(b"foreign"),
            "platform": {"os": "linux", "architecture": "s390x"},
        }
        manifest = {"schemaVersion": 2, "mediaType": MANIFEST_LIST, "manifests": [entry]}
        self._publish(repository, MANIFEST_LIST, manifest)

    def _publish(self, repository: str, media_type: str, manifest: dict[str, object]) -> None:
        content = json.dumps(manifest).encode()
        self.manifests[repository] = self.manifests[_digest(content)] = (media_type, content)


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    registry: Registry

    def do_GET(self) -> None:
        if self.command == "GET":
            self.registry.requests.append(self.path)
        parts = self.path.strip("/").split("/")
        if len(parts) != 4:
            self.send(200, "application/json", b"{}")
            return
        _, repository, kind, reference = parts
        if repository == "silent":
            self.registry.released.wait(20)
        if kind == "blobs":
            self.send_blob(repository, reference)
        else:
            self.send_manifest(repository, reference)

    def do_HEAD(self) -> None:
        self.do_GET()

    def send_manifest(self, repository: str, reference: str) -> None:
        if repository in SCRIPTED:
            self.refuse(SCRIPTED[repository])
            return
        key = reference if reference in self.registry.manifests else repository
        media_type, content = self.registry.manifests[key]
        self.send(200, media_type, content)

    def send_blob(self, repository: str, digest: str) -> None:
        content = self.registry.blobs[digest]
        if repository == "limited-layer" and b'"architecture"' not in content:
            self.refuse(429)
            return
        self.send(200, "application/octet-stream", content)

    def refuse(self, status: int) -> None:
        code = {404: "MANIFEST_UNKNOWN", 429: "TOOMANYREQUESTS"}.get(status, "UNKNOWN")
        errors = {"errors": [{"code": code, "message": "as the test says"}]}
        self.send(status, "application/json", json.dumps(errors).encode())

    def send(self, status: int, media_type: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Docker-Content-Digest", _digest(content))
        self.send_header("Docker-Distribution-Api-Version", "registry/2.0")
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""


@contextmanager
def serving_registry(architecture: str) -> Iterator[Registry]:
    """A registry whose images are for *architecture*, while the block runs."""

    class Handler(_Handler):
        """With a registry of its own."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    registry = Handler.registry = Registry(server.server_port, architecture)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield registry
    finally:
        registry.released.set()
        server.shutdown()
        thread.join()
        server.server_close()
