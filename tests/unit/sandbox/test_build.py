"""When an image is what it should be, judged by the hash of what it was made from."""

from __future__ import annotations

import json
from dataclasses import replace
from urllib.parse import parse_qs, unquote

import pytest

from fakes.fake_engine import FakeEngine, serving
from quickstarted.sandbox.build import Recipe, ensure

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
    fake = BuildEngine()
    fake.images = [{"Id": "sha256:cc", "RepoTags": [RECIPE_NOW.tag]}]
    with serving(fake) as engine:
        assert ensure(engine, RECIPE_NOW) == "sha256:cc"
        assert ensure(engine, RECIPE_NOW) == "sha256:cc"

    assert fake.tagged == [("sha256:cc", "quickstarted/test", "local")]


class BuildEngine(FakeEngine):
    """Lists images by name and keeps what was tagged."""

    def __init__(self) -> None:
        super().__init__()
        self.images: list[dict[str, list[str] | str]] = []
        self.tagged: list[tuple[str, str, str]] = []

    def answer(self, method, path, query, body):
        if path.endswith("/tag"):
            asked = parse_qs(query)
            image_id = unquote(path.split("/")[2])
            self.tagged.append((image_id, asked["repo"][0], asked["tag"][0]))
            self.images[0]["RepoTags"].append(f"{asked['repo'][0]}:{asked['tag'][0]}")
            return 201, {}
        if path == "/images/json":
            names = json.loads(parse_qs(query)["filters"][0])["reference"]
            return 200, [each for each in self.images if names[0] in each["RepoTags"]]
        return super().answer(method, path, query, body)
