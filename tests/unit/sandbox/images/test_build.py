"""When an image is what it should be, judged by the hash of what it was made from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.fake_engine import FakeEngine, serving
from quickstarted.sandbox.images.build import Recipe, ensure

LATEST = "quickstarted/test:local"
RECIPE_NOW = Recipe(
    repository="quickstarted/test",
    role="test",
    dockerfile="ARG BASE\nFROM ${BASE}\n",
    files={"a.txt": b"one"},
    base_id="sha256:aa",
)


def test_a_key_says_what_the_image_is_and_not_what_it_is_for():
    assert RECIPE_NOW.key == replace(RECIPE_NOW, role="other").key


@pytest.mark.parametrize(
    "change",
    [
        {"dockerfile": "FROM scratch\n"},
        {"files": {"a.txt": b"two"}},
        {"files": {"b.txt": b"one"}},
        {"files": {"a.txt": b"one", "b.txt": b""}},
        {"base_id": "sha256:bb"},
    ],
)
def test_whatever_goes_into_the_image_changes_the_key(change):
    assert RECIPE_NOW.key != replace(RECIPE_NOW, **change).key


def test_a_build_that_exists_is_found_by_its_tag_and_becomes_the_newest():
    fake = FakeEngine()
    fake.images.add("sha256:bb", LATEST)
    fake.images.add("sha256:cc", RECIPE_NOW.tag)
    with serving(fake) as engine:
        assert ensure(engine, RECIPE_NOW) == "sha256:cc"
        assert ensure(engine, RECIPE_NOW) == "sha256:cc"

    assert fake.images.named(LATEST) == "sha256:cc"
    assert (fake.asked("POST", "/images/.*/tag"), fake.asked("POST", "/build")) == (1, 0)


def test_what_is_missing_is_built_and_gets_both_names():
    fake = FakeEngine()
    with serving(fake) as engine:
        built = ensure(engine, RECIPE_NOW)

    assert built == fake.images.named(RECIPE_NOW.tag) == fake.images.named(LATEST)
    assert fake.asked("POST", "/build") == 1


@pytest.mark.parametrize(
    ("rival", "left"),
    [
        pytest.param("sha256:cc", ["sha256:cc"], id="ours is one too many"),
        pytest.param("sha256:mine", ["sha256:mine"], id="both are one, from the cache"),
    ],
)
def test_of_two_builds_at_once_the_first_one_named_counts(rival, left):
    def build_meanwhile():
        if rival != "sha256:mine":
            fake.images.add(rival)
        fake.images.tag(rival, {"repo": RECIPE_NOW.repository, "tag": RECIPE_NOW.key})

    fake = FakeEngine()
    fake.images.built_ids = iter(["sha256:mine"])
    fake.images.while_building = build_meanwhile
    with serving(fake) as engine:
        assert ensure(engine, RECIPE_NOW) == rival

    assert left == [one["Id"] for one in fake.images.all]
