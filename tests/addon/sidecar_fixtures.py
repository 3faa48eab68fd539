"""Fixtures of the end-to-end tests."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from echoes import EchoOrigin
from origins import Origin, make_contexts, write_names
from sidecar_process import SidecarProcess, policy, rule
from upstream_proxy import UpstreamProxyServer

POLICY = policy(
    rule("ok.test", 80, 443, 8080, 8443),
    rule("sub.ok.test"),
    rule("xn--bcher-kva.test"),
    rule("expired.test"),
    rule("selfsigned.test"),
    rule("wrongname.test"),
    rule("plaintext.test", 8080),
    rule("closed.test", 9),
    rule("missing.test"),
    rule("private.test"),
    rule("loopback.test"),
    rule("metadata.test"),
    rule("named.docs.test", explicit=True),
    docs=("docs.test",),
    private=(
        "ok.test",
        "xn--bcher-kva.test",
        "expired.test",
        "selfsigned.test",
        "wrongname.test",
        "plaintext.test",
        "closed.test",
        "loopback.test",
        "metadata.test",
    ),
)


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_left_open() -> Iterator[None]:
    """What a module forgets to close is told in that module, and not in the one that runs then."""
    yield
    gc.collect()


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def trust_pem(authority: trustme.CA) -> str:
    return authority.cert_pem.bytes().decode()


@pytest.fixture(scope="session", autouse=True)
def names() -> None:
    write_names()


@pytest.fixture(scope="session")
def tls_origin(authority: trustme.CA) -> Origin:
    return EchoOrigin(443, make_contexts(authority))


@pytest.fixture(scope="session")
def other_port(authority: trustme.CA) -> Origin:
    return Origin(8443, make_contexts(authority))


@pytest.fixture(scope="session")
def http_origin() -> Origin:
    return EchoOrigin(80)


@pytest.fixture(scope="session")
def alternative_http_origin() -> Origin:
    return Origin(8080)


@pytest.fixture(scope="session")
def upstream_proxy() -> UpstreamProxyServer:
    return UpstreamProxyServer(3128)


@pytest.fixture(scope="module")
def shared_sidecar(
    trust_pem: str,
    tls_origin: Origin,
    http_origin: Origin,
    other_port: Origin,
    alternative_http_origin: Origin,
) -> Iterator[SidecarProcess]:
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}).ready()
    yield process
    process.stop()
    assert [item["seq"] for item in process.reports] == list(range(len(process.reports)))


@pytest.fixture
def sidecar(shared_sidecar: SidecarProcess) -> SidecarProcess:
    """The module's sidecar; events of an earlier test do not show."""
    shared_sidecar.drain()
    return shared_sidecar


@pytest.fixture
def own_sidecar(trust_pem: str, tls_origin: Origin) -> Iterator[SidecarProcess]:
    """A sidecar that one test has for itself, on another address than the module's."""
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}, listen="127.0.0.2").ready()
    yield process
    process.stop()


@pytest.fixture
def confdir(tmp_path: Path) -> Path:
    return tmp_path / "conf"
