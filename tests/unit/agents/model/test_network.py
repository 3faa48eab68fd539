"""The way to a service: over TLS with an authority of one's own, and through a proxy."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from fakes import gemini_api_replies, messages_api_replies, responses_api_replies
from fakes.messages_api_replies import Page
from fakes.model_attempts import CLAUDE, GEMINI, KEY, OPENAI, ModelAttempts
from fakes.tls_front import TlsFront

REPLIES = {
    CLAUDE: messages_api_replies,
    OPENAI: responses_api_replies,
    GEMINI: gemini_api_replies,
}
PASSED = ("completed", "passed")
UNAVAILABLE = ("model_unavailable", "infra_error")


@pytest.fixture(params=REPLIES, ids=lambda service: service.name, name="service")
def _service(request):
    return request.param


@pytest.fixture(name="attempts")
def _attempts(tmp_path, service):
    return ModelAttempts(tmp_path, service=service)


@pytest.fixture(name="front")
def _front(tmp_path, monkeypatch, service):
    for name in ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "tls"
    folder.mkdir()
    replies = REPLIES[service]
    script = (replies.bash("touch done"), replies.say("Done."))
    with (
        service.serve(script, api_key=KEY) as api,
        TlsFront(folder, urlsplit(api.base_url).port) as front,
    ):
        front.path = urlsplit(api.base_url).path
        yield front


def test_an_authority_that_the_machine_names_is_trusted(attempts, front, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(front.certificate))
    address = f"https://127.0.0.1:{front.port}{front.path}/"
    attempts.environ = {attempts.service.address_variable: address}

    attempted = attempts.run(done=False)

    assert PASSED == attempted.ending, attempted.result.fault
    assert [""] == front.asked


def test_an_authority_that_nobody_names_is_not(attempts, front):
    address = f"https://127.0.0.1:{front.port}"
    attempts.environ = {attempts.service.address_variable: address}

    attempted = attempts.run(done=False)

    assert UNAVAILABLE == attempted.ending
    assert "CERTIFICATE_VERIFY_FAILED" in attempted.result.fault.error


def test_the_machines_proxy_is_the_way_to_the_service(attempts, front, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(front.certificate))
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{front.port}")
    nobody = f"https://127.0.0.1:9{front.path}"
    attempts.environ = {attempts.service.address_variable: nobody}

    attempted = attempts.run(done=False)

    assert PASSED == attempted.ending, attempted.result.fault
    assert ["CONNECT 127.0.0.1:9 HTTP/1.1"] == front.asked


def test_no_proxy_names_what_is_reached_without_it(attempts, front, monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{front.port}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    attempts.environ = {attempts.service.address_variable: "https://127.0.0.1:9"}

    attempted = attempts.run(done=False)

    assert UNAVAILABLE == attempted.ending
    assert [] == front.asked


def test_no_redirect_is_followed_with_the_key(attempts):
    elsewhere = Page(status=307, headers={"location": "https://else.example/x"})

    attempted = attempts.run(elsewhere)

    assert ("model_rejected", "harness_error") == attempted.ending
    assert "it redirects to https://else.example/x" in attempted.result.fault.error
    assert attempts.service.address_variable in attempted.result.fault.hint
