"""Claude on Bedrock and Vertex AI: the real clients, credentials and signatures, on loopback."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from fakes.cloud_claude import Bedrock, Vertex
from fakes.messages_api_replies import Error, bash, say
from fakes.model_attempts import HASTY, attempt_by
from fakes.model_attempts import TASK as BODY
from quickstarted.agents.claude.vendor import ClaudeVendor
from quickstarted.agents.claude.ways import Direct, way_to
from quickstarted.agents.model import ModelAgent
from quickstarted.errors import ModelRejected

PASSED = ("completed", "passed")
REJECTED = ("model_rejected", "harness_error")
AWS = ("AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")


@pytest.fixture(name="attempt")
def _attempt(tmp_path):
    """One attempt by a model, with variables beside those of the machine."""

    def attempt(model, environ):
        vendor = ClaudeVendor(model=model, environ=environ)
        agent = ModelAgent(name=f"claude:{model}", vendor=vendor, patience=HASTY)
        return attempt_by(agent, tmp_path, BODY)

    return attempt


@pytest.fixture(name="aws")
def _aws(monkeypatch, tmp_path):
    """Credentials as AWS's own tools find them, and no others."""
    for name in AWS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    def give(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return give


KEYS = {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": "secret"}
BEDROCK = "bedrock/eu.anthropic.claude-x-v1:0"


def test_bedrock_is_asked_by_model_and_signed_requests(attempt, aws):
    aws(**KEYS)
    with Bedrock([bash("touch done"), say("Done.")]) as api:
        environ = {"AWS_REGION": "eu-central-1", "ANTHROPIC_BEDROCK_BASE_URL": api.base_url}
        attempted = attempt(BEDROCK, environ)
    api.assert_done()

    assert PASSED == attempted.ending, attempted.result.fault
    assert (200, 40) == (
        attempted.result.tokens.input_tokens,
        attempted.result.tokens.output_tokens,
    )
    for request in api.requests:
        assert (
            "POST /model/eu.anthropic.claude-x-v1:0/invoke-with-response-stream"
            == f"{request.method} {request.path}"
        )
        signed = request.headers["authorization"]
        assert re.match(
            r"AWS4-HMAC-SHA256 Credential=AKIATEST/\d{8}/eu-central-1/bedrock/aws4_request,"
            r" SignedHeaders=.*host.*, Signature=[0-9a-f]{64}$",
            signed,
        )
        assert re.fullmatch(r"\d{8}T\d{6}Z", request.headers["x-amz-date"])
        assert "model" not in request.body
        assert request.body["anthropic_version"]
    assert api.requests[0].headers["authorization"] != api.requests[1].headers["authorization"]
    assert "claude:bedrock/eu.anthropic.claude-x-v1:0" == attempted.result.agent


def test_a_bearer_token_of_bedrocks_is_sent_as_it_is_and_kept_out_of_words(attempt, aws):
    with Bedrock([Error(403, message="no model for token-canary")]) as api:
        environ = {
            "AWS_REGION": "eu-central-1",
            "AWS_BEARER_TOKEN_BEDROCK": "token-canary",
            "ANTHROPIC_BEDROCK_BASE_URL": api.base_url,
        }
        attempted = attempt(BEDROCK, environ)

    assert REJECTED == attempted.ending
    assert "Bearer token-canary" == api.requests[0].headers["authorization"]
    assert "no model for [AWS_BEARER_TOKEN_BEDROCK]" in attempted.result.fault.error
    assert "the AWS credentials (in eu-central-1)" in attempted.result.fault.hint


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        ("throttlingException", PASSED),
        ("serviceUnavailableException", PASSED),
        ("internalServerException", PASSED),
    ],
)
def test_an_exception_in_bedrocks_stream_is_waited_for(attempt, aws, kind, ending):
    aws(**KEYS)
    trouble = {"type": kind, "message": "later"}
    with Bedrock([trouble, bash("touch done"), say("Done.")]) as api:
        environ = {"AWS_REGION": "eu-central-1", "ANTHROPIC_BEDROCK_BASE_URL": api.base_url}
        attempted = attempt(BEDROCK, environ)

    assert ending == attempted.ending, attempted.result.fault
    assert 1 == len(attempted.of_type("api_retry"))


@pytest.mark.parametrize(
    ("given", "environ", "said"),
    [
        ({}, {"AWS_REGION": "eu-central-1"}, "there are no AWS credentials"),
        (KEYS, {}, "none is set"),
        ({"AWS_PROFILE": "nobody"}, {"AWS_REGION": "x"}, "the AWS configuration cannot be used"),
        (
            KEYS,
            {"AWS_REGION": "x", "ANTHROPIC_BEDROCK_BASE_URL": "gate.example"},
            "ANTHROPIC_BEDROCK_BASE_URL is not the address of a service",
        ),
    ],
    ids=["no credentials", "no region", "no such profile", "no address"],
)
def test_what_bedrock_lacks_is_said_before_anything_starts(aws, monkeypatch, given, environ, said):
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    aws(**given)

    with pytest.raises(ModelRejected, match=said) as caught:
        ClaudeVendor(model=BEDROCK, environ=environ).prepare()
    assert caught.value.hint


