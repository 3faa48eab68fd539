"""The way to the service: over TLS with an authority of one's own, and through a proxy."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import bash, say
from fakes.model_attempts import KEY
from fakes.tls_front import TlsFront

NOBODY = "https://127.0.0.1:9"
SCRIPT = (bash("touch done"), say("Done."))


@pytest.fixture(name="front")
def _front(tmp_path, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "tls"
    folder.mkdir()
    with (
        ScriptedMessagesApi(SCRIPT, api_key=KEY) as api,
        TlsFront(folder, urlsplit(api.base_url).port) as front,
    ):
        yield front


def test_an_authority_that_the_machine_names_is_trusted(attempts, front, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(front.certificate))
    attempts.environ = {"ANTHROPIC_BASE_URL": f"https://127.0.0.1:{front.port}/"}

    attempted = attempts.run(done=False)

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    assert [""] == front.asked


def test_an_authority_that_nobody_names_is_not(attempts, front):
    attempts.environ = {"ANTHROPIC_BASE_URL": f"https://127.0.0.1:{front.port}"}

    attempted = attempts.run(done=False)

    assert ("model_unavailable", "infra_error") == attempted.ending
    assert "CERTIFICATE_VERIFY_FAILED" in attempted.result.fault.error


def test_the_machines_proxy_is_the_way_to_the_service(attempts, front, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(front.certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{front.port}")
    attempts.environ = {"ANTHROPIC_BASE_URL": NOBODY}

    attempted = attempts.run(done=False)

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    assert ["CONNECT 127.0.0.1:9 HTTP/1.1"] == front.asked


def test_no_proxy_names_what_is_reached_without_it(attempts, front, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{front.port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    attempts.environ = {"ANTHROPIC_BASE_URL": NOBODY}

    attempted = attempts.run(done=False)

    assert ("model_unavailable", "infra_error") == attempted.ending
    assert [] == front.asked
