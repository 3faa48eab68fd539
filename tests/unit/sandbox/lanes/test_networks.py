import threading
from ipaddress import IPv4Network

import pytest

from fakes.fake_engine import FakeEngine, serving
from quickstarted.errors import EngineFault, UsageError
from quickstarted.sandbox.lanes.networks import (
    DEFAULT_RANGE,
    LaneNetwork,
    NetworkCarver,
    closed_options,
    configured_range,
    egress_subnets,
    lane_subnets,
)

BRIDGE = "com.docker.network.bridge"


def carver(engine, address_range="10.213.0.0/16"):
    return NetworkCarver(engine, "run-1", IPv4Network(address_range))


def network(subnet):
    return {"Id": subnet, "Labels": {}, "IPAM": {"Config": [{"Subnet": subnet}]}}


def test_a_lane_network_is_internal_labelled_and_has_no_gateway_address():
    fake = FakeEngine()

    with serving(fake) as engine:
        carver(engine).create_lane()

    [made] = fake.objects["networks"]
    assert made["Internal"] is True
    assert made["Options"]["com.docker.network.enable_ipv6"] == "false"
    assert made["Options"][f"{BRIDGE}.inhibit_ipv4"] == "true"
    assert made["Labels"]["quickstarted.run"] == "run-1"
    assert made["Labels"]["quickstarted.role"] == "lane"


def test_the_egress_network_keeps_sidecars_apart_and_reaches_the_outside():
    fake = FakeEngine()

    with serving(fake) as engine:
        carver(engine).create_egress()

    [made] = fake.objects["networks"]
    assert not made.get("Internal")
    assert made["Options"][f"{BRIDGE}.enable_icc"] == "false"
    assert f"{BRIDGE}.inhibit_ipv4" not in made["Options"]


@pytest.mark.parametrize(
    ("major", "option", "value"),
    [
        (0, "inhibit_ipv4", "true"),
        (20, "inhibit_ipv4", "true"),
        (27, "inhibit_ipv4", "true"),
        (28, "gateway_mode_ipv4", "isolated"),
        (30, "gateway_mode_ipv4", "isolated"),
    ],
)
def test_the_gateway_address_is_left_away_in_the_words_of_the_engines_version(major, option, value):
    assert value == closed_options(major)[f"{BRIDGE}.{option}"]


@pytest.mark.parametrize("foreign", ["10.213.0.0/29", "10.213.0.0/28", "10.0.0.0/29", "fd00::/64"])
def test_subnets_of_other_networks_are_left_alone(foreign):
    fake = FakeEngine()
    fake.objects["networks"] = [network(foreign), {"Id": "host", "IPAM": {"Config": None}}]

    with serving(fake) as engine:
        made = carver(engine).create_lane()

    assert ":" in foreign or not made.subnet.overlaps(IPv4Network(foreign))
    assert made.subnet.subnet_of(DEFAULT_RANGE)


def test_a_subnet_that_another_process_took_in_between_is_passed_over():
    fake = FakeEngine()
    fake.hidden_subnets = ["10.213.0.0/29", "10.213.0.8/29"]

    with serving(fake) as engine:
        made = carver(engine).create_lane()

    assert IPv4Network("10.213.0.16/29") == made.subnet


def test_threads_never_get_the_same_subnet():
    with serving(FakeEngine()) as engine:
        shared = carver(engine)
        made = []
        threads = [
            threading.Thread(target=lambda: made.append(shared.create_lane().subnet))
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert len(set(made)) == 8


def test_an_exhausted_range_says_what_to_do():
    with serving(FakeEngine()) as engine:
        small = carver(engine, "10.99.0.0/26")
        for _ in range(4):
            small.create_lane()
        small.create_egress()
        with pytest.raises(EngineFault, match="no free subnet") as caught:
            small.create_lane()

    assert "quickstarted gc" in caught.value.hint
    assert "QUICKSTARTED_NETWORK_RANGE" in caught.value.hint


def test_a_lane_has_one_address_for_the_sidecar_and_four_for_sandboxes():
    lane = LaneNetwork("id", IPv4Network("10.213.0.8/29"))

    assert lane.sidecar_ip == "10.213.0.10"
    assert lane.sandbox_ips == ("10.213.0.11", "10.213.0.12", "10.213.0.13", "10.213.0.14")


@pytest.mark.parametrize("text", ["10.213.0.0/16", "192.168.100.0/24", "172.20.0.0/26"])
def test_lanes_and_egress_never_share_addresses(text):
    address_range = IPv4Network(text)
    lanes, egress = list(lane_subnets(address_range)), list(egress_subnets(address_range))

    assert not any(egress_net.overlaps(lanes[-1]) for egress_net in egress)
    assert all(subnet.subnet_of(address_range) for subnet in [*lanes, *egress])
    assert len(lanes) == len(egress)


def test_the_range_is_10_213_unless_the_variable_says_otherwise():
    assert configured_range({}) == DEFAULT_RANGE
    assert IPv4Network("10.5.0.0/20") == configured_range(
        {"QUICKSTARTED_NETWORK_RANGE": " 10.5.0.0/20 "}
    )


@pytest.mark.parametrize("text", ["10.213.0.1/16", "10.213.0.0/27", "nonsense", "8.8.0.0/16"])
def test_a_range_that_cannot_be_used_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match="QUICKSTARTED_NETWORK_RANGE") as caught:
        configured_range({"QUICKSTARTED_NETWORK_RANGE": text})

    assert "10.214.0.0/16" in caught.value.hint