class _Tokens(BaseHTTPRequestHandler):
    """Google's token service."""

    def do_POST(self):
        length = int(self.headers["content-length"])
        self.server.asked.append(self.rfile.read(length).decode())
        body = json.dumps(self.server.answer[1]).encode()
        self.send_response(self.server.answer[0])
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture(name="google")
def _google(tmp_path, monkeypatch):
    """A service account whose tokens come from loopback; what the token service answers."""
    server = HTTPServer(("127.0.0.1", 0), _Tokens)
    server.asked = []
    server.answer = (200, {"access_token": "ya29.canary", "expires_in": 3600})
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    account = {
        "type": "service_account",
        "project_id": "found-project",
        "client_email": "me@found-project.example",
        "token_uri": f"http://127.0.0.1:{server.server_address[1]}/token",
        "private_key": key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode(),
    }
    path = tmp_path / "account.json"
    path.write_text(json.dumps(account))
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
    for name in ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(
    ("named", "project"), [({}, "found-project"), ({"ANTHROPIC_VERTEX_PROJECT_ID": "mine"}, "mine")]
)
def test_vertex_is_asked_by_project_region_and_model_with_a_token(attempt, google, named, project):
    with Vertex([bash("touch done"), say("Done.")]) as api:
        environ = {
            "CLOUD_ML_REGION": "europe-west1",
            "ANTHROPIC_VERTEX_BASE_URL": f"{api.base_url}/v1",
            **named,
        }
        attempted = attempt("vertex/claude-x@20260101", environ)
    api.assert_done()

    assert PASSED == attempted.ending, attempted.result.fault
    path = (
        f"/v1/projects/{project}/locations/europe-west1/publishers/anthropic/models/"
        "claude-x@20260101:streamRawPredict"
    )
    assert [path] * 2 == [request.path.replace("%40", "@") for request in api.requests]
    assert ["Bearer ya29.canary"] * 2 == [one.headers["authorization"] for one in api.requests]
    assert 1 == len(google.asked)
    assert "model" not in api.requests[0].body


def test_google_credentials_that_are_not_taken_are_a_refusal(attempt, google):
    google.answer = (400, {"error": "invalid_grant", "error_description": "gone"})
    with Vertex([]) as api:
        environ = {"CLOUD_ML_REGION": "global", "ANTHROPIC_VERTEX_BASE_URL": api.base_url}
        attempted = attempt("vertex/claude-x", environ)

    assert REJECTED == attempted.ending
    assert "the Google credentials (project found-project, global)" in attempted.result.fault.hint
    assert [] == api.requests


def test_a_token_service_that_is_not_there_is_a_service_that_failed(attempt, google):
    google.server_close()
    with Vertex([]) as api:
        environ = {"CLOUD_ML_REGION": "global", "ANTHROPIC_VERTEX_BASE_URL": api.base_url}
        attempted = attempt("vertex/claude-x", environ)

    assert ("model_unavailable", "infra_error") == attempted.ending
    assert "the connection to the service failed (TransportError" in attempted.result.fault.error


@pytest.mark.parametrize(
    ("environ", "account", "said"),
    [
        ({}, None, "none is set"),
        ({"CLOUD_ML_REGION": "global"}, "nowhere.json", "there are no Google credentials"),
    ],
)
def test_what_vertex_lacks_is_said_before_anything_starts(
    google, monkeypatch, environ, account, said
):
    if account:
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", account)

    with pytest.raises(ModelRejected, match=said) as caught:
        ClaudeVendor(model="vertex/claude-x", environ=environ).prepare()
    assert caught.value.hint


@pytest.mark.parametrize(
    ("model", "gone", "extra"),
    [(BEDROCK, "boto3", "bedrock"), ("vertex/claude-x", "google.auth", "vertex")],
)
def test_the_extra_that_is_missing_is_named(model, gone, extra):
    program = (
        f"import sys; sys.modules[{gone!r}] = None\n"
        "from quickstarted.agents import agent_named\n"
        "from quickstarted.errors import ModelRejected\n"
        f"try: agent_named('claude:{model}').prepare()\n"
        "except ModelRejected as rejected: print(rejected)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert f"pip install 'quickstarted-harness[{extra}]'" in ran.stdout


@pytest.mark.parametrize("model", ["claude-x", "gate/claude-x", "bedrock", "a/bedrock/x"])
def test_other_models_go_to_the_messages_api(model):
    way, named = way_to(model, {})

    assert isinstance(way, Direct)
    assert model == named
