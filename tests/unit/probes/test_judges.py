"""Judgements that no machine at hand brings about; the rest is held in tests/contract."""

import pytest

from quickstarted.events import EgressAllowed, EgressBlocked, EgressError
from quickstarted.probes import PROBES, Seen, Situation
from quickstarted.sandbox.protocol import Resources

SITUATION = Situation(
    nonce="n",
    allowed_host="pypi.org",
    allowed_path="/",
    host_addresses=("192.0.2.1",),
    outside=(("192.0.2.1", 443),),
    resources=Resources(memory_bytes=None, cpus=0.5, pids=None),
    user="7:7",
    min_disk_bytes=2048,
)
PASSED = EgressAllowed(ts=1.0, host="pypi.org", port=443, method="GET", path="/")
FAILED = EgressError(
    ts=1.0, host="pypi.org", error="no route", method="GET", detail="connect_failed"
)
LOOKED_UP = EgressBlocked(ts=1.0, host="n.example.com", reason="not_allowlisted", method="DNS")


def judged(name, output, *, events=(), heard=()):
    [probe] = [one for one in PROBES if one.name == name]
    seen = Seen(output=output, events=events, situation=SITUATION, heard=heard)
    return probe.judge(seen).state.value


@pytest.mark.parametrize(
    ("name", "output", "events", "state"),
    [
        ("allowed-host", "200 page", [PASSED], "holds"),
        ("allowed-host", "502 Bad Gateway", [FAILED], "unclear"),
        ("allowed-host", "503 busy", [PASSED], "unclear"),
        ("allowed-host", "200 page", [], "broken"),
        ("allowed-host", "no tool", [], "not_applicable"),
        ("refused-host", "no tool", [], "not_applicable"),
        ("refused-host", "403 go away", [], "broken"),
        ("refused-host", "403 see network.allow", [], "broken"),
        ("host-unreachable", "192.0.2.1 unreachable", [], "holds"),
        ("host-unreachable", "192.0.2.1 refused", [], "broken"),
        ("host-unreachable", "192.0.2.1 no tool", [], "not_applicable"),
        ("host-unreachable", "", [], "unclear"),
        ("no-foreign-names", "foreign none\nexisting none", [LOOKED_UP], "holds"),
        ("no-foreign-names", "foreign none\nexisting 93.184.216.34", [LOOKED_UP], "broken"),
        ("no-foreign-names", "foreign none\nexisting none", [], "broken"),
        ("no-foreign-names", "foreign no tool\nexisting no tool", [], "not_applicable"),
        ("no-name-server", "127.0.0.11 rcode 3\n1.1.1.1 silence", [LOOKED_UP], "holds"),
        ("no-name-server", "127.0.0.11 rcode 3\n1.1.1.1 silence", [], "broken"),
        ("no-name-server", "127.0.0.11 silence\n1.1.1.1 rcode 0", [LOOKED_UP], "broken"),
        ("ipv6-off", "none", [], "holds"),
        ("trust-curl", "none", [], "not_applicable"),
        ("trust-curl", "", [], "broken"),
        ("memory-limit", "max", [], "not_applicable"),
        ("cpu-limit", "50000 100000", [], "holds"),
        ("cpu-limit", "max 100000", [], "broken"),
        ("open-files", "unlimited", [], "broken"),
        ("disk-room", "overlay 9 7 2 80% /", [], "holds"),
        ("disk-room", "overlay 9 8 1 90% /", [], "broken"),
        ("disk-room", "", [], "unclear"),
        ("capabilities", "CapBnd: 0000000000000000", [], "holds"),
        ("capabilities", "", [], "broken"),
        ("nothing-mounted", "/data\nend", [], "broken"),
        ("nothing-mounted", "", [], "broken"),
        ("plain-user", "uid 7\nclosed /root", [], "broken"),
        ("plain-user", "uid 7", [], "holds"),
    ],
)
def test_each_probe_judges_what_its_script_may_print(name, output, events, state):
    assert state == judged(name, output, events=events)


def test_what_arrived_at_the_host_counts_whatever_the_sandbox_says():
    assert "broken" == judged("host-unreachable", "192.0.2.1 unreachable", heard=("192.0.2.1",))
