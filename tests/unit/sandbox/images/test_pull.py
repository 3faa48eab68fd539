"""Whose fault a failed pull is, and what a person sees of a pull."""

from __future__ import annotations

import pytest

from fakes.fake_engine import FakeEngine, serving
from fakes.fake_images import PULLS
from quickstarted.errors import ImageFault
from quickstarted.sandbox.images.pull import RegistryFault, _Layers, pull, same_platform


@pytest.fixture
def fake():
    return FakeEngine()


@pytest.fixture
def engine(fake):
    with serving(fake) as connected:
        yield connected


def test_a_registry_that_says_nothing_is_given_up(fake, engine):
    fake.images.hold_pulls.clear()

    with pytest.raises(RegistryFault, match="no answer in"):
        pull(engine, "app:1", first_answer_s=0.1)

    fake.images.hold_pulls.set()


def test_a_stream_that_ends_in_an_error_is_the_registrys_fault(fake, engine):
    fake.images.pull_answer = PULLS["limited-layer"]

    with pytest.raises(RegistryFault, match="toomanyrequests"):
        pull(engine, "app:1")


def test_a_platform_that_the_registry_does_not_list_is_the_images_fault(fake, engine):
    fake.images.pull_answer = PULLS["foreign"]
    fake.images.platforms = [
        {"os": "linux", "architecture": "s390x"},
        {"os": "unknown", "architecture": "unknown"},
    ]

    with pytest.raises(ImageFault, match=r"platform linux/amd64; it is made for linux/s390x\n"):
        pull(engine, "app:1")


def test_a_stream_that_breaks_although_the_platform_is_listed_is_the_registrys_fault(fake, engine):
    fake.images.pull_answer = PULLS["limited-layer"]
    fake.images.platforms = [{"os": "linux", "architecture": "amd64"}]

    with pytest.raises(RegistryFault):
        pull(engine, "app:1")


@pytest.mark.parametrize(
    ("wanted", "have", "same"),
    [
        ("linux/amd64", "linux/amd64", True),
        ("linux/amd64", "linux/arm64", False),
        ("linux/arm64", "linux/arm64/v8", True),
        ("linux/arm64/v8", "linux/arm64", True),
        ("linux/arm/v7", "linux/arm/v6", False),
        ("Linux/AMD64", "linux/amd64", True),
        ("windows/amd64", "linux/amd64", False),
    ],
)
def test_platforms_are_compared_as_far_as_both_say(wanted, have, same):
    assert same == same_platform(wanted, have)


def test_progress_counts_layers_and_bytes():
    layers = _Layers("app:1")
    for event in [
        {"status": "Pulling from library/app", "id": "1"},
        {"status": "Pulling fs layer", "id": "a"},
        {"status": "Pulling fs layer", "id": "b"},
        {"status": "Already exists", "id": "c"},
        {
            "status": "Downloading",
            "id": "a",
            "progressDetail": {"current": 1_500_000, "total": 3_000_000},
        },
        {
            "status": "Downloading",
            "id": "b",
            "progressDetail": {"current": 500_000, "total": 1_000_000},
        },
        {"status": "Download complete", "id": "b"},
        {"status": "Pull complete", "id": "b"},
        {"status": "Digest: sha256:00"},
    ]:
        layers.note(event)

    assert layers.line() == "app:1: 2 of 3 layers, 2.5 of 4.0 MB"
