import pytest

from fakes.attempts import egress_allowed, egress_blocked
from quickstarted.authoring.recording.refusals import Refusals


@pytest.fixture(name="told")
def _told():
    return []


def test_a_host_is_told_once_and_kept_in_order(told):
    refusals = Refusals(told.append)
    for host in ("b.example", "a.example", "b.example"):
        refusals.take(egress_blocked(host))
    refusals.take(egress_allowed("pypi.org"))

    assert ("b.example", "a.example") == refusals.hosts
    assert [
        f"refused: {host} is not on the allowlist; --allow {host} lets it through"
        for host in ("b.example", "a.example")
    ] == told


def test_documentation_is_told_and_not_offered(told):
    refusals = Refusals(told.append)
    for _ in range(2):
        refusals.take(egress_blocked("docs.example", reason="docs_host_requires_read_docs"))

    assert () == refusals.hosts
    assert ["refused: docs.example is documentation: read it in your browser"] == told


def test_a_page_of_a_registry_is_told_and_its_host_is_not_offered(told):
    refusals = Refusals(told.append)
    for path in ("/a/b", "/a/b", "/a/c"):
        refusals.take(egress_blocked("github.com", detail="path", path=path))

    assert () == refusals.hosts
    assert [
        f"refused: {path} of github.com is not open; network.paths of the task opens it"
        for path in ("/a/b", "/a/c")
    ] == told


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost", "_http._tcp.deb.example", "a b", "::1"])
def test_what_no_task_could_allow_is_not_offered(told, host):
    refusals = Refusals(told.append)
    refusals.take(egress_blocked(host))

    assert ((), []) == (refusals.hosts, told)
