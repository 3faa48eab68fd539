"""The HostConfig of a sandbox, and the report of its limits."""

from __future__ import annotations

import pytest

from quickstarted.sandbox.container.hardening import (
    CAPABILITIES,
    POLLED,
    host_config,
    limits_report,
)
from quickstarted.sandbox.container.spec import ContainerSpec
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.protocol import ImageIdentity, Resources

IMAGE = ImageIdentity(
    requested="x", image_id="sha256:1", digest=None, architecture="amd64", user=""
)


@pytest.fixture(name="engine")
def _engine():
    """An engine that has been asked about itself already."""
    engine = Engine(client=None)
    engine.__dict__["info"] = {"KernelVersion": "elsewhere", "PidsLimit": False, "SwapLimit": False}
    return engine


def spec(**changes):
    return ContainerSpec(run_id="r", image=IMAGE, labels={}, **changes)


def test_everything_is_taken_away_but_what_package_managers_need(engine):
    config = host_config(engine, spec(), storage_limit=True)

    assert ["ALL"] == config["CapDrop"]
    assert list(CAPABILITIES) == config["CapAdd"]
    assert ["no-new-privileges:true"] == config["SecurityOpt"]
    assert "none" == config["NetworkMode"]
    assert {"net.ipv6.conf.all.disable_ipv6": "1"} == config["Sysctls"]
    assert not {"Binds", "Mounts", "PortBindings", "Devices"} & set(config)


def test_limits_become_the_engines_and_swap_adds_nothing(engine):
    limits = Resources(memory_bytes=64, cpus=1.5, pids=10, disk_bytes=1000)
    config = host_config(engine, spec(resources=limits), storage_limit=True)

    assert (64, 64, 1_500_000_000, 10) == (
        config["Memory"],
        config["MemorySwap"],
        config["NanoCpus"],
        config["PidsLimit"],
    )
    assert {"size": "1000"} == config["StorageOpt"]
    assert "StorageOpt" not in host_config(engine, spec(resources=limits), storage_limit=False)


def test_limits_that_are_not_set_are_the_engines_own(engine):
    none = Resources(memory_bytes=None, pids=None)
    config = host_config(engine, spec(resources=none), storage_limit=True)

    assert not {"Memory", "MemorySwap", "NanoCpus", "PidsLimit", "StorageOpt"} & set(config)


def test_the_lane_may_add_and_win(engine):
    config = host_config(engine, spec(host_config={"IpcMode": "none"}), storage_limit=True)

    assert "none" == config["IpcMode"]


def test_a_limit_that_the_kernel_cannot_keep_is_reported_with_the_reason(engine):
    report = limits_report(engine, Resources(disk_bytes=5), disk=POLLED)

    assert {"asked": 1000, "not_enforced": "the engine's kernel lacks PidsLimit"} == report["pids"]
    assert 4 * 1024**3 == report["memory_bytes"]
    assert "not_enforced" in report["swap"]
    assert (5, "polled") == (report["disk_bytes"], report["disk_kept_by"])
