"""
Which image of ours may run in place of a public one, and how each is made.

Apart from the code that pulls and builds, so that the rule can be read as a table: a stand-in
replaces an image only where the image's name promises what the stand-in holds. Any other name
(`python:3.12-slim`, `node:22`, an Alpine variant) is refused with a hint: a documentation gap that
comes from our substitution would be a lie.
"""

from __future__ import annotations

from dataclasses import dataclass

DEFAULT_IMAGE = "python:3.13-slim"
"""Of a task that names none."""
BASE_REPOSITORY = "quickstarted/base"
"""Debian, bootstrapped once; every stand-in is built on it."""
OWN_REPOSITORY = "quickstarted/"
"""Never asked of a registry: somebody else may own that name there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandIn:
    """An image built on this machine from Debian's packages."""

    repository: str
    dockerfile: str
    """In `docker/`."""
    stands_for: frozenset[str]
    """Public names that it may replace where no registry serves them."""

    @property
    def tag(self) -> str:
        """Its newest build."""
        return f"{self.repository}:local"


SANDBOX_PYTHON = StandIn(
    repository="quickstarted/sandbox-python",
    dockerfile="sandbox-python.Dockerfile",
    stands_for=frozenset({DEFAULT_IMAGE, "python:3.13-slim-trixie"}),
)
SANDBOX_NODE = StandIn(
    repository="quickstarted/sandbox-node",
    dockerfile="sandbox-node.Dockerfile",
    stands_for=frozenset(
        {"node:20-slim", "node:20-trixie-slim", "node:20-bookworm-slim", "node:20-bullseye-slim"}
    ),
)
STAND_INS = (SANDBOX_PYTHON, SANDBOX_NODE)
"""In the order in which they are built."""


def familiar_name(name: str) -> str:
    """
    The short form of an image's name, tag included.

    Docker Hub's host and its `library/` may be written or left out, and a missing tag means
    `latest` (https://pkg.go.dev/github.com/distribution/reference, "familiar names").
    """
    for prefix in ("docker.io/", "index.docker.io/", "registry-1.docker.io/"):
        name = name.removeprefix(prefix)
    name = name.removeprefix("library/")
    has_tag = ":" in name.rpartition("/")[2] or "@" in name
    return name if has_tag else f"{name}:latest"


def repository_of(name: str) -> str:
    """The short form of an image's name without tag and digest."""
    familiar = familiar_name(name.partition("@")[0])
    return familiar.rpartition(":")[0]


def stand_in_for(name: str) -> StandIn | None:
    """The stand-in that may replace the image *name*, if there is one."""
    familiar = familiar_name(name)
    return next((each for each in STAND_INS if familiar in each.stands_for), None)
