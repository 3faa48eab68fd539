"""What a client reads when it is refused: what happened, why, and what to do."""

from __future__ import annotations

from quickstarted_proxy.ledger import Target
from quickstarted_proxy.policy import Decision
from quickstarted_proxy.wording import printable_host

PLAIN_TEXT = "text/plain; charset=utf-8"
REASON_HEADER = "X-Quickstarted-Reason"
DETAIL_HEADER = "X-Quickstarted-Detail"

_READ_DOCS = (
    "{host} is a documentation host. The shell cannot fetch documentation:\n"
    "read it with read_docs, which takes the page's URL.\n"
)
_NOT_LISTED = (
    "{host} is not on this task's list of hosts that the shell may reach.\n"
    "If the documented path needs it, the task's author adds it to network.allow in the task "
    "file.\n"
)
_PORT = (
    "Port {port} of {host} is not open to the shell: without a port a host is allowed on 80 and "
    "443.\n"
    'If the documented path needs it, the task\'s author adds "{host}:{port}" to network.allow in '
    "the task file.\n"
)
_PATH = (
    "The shell may not request this path of {host}: of a package registry it gets what installs\n"
    "need, and no pages. Documentation is read with read_docs.\n"
    "If the documented path needs it, the task's author adds a pattern to network.paths in the "
    "task file.\n"
)
_DETAILS = {
    "port": _PORT,
    "path": _PATH,
    "model_path": "Of the model's service {host}, only calls of models are passed on.\n",
    "ip_literal": "Addresses are not allowed, only host names that the task lists.\n",
    "invalid_host": "The host is not a valid name.\n",
    "no_host": "The request does not say which host it is for.\n",
    "no_sni": "The TLS connection does not say which host it is for (no SNI).\n",
    "sni_mismatch": "The TLS server name is not the host that the connection was opened for.\n",
    "host_mismatch": "The Host header is not the host that the connection was opened for.\n",
    "duplicate_host": "The request has more than one Host header.\n",
    "method": "The method {method} is not passed on.\n",
    "upgrade": "Switching protocols is not passed on to {host}.\nIf the documented path needs a "
    "WebSocket, the task's author adds the host to network.websocket in the task file.\n",
    "private_address": "{host} resolves to a private address, which the shell may not reach.\n"
    "If that is meant, the task's author adds the host to network.private in the task file.\n",
    "secret": "The request holds a placeholder that stands for a secret of this task. {host} is "
    "not one of the\nhosts that get the secret, or the request is not encrypted (https).\nIf the "
    "documented path needs it, the task's author adds the host under `secrets` in the task file.\n",
    "policy_exception": "The proxy could not judge the request and refuses it.\n",
}


def explain(target: Target, decision: Decision) -> str:
    """The body of a refusal, plain text in a few lines."""
    host = printable_host(decision.host or target.host or "(no host)")
    if decision.reason == "docs_host_requires_read_docs":
        text = _READ_DOCS
    else:
        text = _DETAILS.get(decision.detail or "", _NOT_LISTED)
    return "quickstarted refused this request.\n" + text.format(
        host=host, port=target.port, method=target.method
    )


def phrase(target: Target, decision: Decision) -> str:
    """
    The reason phrase for a refused CONNECT, ASCII.

    Clients drop the body of that answer; Python, Go and others print the phrase, curl only the
    number.
    """
    host = printable_host(decision.host or target.host)
    if decision.reason == "docs_host_requires_read_docs":
        text = f"{host} is a documentation host, read it with read_docs"
    elif decision.detail in {"host", "port"}:
        text = f"{host}:{target.port} is not in network.allow"
    else:
        text = decision.detail or "refused"
    plain = text.encode("ascii", "backslashreplace").decode("ascii")
    return "Forbidden: " + "".join(c if c.isprintable() else "?" for c in plain)


def headers(decision: Decision) -> dict[str, str]:
    """Headers of a refusal."""
    fields = {
        "Content-Type": PLAIN_TEXT,
        "Cache-Control": "no-store",
        REASON_HEADER: decision.reason or "not_allowlisted",
    }
    if decision.detail:
        fields[DETAIL_HEADER] = decision.detail
    return fields
