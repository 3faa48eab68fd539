"""A name that changes its mind: what was judged is what is connected to."""

from __future__ import annotations

from pathlib import Path

import pytest
from origins import ADDRESS
from sidecar_process import fetch, policy, rule

HOSTS = Path("/etc/hosts")
METADATA = "169.254.169.254"


@pytest.fixture
def resolves():
    """`resolves(name, address, ...)`: from now on that is what the name resolves to."""
    kept = HOSTS.read_text()

    def write(name, *addresses):
        # In place: the engine has mounted this file.
        HOSTS.write_text(kept + "".join(f"{address} {name}\n" for address in addresses))

    yield write
    HOSTS.write_text(kept)


def listed(*names):
    return policy(*(rule(name, 80, 443) for name in names), private=names)


def blocked(events):
    return [(e["type"], e.get("detail")) for e in events]


def test_a_name_that_moves_between_check_and_connection_gains_nothing(
    sidecar, http_origin, resolves
):
    sidecar.attempt(listed("moving.test"))
    resolves("moving.test", ADDRESS)
    first = fetch("http://moving.test/")
    resolves("moving.test", METADATA)
    second = fetch("http://moving.test/")

    assert (200, 200) == (first.status, second.status)
    assert [("egress_allowed", None)] * 2 == blocked(sidecar.drain_until(2))


def test_where_a_name_has_moved_is_judged_anew_in_another_attempt(sidecar, http_origin, resolves):
    sidecar.attempt(listed("moving.test"))
    resolves("moving.test", ADDRESS)
    fetch("http://moving.test/")
    sidecar.drain_until(1)
    resolves("moving.test", METADATA)
    sidecar.attempt(listed("moving.test"))
    answer = fetch("http://moving.test/")

    assert 403 == answer.status
    assert [("egress_blocked", "private_address")] == blocked(sidecar.drain_until(1))


@pytest.mark.parametrize("order", [(ADDRESS, METADATA), (METADATA, ADDRESS)])
def test_of_several_addresses_only_those_are_used_that_may_be(
    sidecar, http_origin, resolves, order
):
    sidecar.attempt(listed("mixed.test"))
    resolves("mixed.test", *order)

    assert 200 == fetch("http://mixed.test/").status
    assert [("egress_allowed", None)] == blocked(sidecar.drain_until(1))


@pytest.mark.parametrize("address", [METADATA, "127.0.0.1", "0.0.0.0", "100.100.100.200"])
def test_a_name_for_an_address_that_nothing_opens_is_refused(sidecar, resolves, address):
    sidecar.attempt(listed("odd.test"))
    resolves("odd.test", address)

    assert 403 == fetch("http://odd.test/").status
    assert [("egress_blocked", "private_address")] == blocked(sidecar.drain_until(1))
