"""
A container engine on loopback that keeps networks and lists of labelled objects in memory.

It speaks the part of the Engine API that carving and sweeping need, to the real SDK.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any
from urllib.parse import parse_qs, urlsplit

import docker

from quickstarted.sandbox.engine import Engine


class FakeEngine:
    """What the engine has; tests fill the lists and read `requests`."""

    def __init__(self, version: str = "20.10.24") -> None:
        self.version = version
        self.objects: dict[str, list[dict[str, Any]]] = {
            "containers": [],
            "networks": [],
            "volumes": [],
            "images": [],
        }
        self.hidden_subnets: list[str] = []
        """Taken in the kernel, and in no list: what another process made a moment ago."""
        self.refusals: dict[str, list[tuple[int, str]]] = {}
        """Id to answers that removals of it get before they work."""
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        self._lock = threading.Lock()

    def answer(self, method: str, path: str, query: str, body: dict[str, Any]) -> tuple[int, Any]:
        """One request."""
        with self._lock:
            self.requests.append((method, path, body))
            if path == "/version":
                return 200, {"Version": self.version, "ApiVersion": "1.41"}
            if path == "/networks/create":
                return self._create_network(body)
            if path.endswith("/wait"):
                return 200, {"StatusCode": 0}
            if method == "DELETE":
                return self._remove(path)
            kind, _, wanted = path.strip("/").partition("/")
            if kind == "networks" and wanted:
                return 200, next(one for one in self.objects[kind] if one["Id"] == wanted)
            found = self._filtered(self.objects[kind], query)
            return 200, {"Volumes": found} if kind == "volumes" else found

    def _filtered(self, objects: list[dict[str, Any]], query: str) -> list[dict[str, Any]]:
        filters = json.loads(parse_qs(query).get("filters", ["{}"])[0])
        keys = filters.get("label", [])
        return [one for one in objects if all(key in (one.get("Labels") or {}) for key in keys)]

    def _create_network(self, body: dict[str, Any]) -> tuple[int, Any]:
        subnet = ip_network(body["IPAM"]["Config"][0]["Subnet"])
        listed = [
            config["Subnet"]
            for one in self.objects["networks"]
            for config in one["IPAM"]["Config"] or []
        ]
        others = [ip_network(text) for text in [*self.hidden_subnets, *listed]]
        if any(subnet.overlaps(other) for other in others if other.version == 4):
            return 403, {"message": "Pool overlaps with other one on this address space"}
        network = {**body, "Id": f"network{len(self.requests)}"}
        self.objects["networks"].append(network)
        return 201, {"Id": network["Id"]}

    def _remove(self, path: str) -> tuple[int, Any]:
        kind, name = path.strip("/").split("/", 1)
        if self.refusals.get(name):
            status, text = self.refusals[name].pop(0)
            return status, {"message": text}
        objects = self.objects[kind]
        key = "Name" if kind == "volumes" else "Id"
        kept = [one for one in objects if name not in {one[key], *(one.get("RepoTags") or [])}]
        if len(kept) == len(objects):
            return 404, {"message": "no such object"}
        self.objects[kind] = kept
        return 200 if kind == "images" else 204, []


@contextmanager
def serving(fake: FakeEngine) -> Iterator[Engine]:
    """The fake behind the real SDK."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(size)
            # A build's context is a tar archive.
            body = json.loads(content) if content.startswith(b"{") else {}
            url = urlsplit(self.path)
            path = re.sub(r"^/v1\.\d+", "", url.path)
            status, answer = fake.answer(self.command, path, url.query, body)
            content = b"" if status == 204 else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = handle_any  # noqa: N815 (the names are fixed)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    client = docker.DockerClient(f"tcp://127.0.0.1:{server.server_port}", version="1.41")
    try:
        yield Engine(client)
    finally:
        client.close()
        server.shutdown()
        thread.join()
        server.server_close()
