"""What a refused client reads."""

from __future__ import annotations

import pytest

from quickstarted_proxy.ledger import Target
from quickstarted_proxy.policy import Decision
from quickstarted_proxy.refusals import explain, headers, phrase

TARGET = Target(host="a.test", method="GET", via="explicit", port=8443, path="/")


def refusal(reason="not_allowlisted", detail=None, host="a.test"):
    return Decision(allowed=False, reason=reason, detail=detail, host=host)


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        (refusal("docs_host_requires_read_docs"), "a.test is a documentation host"),
        (refusal("docs_host_requires_read_docs", "sni_mismatch"), "read it with read_docs"),
        (refusal(detail="host"), "a.test is not on this task's list"),
        (refusal(detail="host"), "network.allow in the task file"),
        (refusal(detail="port"), '"a.test:8443" to network.allow'),
        (refusal(detail="ip_literal"), "only host names"),
        (refusal(detail="path"), "may not request this path of a.test"),
        (refusal(detail="path"), "network.paths in the task file"),
        (refusal(detail="path"), "Documentation is read with read_docs"),
        (refusal(detail="upgrade"), "network.websocket in the task file"),
        (refusal(detail="private_address"), "network.private"),
        (refusal(detail="something_new"), "a.test is not on this task's list"),
        (refusal(detail="host", host="{x}"), "{x} is not on"),
        (refusal(detail="host", host=""), "a.test is not on"),
    ],
)
def test_a_refusal_says_what_happened_and_what_to_do(decision, words):
    text = explain(TARGET, decision)

    assert text.startswith("quickstarted refused this request.\n")
    assert words in text
    assert text.endswith("\n")


@pytest.mark.parametrize(
    ("decision", "expected"),
    [
        (
            refusal("docs_host_requires_read_docs"),
            "a.test is a documentation host, read it with read_docs",
        ),
        (refusal(detail="host"), "a.test:8443 is not in network.allow"),
        (refusal(detail="port"), "a.test:8443 is not in network.allow"),
        (refusal(detail="ip_literal"), "ip_literal"),
        (refusal(detail="host", host="\u00e9\r\n"), "\\xe9??:8443 is not in network.allow"),
    ],
)
def test_the_phrase_of_a_refused_tunnel_is_one_ascii_line(decision, expected):
    assert "Forbidden: " + expected == phrase(TARGET, decision)


def test_headers_carry_reason_and_detail():
    assert {
        "Content-Type": "text/plain; charset=utf-8",
        "Cache-Control": "no-store",
        "X-Quickstarted-Reason": "not_allowlisted",
        "X-Quickstarted-Detail": "port",
    } == headers(refusal(detail="port"))
    assert "X-Quickstarted-Detail" not in headers(refusal())
