"""The calls about images that unit tests make of the fake engine, made of the real one too."""

from __future__ import annotations

import pytest

from contract.engines import MARK, refusal
from quickstarted.errors import ImageFault
from quickstarted.sandbox.images.build import Recipe, ensure
from quickstarted.sandbox.images.pull import RegistryFault, pull

pytestmark = pytest.mark.docker


def test_an_image_is_inspected_by_each_of_its_names_and_its_id(lab, api):
    repository = f"qs-test/{lab.mark}"
    made = lab.image(f"{repository}:1", f"{repository}-other:latest")
    names = [f"{repository}:1", f"docker.io/{repository}:1", f"{repository}-other", made]

    found = [api.inspect_image(name) for name in names]

    assert {made} == {one["Id"] for one in found}
    assert {f"{repository}:1", f"{repository}-other:latest"} == set(found[0]["RepoTags"])
    assert [] == found[0]["RepoDigests"]
    assert {"Os", "Architecture", "Size", "Config"} <= set(found[0])
    assert lab.mark == found[0]["Config"]["Labels"][MARK]
    assert "" == found[0]["Config"]["User"]


def test_a_name_that_no_image_can_have_is_a_400(api):
    assert 400 == refusal(api.inspect_image, "UPPER")[0]


def test_a_listing_by_name_leaves_out_the_other_names(lab, api):
    repository = f"qs-test/{lab.mark}"
    made = lab.image(f"{repository}:1", f"{repository}:2", f"{repository}-other:1")

    [by_name] = api.images(name=f"{repository}:1")
    [by_repository] = api.images(name=repository)
    none = api.images(name=f"{repository}:3")

    assert (made, [f"{repository}:1"]) == (by_name["Id"], by_name["RepoTags"])
    assert {f"{repository}:1", f"{repository}:2"} == set(by_repository["RepoTags"])
    assert {"Created", "Size", "Labels"} <= set(by_name)
    assert [] == none


def test_images_are_found_by_label_and_by_having_no_name(lab, api):
    named = lab.image(f"qs-test/{lab.mark}:1", labels={"colour": "red"})
    nameless = lab.image(f"qs-test/{lab.mark}:2", labels={"colour": "blue"})
    api.tag(named, f"qs-test/{lab.mark}", "2")
    mine = f"{MARK}={lab.mark}"

    both = api.images(filters={"label": mine})
    red = api.images(filters={"label": [mine, "colour=red"]})
    [dangling] = api.images(filters={"label": mine, "dangling": True})

    assert {named, nameless} == {one["Id"] for one in both}
    assert [named] == [one["Id"] for one in red]
    assert nameless == dangling["Id"]
    assert set(dangling["RepoTags"] or []) <= {"<none>:<none>"}


def test_a_name_moves_to_the_image_that_gets_it(lab, api):
    repository = f"qs-test/{lab.mark}"
    first, second = lab.image(f"{repository}:1"), lab.image(f"{repository}:2")

    api.tag(second, repository, "1")
    api.tag(second, repository, "1")

    assert second == api.inspect_image(f"{repository}:1")["Id"]
    assert {f"{repository}:1", f"{repository}:2"} == set(api.inspect_image(second)["RepoTags"])
    assert [] == api.inspect_image(first)["RepoTags"]


def test_removing_by_name_takes_the_name_and_with_the_last_one_the_image(lab, api):
    repository = f"qs-test/{lab.mark}"
    made = lab.image(f"{repository}:1", f"{repository}:2")

    api.remove_image(f"{repository}:1")
    kept = api.inspect_image(made)["RepoTags"]
    api.remove_image(f"{repository}:2")

    assert [f"{repository}:2"] == kept
    assert 404 == refusal(api.inspect_image, made)[0]


def test_removing_by_id_takes_an_image_of_one_name_and_not_of_two(lab, api):
    repository = f"qs-test/{lab.mark}"
    one_name = lab.image(f"{repository}:1")
    two_names = lab.image(f"{repository}:2", f"{repository}:3")

    api.remove_image(one_name)
    status, text = refusal(api.remove_image, two_names)

    assert 404 == refusal(api.inspect_image, one_name)[0]
    assert 409 == status
    assert "multiple repositories" in text


def test_an_image_that_a_container_was_made_from_is_not_removed(lab, api):
    name = f"qs-test/{lab.mark}:1"
    lab.image(name)
    lab.use_image(name)

    status, text = refusal(api.remove_image, name)

    assert 409 == status
    assert text.startswith("conflict: unable to remove repository reference")


def test_a_build_is_named_found_again_and_not_repeated(lab, api):
    base = lab.image(f"qs-test/{lab.mark}:base")
    recipe = Recipe(
        repository=f"qs-test/{lab.mark}-built",
        role="test",
        dockerfile=f'ARG BASE\nFROM ${{BASE}}\nLABEL {MARK}="{lab.mark}"\n',
        files={},
        base_id=base,
    )
    lines = []

    built = [ensure(lab.engine, recipe, progress=lines.append) for _ in range(2)]
    names = api.inspect_image(recipe.tag)["RepoTags"]
    for name in names:
        api.remove_image(name)

    assert built[0] == built[1] != base
    assert {recipe.tag, f"{recipe.repository}:local"} == set(names)
    assert [f"building {recipe.repository}"] == [line for line in lines if "building" in line]


PULLED = [
    ("good", None, None),
    ("absent", 404, ImageFault),
    ("invalid", 400, ImageFault),
    ("limited", 500, RegistryFault),
    ("broken", 500, RegistryFault),
    ("unreachable", 500, RegistryFault),
    ("limited-layer", None, RegistryFault),
    ("foreign", None, ImageFault),
]


@pytest.mark.parametrize(("what", "status", "fault"), PULLED)
def test_what_the_registry_does_comes_through_a_pull(lab, api, what, status, fault):
    name = lab.registry_does(what)

    def events():
        return list(api.pull(name, tag="1", stream=True, decode=True))

    assert status == refusal(events)[0]
    if status is None:
        told = events()
        assert {"status", "id"} <= set(told[0])
        assert [bool(fault)] == [{"error", "errorDetail"} <= set(told[-1])]
    if fault is None:
        pull(lab.engine, f"{name}:1")
        assert [f"{name}:1"] == api.inspect_image(f"{name}:1")["RepoTags"]
    else:
        with pytest.raises(fault):
            pull(lab.engine, f"{name}:1")


def test_the_registry_says_which_platforms_an_image_is_for(lab, api):
    name = lab.registry_does("foreign")

    found = api.inspect_distribution(f"{name}:1")

    assert [("linux", "s390x")] == [
        (each["os"], each["architecture"]) for each in found["Platforms"]
    ]


def test_a_registry_that_is_not_there_says_nothing_of_platforms(lab, api):
    name = lab.registry_does("unreachable")

    assert 500 == refusal(api.inspect_distribution, f"{name}:1")[0]
