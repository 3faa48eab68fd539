"""The same commands through TCP and TLS, as with DOCKER_HOST or a Docker context."""

from __future__ import annotations

import ssl

import docker
import pytest

from fakes.containers import base_image, open_sandbox
from fakes.engine_relay import make_certificate, relay
from quickstarted.sandbox.engine import Engine

pytestmark = pytest.mark.docker


@pytest.fixture(params=["tcp", "tls"], name="remote")
def _remote(request, tmp_path, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)  # beats the engine's own in requests
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    if request.param == "tcp":
        with relay() as port:
            yield from connected(f"tcp://127.0.0.1:{port}", None)
        return
    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with relay(context) as port:
        tls = docker.tls.TLSConfig(ca_cert=str(certificate), verify=True)
        yield from connected(f"tcp://127.0.0.1:{port}", tls)


def connected(url, tls):
    engine = Engine(docker.DockerClient(base_url=url, tls=tls, version="auto"))
    yield engine
    engine.close()


def test_commands_run_through_a_remote_engine(remote, run):
    with open_sandbox(remote, base_image()) as sandbox:
        run(sandbox, "cd /tmp; x=1")
        state = run(sandbox, "sleep 300 & echo $PWD $x")
        much = run(sandbox, "head -c 30000000 /dev/zero | tr '\\0' a; echo end")
        ended = run(sandbox, "echo begun; sleep 300", timeout_s=0.7)
        died = run(sandbox, "kill -9 -1; sleep 5")
        after = run(sandbox, "echo $x")

    assert "/tmp 1\n" == state.output
    assert (30_000_004, True) == (much.output_bytes, much.output.endswith("aend\n"))
    assert (124, "begun\n") == (ended.exit_code, ended.output)
    assert "ended every process" in died.restarted
    assert "1\n" == after.output
