"""
The calls that unit tests make of the fake engine, made of the real one too.

An answer that only the fake gives is a lie that unit tests would believe.
"""

from __future__ import annotations

import random
from ipaddress import IPv4Network

import pytest

from contract.engines import MARK, make_network, open_lab, refusal
from quickstarted.errors import ImageFault
from quickstarted.sandbox.build import Recipe, ensure
from quickstarted.sandbox.pull import RegistryFault, pull

pytestmark = pytest.mark.docker

NONE = "0" * 64


@pytest.fixture(params=["real", "fake"], name="lab")
def _lab(request):
    with open_lab(request.param) as lab:
        yield lab


@pytest.fixture(name="api")
def _api(lab):
    return lab.engine.api


@pytest.fixture(name="subnets")
def _subnets():
    """Subnets outside the range that lanes are carved from, hardly anybody else's at this time."""
    return list(IPv4Network(f"10.{random.randrange(214, 250)}.0.0/16").subnets(new_prefix=29))[
        random.randrange(4000) :
    ]


def test_the_engine_says_what_it_is(api):
    version = api.version()

    assert {"Version", "ApiVersion", "Os", "Arch"} <= set(version)
    assert version["Version"].split(".")[0].isdigit()
    assert version["Arch"] in {"amd64", "arm64"}
    assert api.info()["Architecture"] in {"x86_64", "aarch64"}


def test_what_no_engine_has_is_a_404(api):
    response = api.get(api._url("/nothing"))

    assert (404, {"message": "page not found"}) == (response.status_code, response.json())


def test_a_network_is_listed_and_inspected_as_it_was_made(lab, api, subnets):
    made = make_network(lab, str(subnets[0]))

    [listed] = api.networks(filters={"label": f"{MARK}={lab.mark}"})
    inspected = api.inspect_network(made)

    for found in (listed, inspected):
        assert (made, True, {MARK: lab.mark}) == (found["Id"], found["Internal"], found["Labels"])
        assert [str(subnets[0])] == [config["Subnet"] for config in found["IPAM"]["Config"]]
    assert {} == inspected["Containers"]


@pytest.mark.parametrize("size", ["the same", "inside"])
def test_a_subnet_that_overlaps_is_refused_in_words_that_say_so(lab, subnets, size):
    make_network(lab, str(subnets[0]))
    wanted = subnets[0] if size == "the same" else next(subnets[0].subnets(new_prefix=30))

    status, text = refusal(make_network, lab, str(wanted))

    assert status in {400, 403}
    assert "overlaps" in text


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (["{mark}"], 2),
        (["{mark}", "second"], 1),
        (["{mark}", "second=yes"], 1),
        (["{mark}", "second=no"], 0),
        (["{mark}", "third"], 0),
    ],
)
def test_networks_are_found_by_all_labels_that_are_asked_for(lab, api, subnets, wanted, found):
    make_network(lab, str(subnets[0]))
    make_network(lab, str(subnets[1]), second="yes")
    labels = [label.format(mark=f"{MARK}={lab.mark}") for label in wanted]

    assert found == len(api.networks(filters={"label": labels}))


def test_a_network_that_a_container_is_on_is_not_removed(lab, api, subnets):
    made = make_network(lab, str(subnets[0]))
    lab.put_a_container_on(made)

    status, text = refusal(api.remove_network, made)

    assert 403 == status
    assert "active endpoints" in text


def test_a_container_is_found_by_its_label_and_removed(lab, api):
    made = lab.container()

    [listed] = api.containers(all=True, filters={"label": f"{MARK}={lab.mark}"})
    removed = refusal(api.remove_container, made, v=True, force=True)

    assert (made, lab.mark) == (listed["Id"], listed["Labels"][MARK])
    assert [name[0] for name in listed["Names"]] == ["/"]
    assert (None, "") == removed
    assert [] == api.containers(all=True, filters={"label": f"{MARK}={lab.mark}"})


def test_a_container_that_is_being_removed_is_a_conflict(lab, api):
    made = lab.container()

    heard = lab.removed_by_many(made, lambda: refusal(api.remove_container, made, force=True))

    assert {status for status, _ in heard} <= {None, 404, 409}
    assert any(status == 409 and "already in progress" in text for status, text in heard)


def test_who_waits_for_a_removal_is_told_of_its_end(lab, api):
    made = lab.container()

    def remove_and_wait():
        refusal(api.remove_container, made, force=True)
        waited = refusal(api.wait, made, condition="removed")
        return waited if waited[0] != 404 else (None, "")

    heard = lab.removed_by_many(made, remove_and_wait)

    assert {(None, "")} == set(heard)
    assert [] == api.containers(all=True, filters={"label": f"{MARK}={lab.mark}"})


def test_a_volume_is_found_by_its_label_and_removed(lab, api):
    made = lab.volume()

    [listed] = api.volumes(filters={"label": MARK})["Volumes"]
    removed = refusal(api.remove_volume, made, force=True)

    assert (made, {MARK: lab.mark}) == (listed["Name"], listed["Labels"])
    assert (None, "") == removed
    assert [] == (api.volumes(filters={"label": MARK})["Volumes"] or [])


def test_what_is_not_there_is_a_404(api):
    missing = {
        "network": refusal(api.inspect_network, NONE),
        "network's removal": refusal(api.remove_network, NONE),
        "container's removal": refusal(api.remove_container, NONE, force=True),
        "container's end": refusal(api.wait, NONE, condition="removed"),
        "image": refusal(api.inspect_image, "qs-test/none:1"),
        "image's id": refusal(api.inspect_image, f"sha256:{NONE}"),
        "image's removal": refusal(api.remove_image, "qs-test/none:1"),
        "image's name": refusal(api.tag, f"sha256:{NONE}", "qs-test/none", "1"),
        "volume": refusal(api.remove_volume, "qs-test-none", force=True),
    }

    assert dict.fromkeys(missing, 404) == {what: status for what, (status, _) in missing.items()}


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
