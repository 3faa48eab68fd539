"""The same commands through TCP and TLS, as with DOCKER_HOST or a Docker context."""

from __future__ import annotations

import ssl
import threading

import docker
import pytest

from fakes.containers import RUN_ID, base_image, open_sandbox
from fakes.egress import QuietEgress
from fakes.engine_relay import EngineRelay, make_certificate
from quickstarted.errors import EngineFault
from quickstarted.sandbox.container.sandbox import ContainerSpec, DockerSandbox, create_container
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images.resolve import resolve
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.protocol import Limits

pytestmark = pytest.mark.docker


@pytest.fixture(params=["tcp", "tls"], name="remote")
def _remote(request, tmp_path, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)  # beats the engine's own in requests
    monkeypatch.delenv("CURL_CA_BUNDLE", raising=False)
    if request.param == "tcp":
        with EngineRelay() as relay:
            yield from connected(relay, None)
        return
    certificate, key = make_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with EngineRelay(tls=context) as relay:
        tls = docker.tls.TLSConfig(ca_cert=str(certificate), verify=True)
        yield from connected(relay, tls)


def connected(relay, tls):
    client = docker.DockerClient(base_url=relay.docker_host, tls=tls, version="auto")
    engine = Engine(client)
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


def test_an_engine_that_dies_during_a_command_is_a_fault_and_no_result(engine):
    spec = ContainerSpec(
        run_id=RUN_ID, image=resolve(engine, base_image()), labels=labels(RUN_ID, "sandbox")
    )
    container_id = create_container(engine, spec)
    try:
        with EngineRelay() as relay:
            through = next(remote := connected(relay, None))
            sandbox = DockerSandbox(through, container_id, spec, QuietEgress())
            sandbox.start()
            threading.Timer(0.5, relay.die).start()
            with pytest.raises(EngineFault, match="no container engine answers"):
                sandbox.bash("echo begun; sleep 60", Limits(timeout_s=50))
            sandbox.close()
            next(remote, None)
    finally:
        engine.api.remove_container(container_id, force=True)
