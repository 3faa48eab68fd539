"""What is changed in mitmproxy."""

from __future__ import annotations

import subprocess
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
    # In a process of its own: what other tests import is not the sidecar's.
    program = (
        "import sys; from quickstarted_proxy import trimmed; trimmed.install();"
        " import quickstarted_proxy.sidecar; print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    loaded = set(done.stdout.decode().split())

    assert {name for name in loaded if name.startswith("mitmproxy.addons.")} <= {
        f"mitmproxy.addons.{name}" for name in ("proxyserver", "tlsconfig", "termlog")
    }
    assert "quickstarted_proxy.sidecar" in loaded
    assert not {"flask", "ldap3", "tornado", "urwid", "mitmproxy.addons.onboarding"} & loaded
