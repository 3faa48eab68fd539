"""Which images are made, and when a registry is asked at all."""

from __future__ import annotations

import pytest

from fakes.fake_engine import FakeEngine, serving
from fakes.fake_images import PULLS, image
from quickstarted.errors import ImageFault
from quickstarted.sandbox.images.bootstrap import BASE_KEY
from quickstarted.sandbox.images.provision import provide, pull_image, stand_in_recipe
from quickstarted.sandbox.images.sidecar import sidecar_recipe
from quickstarted.sandbox.images.standins import SANDBOX_NODE, SANDBOX_PYTHON


@pytest.fixture
def fake():
    return FakeEngine()


@pytest.fixture
def engine(fake):
    with serving(fake) as connected:
        yield connected


def ignore(line: str) -> None:
    """Nobody watches."""


def have(fake: FakeEngine, name: str, image_id: str) -> None:
    """Have an image with its own tag and as the newest of its repository."""
    fake.images.add(image_id, name, f"{name.partition(':')[0]}:local")


def built(fake: FakeEngine) -> list[str]:
    """Repositories whose image was built, in that order."""
    return [
        tag.partition(":")[0]
        for one in fake.images.all
        for tag in one["RepoTags"]
        if one["Id"].startswith("sha256:built") and not tag.endswith(":local")
    ]


def have_stand_ins(fake: FakeEngine) -> None:
    have(fake, f"quickstarted/base:{BASE_KEY}", "sha256:base")
    have(fake, stand_in_recipe(SANDBOX_PYTHON, "sha256:base").tag, "sha256:python")
    have(fake, stand_in_recipe(SANDBOX_NODE, "sha256:python").tag, "sha256:node")
    have(fake, sidecar_recipe("sha256:python").tag, "sha256:sidecar")


def test_nothing_is_built_and_no_registry_asked_when_all_are_here(fake, engine):
    have_stand_ins(fake)
    provide(engine, ignore)

    assert (built(fake), fake.images.pulls) == ([], [])


def test_where_the_public_image_is_here_only_the_sidecar_is_built(fake, engine):
    fake.images.add("sha256:public", "python:3.13-slim")
    provide(engine, ignore)

    assert (built(fake), fake.images.pulls) == (["quickstarted/sidecar"], [])


def test_the_public_image_is_pulled_where_a_registry_serves_it(fake, engine):
    fake.images.pull_answer = PULLS["good"]
    fake.images.pull_adds = image("sha256:public")
    provide(engine, ignore)

    assert (built(fake), fake.images.pulls) == (["quickstarted/sidecar"], ["python:3.13-slim"])


def test_where_no_registry_serves_the_stand_ins_are_built_on_the_base(fake, engine):
    have(fake, f"quickstarted/base:{BASE_KEY}", "sha256:base")
    lines: list[str] = []
    provide(engine, lines.append)

    assert built(fake)[0] == "quickstarted/sandbox-python"
    assert {"quickstarted/sandbox-node", "quickstarted/sidecar"} == set(built(fake)[1:])
    assert "making stand-ins from Debian's packages instead" in lines


def test_stand_ins_are_made_beside_the_public_image_on_demand(fake, engine):
    fake.images.add("sha256:public", "python:3.13-slim")
    have(fake, f"quickstarted/base:{BASE_KEY}", "sha256:base")
    provide(engine, ignore, stand_ins=True)

    assert len(built(fake)) == 3


def test_a_stand_in_cannot_be_pulled(fake, engine):
    with pytest.raises(ImageFault, match="made on this machine"):
        pull_image(engine, "quickstarted/sandbox-node:local", None, ignore)

    assert fake.images.pulls == []
