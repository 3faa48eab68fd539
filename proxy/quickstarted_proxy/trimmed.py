"""
What is left out of mitmproxy and what is changed in it, in one place; pinned to one version.

Imported before anything else of mitmproxy. `mitmproxy.master` imports every addon through its
package `mitmproxy.addons`, and with them flask, ldap3, tornado and more; a stub package with the
same path lets the few needed ones be imported by name. A test fails when another version is
installed than the one that these changes were read against.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import types

MITMPROXY_VERSION = "12.3.1"

MAX_PIECE_BYTES = 512 * 1024
"""
One read from a socket. mitmproxy's own 64 KiB costs a third of the throughput, 256 KiB a tenth;
with 1 MiB no more was gained.
"""
MIN_PIECE_BYTES = 32 * 1024
_ALL_PIECES_BYTES = 4 * 1024 * 1024
"""
Shared out among connections: a connection holds about seven pieces (TLS both ways, HTTP, sockets),
and 200 of them must fit into 256 MiB.
"""

_UDP_IDLE_S = 2
"""How long the handler of one DNS client lives; mitmproxy's own 20 s pile up under many queries."""


def install() -> None:
    """Put the stub in place and change what cannot be changed through an option."""
    _stub_addons()
    from mitmproxy.proxy import server  # noqa: PLC0415 (only after the stub)

    server.UDP_TIMEOUT = _UDP_IDLE_S


def piece_bytes(connections: int) -> int:
    """How much one of so many connections reads at once."""
    share = _ALL_PIECES_BYTES // max(1, connections)
    return max(MIN_PIECE_BYTES, min(MAX_PIECE_BYTES, share))


def _stub_addons() -> None:
    if "mitmproxy.addons" in sys.modules:
        return
    spec = importlib.util.find_spec("mitmproxy")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("mitmproxy is not installed")
    stub = types.ModuleType("mitmproxy.addons")
    stub.__path__ = [os.path.join(path, "addons") for path in spec.submodule_search_locations]  # noqa: PTH118 (__path__ holds texts)
    sys.modules["mitmproxy.addons"] = stub
