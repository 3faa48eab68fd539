"""
A container engine on loopback that keeps networks, images and lists of other objects in memory.

It speaks the part of the Engine API that unit tests need, to the real SDK, and answers as Engine
20.10 does; `tests/contract/test_engine.py` asks both the same questions.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import docker

from fakes.fake_images import Answer, Events, FakeImages, has_labels
from quickstarted.sandbox.engine import Engine

OVERLAP = (403, {"message": "Pool overlaps with other one on this address space"})
IN_USE = (403, {"message": "error while removing network: network x has active endpoints"})
"""For a network that a container is on."""
BEING_REMOVED = (409, {"message": "removal of container x is already in progress"})
"""For a container that somebody else removes at this moment."""
IMAGE_IN_USE = (409, {"message": "conflict: unable to remove repository reference x (must force)"})
"""For an image that a container was made from."""

KEYS = {"containers": "Id", "networks": "Id", "volumes": "Name"}


class FakeEngine:
    """What the engine has; tests fill it and read `requests`."""

    def __init__(self, version: str = "20.10.24", architecture: str = "x86_64") -> None:
        self.version = version
        self.architecture = architecture
        """As the kernel calls it."""
        self.objects: dict[str, list[dict[str, Any]]] = {kind: [] for kind in KEYS}
        self.images = FakeImages(untagged_named=int(version.split(".", maxsplit=1)[0]) < 24)
        self.hidden_subnets: list[str] = []
        """Taken in the kernel, and in no list: what another process made a moment ago."""
        self.refusals: dict[str, list[Answer]] = {}
        """Id to answers that removals of it get before they work."""
        self.requests: list[tuple[str, str, dict[str, Any]]] = []
        self._lock = threading.Lock()

    def asked(self, method: str, pattern: str) -> int:
        """How many requests there were of this method whose path matches."""
        return sum(
            how == method and bool(re.fullmatch(pattern, path)) for how, path, _ in self.requests
        )

    def answer(self, method: str, path: str, query: dict[str, str], body: dict[str, Any]) -> Answer:
        """One request."""
        with self._lock:
            self.requests.append((method, path, body))
        if (method, path) == ("POST", "/images/create"):
            return self.images.pull(query)
        with self._lock:
            for how, pattern, handler in self._routes():
                found = re.fullmatch(pattern, path)
                if how == method and found:
                    return handler(*map(unquote, found.groups()), query, body)
        return 404, {"message": "page not found"}

    def _routes(self) -> list[tuple[str, str, Callable[..., Answer]]]:
        images = self.images
        return [
            ("GET", "/version", lambda *_: (200, self._version())),
            ("GET", "/info", lambda *_: (200, {"Architecture": self.architecture})),
            ("POST", "/networks/create", lambda _, body: self._create_network(body)),
            ("GET", "/networks/(.+)", lambda name, *_: self._inspect("networks", name)),
            ("GET", "/(containers)/json", self._list),
            ("POST", "/containers/(.+)/wait", lambda name, *_: self._wait(name)),
            ("POST", "/build", lambda *_: images.build()),
            ("GET", "/images/json", lambda query, _: (200, images.listed(filters_of(query)))),
            ("GET", "/images/(.+)/json", lambda name, *_: images.inspect(name)),
            ("POST", "/images/(.+)/tag", lambda name, query, _: images.tag(name, query)),
            ("DELETE", "/images/(.+)", self._remove_image),
            ("GET", "/distribution/(.+)/json", lambda name, *_: images.distribution(name)),
            ("GET", "/(networks|volumes)", self._list),
            ("DELETE", "/(containers|networks|volumes)/(.+)", self._remove),
        ]

    def _version(self) -> dict[str, str]:
        return {"Version": self.version, "ApiVersion": "1.41", "Os": "linux", "Arch": "amd64"}

    def _list(self, kind: str, query: dict[str, str], _: dict[str, Any]) -> Answer:
        wanted = filters_of(query).get("label", [])
        found = [one for one in self.objects[kind] if has_labels(one.get("Labels"), wanted)]
        return 200, {"Volumes": found, "Warnings": None} if kind == "volumes" else found

    def _find(self, kind: str, name: str) -> dict[str, Any] | None:
        return next((one for one in self.objects[kind] if one[KEYS[kind]] == name), None)

    def _inspect(self, kind: str, name: str) -> Answer:
        found = self._find(kind, name)
        return (200, found) if found else (404, {"message": f"{name} not found"})

    def _wait(self, name: str) -> Answer:
        """A container that is being removed is gone when the answer comes."""
        found = self._find("containers", name)
        if found is None:
            return 404, {"message": f"No such container: {name}"}
        if found.get("going"):
            self.objects["containers"].remove(found)
        return 200, {"StatusCode": 0, "Error": None}

    def _create_network(self, body: dict[str, Any]) -> Answer:
        subnet = ip_network(body["IPAM"]["Config"][0]["Subnet"])
        listed = [
            config["Subnet"]
            for one in self.objects["networks"]
            for config in one["IPAM"]["Config"] or []
        ]
        others = [ip_network(text) for text in [*self.hidden_subnets, *listed]]
        if any(subnet.overlaps(other) for other in others if other.version == 4):
            return OVERLAP
        network = {**body, "Id": f"network{len(self.requests)}", "Containers": {}}
        network["Labels"] = body.get("Labels") or {}
        self.objects["networks"].append(network)
        return 201, {"Id": network["Id"], "Warning": ""}

    def _refusal(self, name: str) -> Answer | None:
        waiting = self.refusals.get(name)
        return waiting.pop(0) if waiting else None

    def _remove(self, kind: str, name: str, *_: dict[str, Any]) -> Answer:
        found = self._find(kind, name)
        if refusal := self._refusal(name):
            if found and refusal[0] == BEING_REMOVED[0]:
                found["going"] = True
            return refusal
        if found is None:
            return 404, {"message": f"{name} not found"}
        self.objects[kind].remove(found)
        return 204, None

    def _remove_image(self, name: str, query: dict[str, str], _: dict[str, Any]) -> Answer:
        return self._refusal(name) or self.images.remove(name, force=query.get("force") == "True")


def filters_of(query: dict[str, str]) -> dict[str, list[str]]:
    """The `filters` of a listing."""
    found: dict[str, list[str]] = json.loads(query.get("filters", "{}"))
    return found


@contextmanager
def serving(fake: FakeEngine) -> Iterator[Engine]:
    """The fake behind the real SDK."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            sent = self.rfile.read(size)
            # A build's context is a tar archive.
            body = json.loads(sent) if sent.startswith(b"{") else {}
            url = urlsplit(self.path)
            path = re.sub(r"^/v1\.\d+", "", url.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            status, answer = fake.answer(self.command, path, query, body)
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if isinstance(answer, Events):
                self.stream(answer)
                return
            content = b"" if answer is None else json.dumps(answer).encode()
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def stream(self, events: Events) -> None:
            """A chunk for each: the SDK reads one after the other only where they are chunked."""
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            lines = [json.dumps(event).encode() + b"\r\n" for event in events]
            for chunk in [*lines, b""]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))

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
