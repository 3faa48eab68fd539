"""Rules: this machine's Python, and what its variables say of proxies and certificates."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.doctor.facts import MachineFacts
from quickstarted.doctor.findings import Finding, error, not_applicable, ok, warning

TOLD_TO_THE_PROXY = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
BUNDLES_OF_OTHERS = ("CURL_CA_BUNDLE", "PIP_CERT", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS")
PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")


def judge_machine(facts: MachineFacts) -> Iterator[Finding]:
    """Versions and variables."""
    yield ok("machine", "versions", f"quickstarted {facts.harness} on Python {facts.python}")
    if facts.upstream_problem:
        yield error(
            "machine",
            "upstream",
            facts.upstream_problem,
            detail=facts.upstream_hint,
            fix=f"unset {facts.upstream_variable or 'SSL_CERT_FILE REQUESTS_CA_BUNDLE'}",
        )
    for name, value in facts.missing_files.items():
        if not facts.upstream_problem.startswith(name):
            yield warning(
                "machine",
                "missing-file",
                f"{name} names {value}, which is not there",
                fix=f"unset {name}",
            )
    if facts.upstream_variable not in TOLD_TO_THE_PROXY:
        yield _certificates(facts)
    yield _proxies(facts)


def _certificates(facts: MachineFacts) -> Finding:
    told = [name for name in TOLD_TO_THE_PROXY if name in facts.variables]
    if told:
        shown = ", ".join(f"{name}={facts.variables[name]}" for name in told)
        return ok("machine", "certificates", f"the proxy trusts what this machine trusts: {shown}")
    others = [name for name in BUNDLES_OF_OTHERS if name in facts.variables]
    if others:
        return warning(
            "machine",
            "certificates",
            f"{others[0]} is set, and the proxy reads only {' and '.join(TOLD_TO_THE_PROXY)}",
            detail="Where the network looks into TLS, hosts that are allowed will fail.",
            fix=f'export SSL_CERT_FILE="${others[0]}"',
        )
    return not_applicable("machine", "certificates", "no certificate authorities are named")


def _proxies(facts: MachineFacts) -> Finding:
    named = [name for name in PROXIES if name in facts.variables]
    if named:
        shown = ", ".join(f"{name}={facts.variables[name]}" for name in named)
        return ok("machine", "proxies", f"requests go out through {shown}")
    if "ALL_PROXY" in facts.variables:
        return warning(
            "machine",
            "proxies",
            "ALL_PROXY is set, and only HTTPS_PROXY and HTTP_PROXY are read",
            fix='export HTTPS_PROXY="$ALL_PROXY" HTTP_PROXY="$ALL_PROXY"',
        )
    return not_applicable("machine", "proxies", "no proxy is named")
