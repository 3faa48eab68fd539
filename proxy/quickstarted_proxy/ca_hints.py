"""
Which setting makes a program trust the sandbox's authority; standard library only.

A program that rejects a certificate says nothing of itself. What is known of it is the User-Agent
of its CONNECT, where it sent one; what it offers in the handshake (ALPN) tells no program apart.
"""

from __future__ import annotations

import re

BUNDLE = "the sandbox's bundle ($SSL_CERT_FILE)"
GENERAL = (
    f"set SSL_CERT_FILE to {BUNDLE} (for curl CURL_CA_BUNDLE, for Node NODE_EXTRA_CA_CERTS, for "
    "Python requests REQUESTS_CA_BUNDLE, for Java -Djavax.net.ssl.trustStore)"
)
_JAVA = "name the sandbox's trust store in JAVA_TOOL_OPTIONS (-Djavax.net.ssl.trustStore=...)"
_APT = f"set Acquire::https::CaInfo to {BUNDLE} in /etc/apt/apt.conf.d"
_BUILT_IN = "it may have its certificates built in, and then no setting helps"

_PROGRAMS: tuple[tuple[str, str], ...] = (
    (r"curl/", "CURL_CA_BUNDLE"),
    (r"git/", "GIT_SSL_CAINFO"),
    (r"cargo", "CARGO_HTTP_CAINFO"),
    (r"pip/", "PIP_CERT"),
    (r"(python-)?(requests|urllib3)|poetry", "REQUESTS_CA_BUNDLE"),
    (r"uv/|python|aiohttp|httpx", "SSL_CERT_FILE"),
    (r"conda|mamba", "CONDA_SSL_VERIFY"),
    (r"node|npm|yarn|pnpm|undici|axios|got|bun", "NODE_EXTRA_CA_CERTS"),
    (r"deno", "DENO_CERT"),
    (r"go-http-client|go/|docker|ruby|bundler|dotnet|nuget|wget|php", "SSL_CERT_FILE"),
    (r"composer", "COMPOSER_CAFILE"),
    (r"aws-(cli|sdk)|boto", "AWS_CA_BUNDLE"),
    (r"google-cloud-sdk|gcloud", "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE"),
    (r"grpc", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"),
    (r"hex", "HEX_CACERTS_PATH"),
    (r"nix", "NIX_SSL_CERT_FILE"),
)
"""Begin of the User-Agent, in any case, and the variable that the program reads."""
_OTHERS: tuple[tuple[str, str], ...] = (
    (r"java|apache-(httpclient|maven)|gradle|okhttp|sbt", _JAVA),
    (r"debian apt|apt", _APT),
    (r"reqwest|rustls|hyper|ureq", _BUILT_IN),
)
_PRODUCT = re.compile(r"[A-Za-z][\w.+-]{0,39}(?:/[\w.+-]{1,20})?")


def ca_hint(user_agent: str) -> str:
    """What to do about a client that rejected the sandbox's CA, as far as the client is known."""
    product = _PRODUCT.match(user_agent)
    who = f"the client ({product[0]})" if product else "the client"
    return f"{who} does not trust the sandbox's CA: {_advice(user_agent)}"


def _advice(user_agent: str) -> str:
    for pattern, variable in _PROGRAMS:
        if re.match(pattern, user_agent, re.IGNORECASE):
            return f"set {variable} to {BUNDLE}"
    for pattern, text in _OTHERS:
        if re.match(pattern, user_agent, re.IGNORECASE):
            return text
    return GENERAL
