"""Ranges that are never connected to, and those that a task may open."""

from __future__ import annotations

import pytest

from quickstarted_proxy.addresses import refused_range

OWN = "10.213.0.2"

PUBLIC = [
    "93.184.216.34",
    "203.0.113.80",
    "192.0.2.1",
    "198.51.100.7",
    "198.18.0.1",
    "11.0.0.1",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2001:db8::1",
    "::ffff:203.0.113.80",
]
LIFTABLE = ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "fd12::1"]
NEVER = [
    "0.0.0.0",
    "0.1.2.3",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "169.254.0.1",
    "168.63.129.16",
    "100.100.100.200",
    "192.0.0.192",
    "192.0.0.8",
    "192.88.99.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "2001:0:1::1",
    "2002:7f00:1::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "fd00:ec2::254",
    OWN,
    "::ffff:10.213.0.2",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_and_test_networks_are_used(address):
    assert refused_range(address, private_allowed=False, own=OWN) is None


@pytest.mark.parametrize("address", LIFTABLE)
def test_private_ranges_are_refused_until_the_task_opens_them(address):
    assert refused_range(address, private_allowed=False, own=OWN) is not None
    assert refused_range(address, private_allowed=True, own=OWN) is None


@pytest.mark.parametrize("address", NEVER)
@pytest.mark.parametrize("private_allowed", [False, True])
def test_ranges_that_nothing_opens(address, private_allowed):
    assert refused_range(address, private_allowed=private_allowed, own=OWN) is not None


@pytest.mark.parametrize("address", ["ok.test", "", "127.1", "0x7f000001"])
def test_only_numeric_addresses_are_judged(address):
    with pytest.raises(ValueError, match="does not appear to be"):
        refused_range(address, private_allowed=False, own=OWN)
