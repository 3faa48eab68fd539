"""Which setting a client that rejects the CA needs."""

import pytest

from quickstarted_proxy.ca_hints import GENERAL, ca_hint


@pytest.mark.parametrize(
    ("user_agent", "setting"),
    [
        ("curl/8.14.1", "set CURL_CA_BUNDLE to"),
        ("git/2.47.2", "set GIT_SSL_CAINFO to"),
        ("cargo/1.85.0", "set CARGO_HTTP_CAINFO to"),
        ("pip/25.0 {json}", "set PIP_CERT to"),
        ("python-requests/2.32.3", "set REQUESTS_CA_BUNDLE to"),
        ("python-httpx/0.28", "set SSL_CERT_FILE to"),
        ("Python-urllib/3.13", "set SSL_CERT_FILE to"),
        ("npm/10.9.2 node/v22 linux", "set NODE_EXTRA_CA_CERTS to"),
        ("undici", "set NODE_EXTRA_CA_CERTS to"),
        ("Deno/2.1", "set DENO_CERT to"),
        ("Go-http-client/1.1", "set SSL_CERT_FILE to"),
        ("Java/21.0.6", "JAVA_TOOL_OPTIONS"),
        ("Apache-Maven/3.9 (Java 21)", "JAVA_TOOL_OPTIONS"),
        ("Debian APT-HTTP/1.3 (3.0.3)", "Acquire::https::CaInfo"),
        ("aws-cli/2.0", "set AWS_CA_BUNDLE to"),
        ("reqwest/0.12", "no setting helps"),
        ("SomethingElse/1.0", GENERAL),
        ("", GENERAL),
    ],
)
def test_the_hint_names_the_setting_of_the_program(user_agent, setting):
    assert setting in ca_hint(user_agent)


@pytest.mark.parametrize(
    ("user_agent", "shown"),
    [
        ("curl/8.14.1 key=s3cret", "the client (curl/8.14.1) does not"),
        ("\x1b[31m", "the client does not"),
        ("", "the client does not"),
    ],
)
def test_of_what_the_client_says_of_itself_only_its_name_is_shown(user_agent, shown):
    assert ca_hint(user_agent).startswith(shown)
