"""What is changed in mitmproxy."""

from __future__ import annotations

import sys

import pytest
from mitmproxy.proxy import server

from quickstarted_proxy import trimmed


@pytest.mark.parametrize(
    ("connections", "piece_kib"), [(0, 512), (1, 512), (8, 512), (16, 256), (200, 32), (9999, 32)]
)
def test_pieces_shrink_as_connections_grow(connections, piece_kib):
    assert piece_kib * 1024 == trimmed.piece_bytes(connections)


def test_clients_of_the_name_server_are_soon_forgotten():
    assert server.UDP_TIMEOUT < 5


def test_addons_that_are_not_needed_are_not_imported():
    import quickstarted_proxy.sidecar  # noqa: F401 (its import is what is tested)

    loaded = {name for name in sys.modules if name.startswith("mitmproxy.addons.")}
    assert loaded <= {
        f"mitmproxy.addons.{name}" for name in ("proxyserver", "tlsconfig", "termlog")
    }
    assert not {"flask", "ldap3", "tornado", "urwid", "mitmproxy.addons.onboarding"} & set(
        sys.modules
    )
