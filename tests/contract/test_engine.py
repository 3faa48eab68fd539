"""
The calls that unit tests make of the fake engine, made of the real one too.

An answer that only the fake gives is a lie that unit tests would believe.
"""

from __future__ import annotations

import random
from ipaddress import IPv4Network

import pytest

from contract.engines import MARK, make_network, refusal

pytestmark = pytest.mark.docker

NONE = "0" * 64


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
