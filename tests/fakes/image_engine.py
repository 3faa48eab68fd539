"""A container engine on loopback whose images are named and whose registry does as it is told."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import parse_qs, unquote

from fakes.fake_engine import FakeEngine


class ImageEngine(FakeEngine):
    """Local images by name, and what a pull answers."""

    def __init__(self) -> None:
        super().__init__()
        self.local: dict[str, dict[str, Any]] = {}
        self.pull_answer: tuple[int, dict[str, Any]] = (500, {"message": "no such host"})
        self.pull_adds: dict[str, Any] | None = None
        """The image that a pull brings."""
        self.pulls: list[str] = []
        self.hold_pulls = threading.Event()
        """A pull is answered once this is set."""
        self.hold_pulls.set()
        self.platforms: list[dict[str, str]] | None = None
        """What the registry says about platforms; None: it does not answer."""

    def answer(self, method: str, path: str, query: str, body: dict[str, Any]) -> tuple[int, Any]:
        """One request."""
        if path == "/images/create":
            return self._pull(parse_qs(query))
        if path.startswith("/images/") and path.endswith("/json") and path != "/images/json":
            name = unquote(path.removeprefix("/images/").removesuffix("/json"))
            if name in self.local:
                return 200, self.local[name]
            return 404, {"message": f"No such image: {name}"}
        if path.startswith("/distribution/"):
            if self.platforms is None:
                return 500, {"message": "no such host"}
            return 200, {"Descriptor": {}, "Platforms": self.platforms}
        status, answer = super().answer(method, path, query, body)
        if path == "/version":
            answer |= {"Os": "linux", "Arch": "amd64"}
        return status, answer

    def _pull(self, query: dict[str, list[str]]) -> tuple[int, Any]:
        name = f"{query['fromImage'][0]}:{query['tag'][0]}"
        self.pulls.append(name)
        self.hold_pulls.wait(10)
        if self.pull_adds is not None:
            self.local[name] = self.pull_adds
        return self.pull_answer


def image(image_id: str, *, architecture: str = "amd64", user: str = "") -> dict[str, Any]:
    """An image as the engine describes it."""
    return {
        "Id": image_id,
        "Os": "linux",
        "Architecture": architecture,
        "RepoDigests": [],
        "Config": {"User": user},
    }
