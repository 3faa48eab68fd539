"""Which images are made, and when a registry is asked at all."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, unquote

import pytest

from fakes.fake_engine import serving
from fakes.image_engine import ImageEngine, image
from quickstarted.errors import ImageFault
from quickstarted.sandbox.bootstrap import BASE_KEY
from quickstarted.sandbox.provision import provide, pull_image, stand_in_recipe
from quickstarted.sandbox.sidecar_image import sidecar_recipe
from quickstarted.sandbox.standins import SANDBOX_NODE, SANDBOX_PYTHON


class BuildingEngine(ImageEngine):
    """Builds whatever it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.builds = 0
        self.built: list[str] = []
        """Repositories whose image got its own tag."""

    def tag(self, image_id: str, repository: str, tag: str) -> None:
        """Give what was built its name."""
        if tag != "local":
            self.built.append(repository)
            self.have(f"{repository}:{tag}", image_id)
            self.local[image_id] = self.local[f"{repository}:{tag}"]

    def have(self, name: str, image_id: str) -> None:
        """Have an image with its own tag and as the newest of its repository."""
        latest = f"{name.partition(':')[0]}:local"
        known = image(image_id) | {"RepoTags": [name, latest], "Size": 1_000_000}
        self.local[name] = self.local[latest] = known

    def answer(self, method, path, query, body):
        asked = parse_qs(query)
        if path == "/images/json":
            filters = json.loads(asked["filters"][0])
            names = filters.get("reference", [])
            return 200, [self.local[name] for name in names if name in self.local]
        if path == "/build":
            self.builds += 1
            return 200, {"aux": {"ID": f"sha256:built{self.builds}"}}
        if path.endswith("/tag"):
            self.tag(unquote(path.split("/")[2]), asked["repo"][0], asked["tag"][0])
            return 201, {}
        return super().answer(method, path, query, body)


@pytest.fixture
def fake():
    return BuildingEngine()


@pytest.fixture
def engine(fake):
    with serving(fake) as connected:
        yield connected


def ignore(line: str) -> None:
    """Nobody watches."""


def have_stand_ins(fake: BuildingEngine) -> None:
    fake.have(f"quickstarted/base:{BASE_KEY}", "sha256:base")
    fake.have(stand_in_recipe(SANDBOX_PYTHON, "sha256:base").tag, "sha256:python")
    fake.have(stand_in_recipe(SANDBOX_NODE, "sha256:python").tag, "sha256:node")
    fake.have(sidecar_recipe("sha256:python").tag, "sha256:sidecar")


def test_nothing_is_built_and_no_registry_asked_when_all_are_here(fake, engine):
    have_stand_ins(fake)
    provide(engine, ignore)

    assert (fake.built, fake.pulls) == ([], [])


def test_where_the_public_image_is_here_only_the_sidecar_is_built(fake, engine):
    fake.local["python:3.13-slim"] = image("sha256:public")
    provide(engine, ignore)

    assert (fake.built, fake.pulls) == (["quickstarted/sidecar"], [])


def test_the_public_image_is_pulled_where_a_registry_serves_it(fake, engine):
    fake.pull_answer = (200, {"status": "done"})
    fake.pull_adds = image("sha256:public")
    provide(engine, ignore)

    assert (fake.built, fake.pulls) == (["quickstarted/sidecar"], ["python:3.13-slim"])


def test_where_no_registry_serves_the_stand_ins_are_built_on_the_base(fake, engine):
    fake.have(f"quickstarted/base:{BASE_KEY}", "sha256:base")
    lines: list[str] = []
    provide(engine, lines.append)

    assert fake.built[0] == "quickstarted/sandbox-python"
    assert {"quickstarted/sandbox-node", "quickstarted/sidecar"} == set(fake.built[1:])
    assert "making stand-ins from Debian's packages instead" in lines


def test_stand_ins_are_made_beside_the_public_image_on_demand(fake, engine):
    fake.local["python:3.13-slim"] = image("sha256:public")
    fake.have(f"quickstarted/base:{BASE_KEY}", "sha256:base")
    provide(engine, ignore, stand_ins=True)

    assert len(fake.built) == 3


def test_a_stand_in_cannot_be_pulled(fake, engine):
    with pytest.raises(ImageFault, match="made on this machine"):
        pull_image(engine, "quickstarted/sandbox-node:local", None, ignore)

    assert fake.pulls == []
