"""The images of the fake engine, and what its registry and its builder say."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

Answer = tuple[int, Any]
"""Status and body."""


class Events(list[dict[str, Any]]):
    """A body that comes as a stream of JSON lines."""


def broken_off(text: str) -> Events:
    """A pull that began and then failed."""
    return Events(
        [
            {"status": "Pulling from app", "id": "1"},
            {"errorDetail": {"message": text}, "error": text},
        ]
    )


PULLS: dict[str, Answer] = {
    "good": (
        200,
        Events(
            [
                {"status": "Pulling from app", "id": "1"},
                {"status": "Pulling fs layer", "progressDetail": {}, "id": "a"},
                {"status": "Pull complete", "progressDetail": {}, "id": "a"},
                {"status": "Status: Downloaded newer image for app:1"},
            ]
        ),
    ),
    "absent": (404, {"message": "manifest for app:1 not found: manifest unknown"}),
    "invalid": (400, {"message": "invalid reference format: repository name must be lowercase"}),
    "limited": (500, {"message": "toomanyrequests: slow down"}),
    "broken": (500, {"message": "received unexpected HTTP status: 500 Internal Server Error"}),
    "unreachable": (500, {"message": 'Get "http://r/v2/": dial tcp: connection refused'}),
    "limited-layer": (200, broken_off("toomanyrequests: slow down")),
    "foreign": (200, broken_off("no matching manifest for linux/amd64 in the manifest list")),
}
"""What Engine 20.10 answers to a pull, by what the registry does (see `fakes.registry`)."""


def normal_name(name: str) -> str:
    """A name as the engine writes it in `RepoTags`."""
    familiar = name.removeprefix("docker.io/").removeprefix("library/")
    return familiar if ":" in familiar.rpartition("/")[2] else f"{familiar}:latest"


class FakeImages:
    """Images in memory; one of them may have several names, and a name has one image."""

    def __init__(self, *, untagged_named: bool) -> None:
        self.all: list[dict[str, Any]] = []
        """As `GET /images/NAME/json` tells of them."""
        self.pull_answer: Answer = PULLS["unreachable"]
        self.pull_adds: dict[str, Any] | None = None
        """The image that a pull brings; see `image`."""
        self.pulls: list[str] = []
        self.hold_pulls = threading.Event()
        """A pull is answered once this is set."""
        self.hold_pulls.set()
        self.platforms: list[dict[str, str]] | None = None
        """What the registry says about platforms; None: it does not answer."""
        self.built_ids: Iterator[str] = (f"sha256:built{number}" for number in range(1, 100))
        self.while_building: Callable[[], None] = lambda: None
        self._untagged_named = untagged_named
        """Engines before 24 list an image without a name as `<none>:<none>`."""

    def add(self, image_id: str, *names: str, **fields: Any) -> None:
        """Have an image, with fields of `image`."""
        self.all.append(image(image_id, **fields))
        for name in names:
            self._name(self.all[-1], normal_name(name))

    def named(self, name: str) -> str | None:
        """The id of the image of that name."""
        found = self._find(name)
        return found["Id"] if found else None

    def inspect(self, name: str) -> Answer:
        """`GET /images/NAME/json`."""
        if not name.startswith("sha256:") and name != name.lower():
            return PULLS["invalid"]
        found = self._find(name)
        return (200, found) if found else self._missing(name)

    def listed(self, filters: dict[str, list[str]]) -> list[dict[str, Any]]:
        """`GET /images/json`; a filter by name leaves out the other names of an image too."""
        found = []
        for one in self.all:
            names = _matching(one["RepoTags"], filters.get("reference"))
            labels = one["Config"]["Labels"]
            if "reference" in filters and not names:
                continue
            if "dangling" in filters and one["RepoTags"]:
                continue
            if not has_labels(labels, filters.get("label", [])):
                continue
            nameless = ["<none>:<none>"] if self._untagged_named else []
            found.append(
                {
                    "Id": one["Id"],
                    "RepoTags": names or nameless,
                    "RepoDigests": one["RepoDigests"] or None,
                    "Labels": labels or None,
                    "Created": 1_700_000_000,
                    "Size": one["Size"],
                }
            )
        return found

    def tag(self, name: str, query: dict[str, str]) -> Answer:
        """`POST /images/NAME/tag`."""
        found = self._find(name)
        if found is None:
            return self._missing(name)
        self._name(found, f"{query['repo']}:{query['tag']}")
        return 201, None

    def remove(self, name: str, *, force: bool) -> Answer:
        """`DELETE /images/NAME`: takes a name away, and the image with its last one."""
        found = self._find(name)
        if found is None:
            return self._missing(name)
        if name == found["Id"]:
            if len(found["RepoTags"]) > 1 and not force:
                text = f"conflict: unable to delete {name[7:19]} (must be forced)"
                return 409, {"message": f"{text} - image is referenced in multiple repositories"}
            gone, found["RepoTags"] = found["RepoTags"], []
        else:
            gone = [normal_name(name)]
            found["RepoTags"].remove(gone[0])
        told = [{"Untagged": each} for each in gone]
        if not found["RepoTags"]:
            self.all.remove(found)
            told.append({"Deleted": found["Id"]})
        return 200, told

    def pull(self, query: dict[str, str]) -> Answer:
        """`POST /images/create`."""
        name = f"{query['fromImage']}:{query['tag']}"
        self.pulls.append(name)
        self.hold_pulls.wait(10)
        if self.pull_adds is not None:
            self.all.append(self.pull_adds)
            self._name(self.pull_adds, normal_name(name))
        return self.pull_answer

    def distribution(self, name: str) -> Answer:
        """`GET /distribution/NAME/json`."""
        del name
        if self.platforms is None:
            return PULLS["unreachable"]
        return 200, {"Descriptor": {}, "Platforms": self.platforms}

    def build(self) -> Answer:
        """`POST /build`: an image without a name."""
        image_id = next(self.built_ids)
        if self._find(image_id) is None:
            self.all.append(image(image_id))
        self.while_building()
        return 200, Events(
            [
                {"stream": "Step 1/1 : FROM base"},
                {"aux": {"ID": image_id}},
                {"stream": f"Successfully built {image_id[7:19]}\n"},
            ]
        )

    def _find(self, name: str) -> dict[str, Any] | None:
        wanted = name if name.startswith("sha256:") else normal_name(name)
        return next((one for one in self.all if wanted in (one["Id"], *one["RepoTags"])), None)

    def _name(self, found: dict[str, Any], name: str) -> None:
        for one in self.all:
            one["RepoTags"] = [each for each in one["RepoTags"] if each != name]
        found["RepoTags"].append(name)

    @staticmethod
    def _missing(name: str) -> Answer:
        return 404, {"message": f"No such image: {name}"}


def image(image_id: str, **fields: Any) -> dict[str, Any]:
    """An image as the engine describes it; *fields*: architecture, user, digests, labels."""
    return {
        "Id": image_id,
        "RepoTags": [],
        "RepoDigests": list(fields.get("digests", ())),
        "Os": "linux",
        "Architecture": fields.get("architecture", "amd64"),
        "Size": 1_000_000,
        "Config": {"User": fields.get("user", ""), "Labels": fields.get("labels")},
    }


def _matching(names: list[str], patterns: list[str] | None) -> list[str]:
    """Names that one of the patterns means: a whole name, or a repository."""
    if patterns is None:
        return list(names)
    return [name for name in names if {name, name.rpartition(":")[0]} & set(patterns)]


def has_labels(labels: dict[str, str] | None, wanted: list[str]) -> bool:
    """Whether there is each of *wanted*, `KEY` or `KEY=VALUE`."""
    have = labels or {}
    return all(
        have.get(key) == value if equals else key in have
        for key, equals, value in (each.partition("=") for each in wanted)
    )
