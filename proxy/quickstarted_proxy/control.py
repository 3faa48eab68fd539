"""
What harness and sidecar say to each other: one JSON object a line, each way.

Standard library only, shared by both sides. Standard input carries *orders*, standard output
*reports*; the end of standard input ends the sidecar. There is no other control channel.

Orders:

    {"order": "start", "listen": IP, "policy": {...}, "trust_pem": PEM or "",
     "upstream_proxies": {"http": URL, "https": URL, "no": "a,b"}, "secrets": [...]}
        The first line. Without it nothing listens. Answer: `ready`, or `refused` and exit.
        `package_cache`, which may be left out, is {"folder": PATH, "max_bytes": N, "immutable":
        [...], "indexes": [...]} (`immutable.ImmutableRule`, `index_hashes.IndexRule`).
    {"order": "attempt", "policy": {...}, "secrets": [...]}
        Another attempt uses this sidecar from now on. Answer: `attempt_ready`.
        `secrets` (`secrets_table.Secret`) may be left out; their values are in no other message.
        `models`, in both, are services of models that may be called (`model_apis.ModelApi`).
        `docs_door`, in both, is a host whose requests are the harness's to answer: see `docs_call`.
    {"order": "docs_answer", "id": N, "status": N, "content_type": TEXT, "body_b64": TEXT}
        The answer to a `docs_call`; it has no answer itself.
    {"order": "scope", "scope": N}
        What comes now belongs to command N; refused tunnels are closed. Answer: `scope`, written
        after every event that was known before it. With `"settle": true` requests still under way
        are reported first, as allowed with the bytes so far and `detail` "unfinished"; each is
        reported once only.
    {"order": "watch", "host": NAME}
        Ask the sidecar's own doors for a host that must be refused. Answer: `watch`, written after
        the events that this left.

Reports, each with `seq` (0, 1, 2, ... without a gap) and `ts` (epoch seconds, the sidecar's clock):

    {"report": "ready", "ca_pem": PEM, "truststore_b64": PKCS#12 of public roots and CA,
     "roots_pem": the public roots, "mitmproxy": VERSION}
    {"report": "refused", "error": TEXT}
    {"report": "attempt_ready"}
    {"report": "scope", "scope": N}
    {"report": "watch", "answers": {DOOR: {"status": N, "reason": TEXT, "detail": TEXT}}}
        A door that did not answer has {"error": TEXT} instead. `connect` is a CONNECT to the
        explicit door.
    {"report": "event", "event": {"type": "egress_...", "ts": ..., "scope": N, ...}}
        Fields as in `quickstarted.events`; `event.ts` is the moment of the decision.
    {"report": "model_call", "call": {"ts": ..., "host": ..., "vendor": ..., "path": ...,
     "status": N or null, "duration": S, "scope": N, "refused": TEXT, ...}}
        A call of a model has ended, whole or not, or was refused; the rest is `model_usage.Usage`.
        `refused` is empty, or says what for: `max_calls`, `max_tokens`, `hosted_tool:...`, `body`.
    {"report": "docs_call", "id": N, "method": TEXT, "path": TEXT, "content_type": TEXT,
     "body_b64": TEXT}
        A program in the sandbox asks the harness something; it waits for a `docs_answer`.
    {"report": "fault", "error": TEXT}
        The sidecar can no longer be relied on and exits.
"""

from __future__ import annotations

import json
from typing import Any

PROXY_PORT = 8080
DNS_PORT = 53
HTTP_PORT = 80
HTTPS_PORT = 443


def encode(message: dict[str, Any]) -> bytes:
    """One line; ASCII only, so that no control character or odd Unicode breaks it."""
    return json.dumps(message, ensure_ascii=True, separators=(",", ":")).encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """
    Read one line.

    Raises:
        ValueError: It is not a JSON object.

    """
    value = json.loads(line)
    if not isinstance(value, dict):
        raise ValueError(f"not a JSON object: {line[:200]!r}")  # noqa: TRY004 (bad data)
    return value
