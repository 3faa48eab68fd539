"""When an image is what it should be, judged by the hash of what it was made from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quickstarted.sandbox.build import RECIPE, Recipe, is_current

RECIPE_NOW = Recipe(
    name="an image",
    role="test",
    dockerfile="ARG BASE\nFROM ${BASE}\n",
    files={"a.txt": b"one"},
    base_id="sha256:aa",
)


def test_equal_recipes_have_equal_keys_whatever_the_machine():
    assert RECIPE_NOW.key == replace(RECIPE_NOW, name="other", args={"MIRROR": "m"}).key


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


@pytest.mark.parametrize(
    ("image", "current"),
    [
        (None, False),
        ({"Config": {"Labels": None}}, False),
        ({"Config": {"Labels": {RECIPE: "0123456789abcdef"}}}, False),
        ({"Config": {"Labels": {RECIPE: RECIPE_NOW.key}}}, True),
    ],
)
def test_an_image_is_current_while_its_recipe_is(image, current):
    assert current == is_current(image, RECIPE_NOW)
