"""The engine's default network, as this machine has it."""

from __future__ import annotations

import socket

import psutil

from quickstarted.sandbox.engine import Engine


def bridge_address(engine: Engine) -> str:
    """
    The address of this machine that containers of the default network reach.

    It is asked of the interface: an engine that has just made it names no gateway until it is
    started again (seen with 20.10).
    """
    name = engine.api.inspect_network("bridge")["Options"]["com.docker.network.bridge.name"]
    addresses = psutil.net_if_addrs()[name]
    return next(one.address for one in addresses if one.family == socket.AF_INET)
