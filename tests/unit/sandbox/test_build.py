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


@pytest.mark.parametrize(
    ("rival", "left"),
    [
        pytest.param("sha256:cc", [], id="ours is one too many"),
        pytest.param("sha256:mine", [{"Id": "sha256:mine"}], id="both are one, from the cache"),
    ],
)
def test_of_two_builds_at_once_the_first_one_named_counts(rival, left):
    fake = BuildEngine()
    fake.named_meanwhile = {"Id": rival, "RepoTags": [RECIPE_NOW.tag], "Size": 1}
    fake.objects["images"] = [{"Id": "sha256:mine"}]
    with serving(fake) as engine:
        assert ensure(engine, RECIPE_NOW) == rival

    assert left == fake.objects["images"]


class BuildEngine(FakeEngine):
    """Lists images by name and keeps what was tagged."""

    def __init__(self) -> None:
        super().__init__()
        self.images: list[dict[str, list[str] | str]] = []
        self.tagged: list[tuple[str, str, str]] = []
        self.named_meanwhile: dict[str, list[str] | str] | None = None
        """Appears while a build runs."""

    def answer(self, method, path, query, body):
        if path.endswith("/tag"):
            asked = parse_qs(query)
            image_id = unquote(path.split("/")[2])
            self.tagged.append((image_id, asked["repo"][0], asked["tag"][0]))
            self.images[0]["RepoTags"].append(f"{asked['repo'][0]}:{asked['tag'][0]}")
            return 201, {}
        if path.endswith("/json") and path != "/images/json":
            return 200, self.images[0]
        if path == "/build":
            self.images.append(self.named_meanwhile)
            return 200, {"aux": {"ID": "sha256:mine"}}
        if path == "/images/json":
            names = json.loads(parse_qs(query)["filters"][0]).get("reference")
            if names is None:
                return 200, []
            return 200, [each for each in self.images if names[0] in each["RepoTags"]]
        return super().answer(method, path, query, body)
