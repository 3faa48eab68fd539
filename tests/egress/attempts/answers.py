"""What comes back, and what is sent along."""

from __future__ import annotations

from egress.model import Attempt, Table, allowed, blocked, failed


def _certificate(name: str, host: str) -> Attempt:
    return Attempt(
        name, f"https('{host}:443')", "502", (failed(f"GET {host}:443/", "upstream_tls"),)
    )


CERTIFICATES = Table(
    title="Certificates",
    about="The sidecar checks the server's certificate as a careful client would; nothing in the"
    " sandbox can ask it not to. A failure is an error, never a refusal.",
    rows=(
        _certificate("expired", "expired.test"),
        _certificate("signed by itself", "selfsigned.test"),
        _certificate("of another name", "wrongname.test"),
        Attempt(
            "a program that does not trust the sidecar",
            "untrusting('ok.test:443')",
            "certificate rejected",
            (failed("CONNECT ok.test:443", "client_rejected_ca"),),
        ),
        Attempt(
            "a program that does not trust the sidecar and knows no proxy",
            "direct('ok.test', trusting=False)",
            "certificate rejected",
            (failed("TLS ok.test:443", "client_rejected_ca", "https"),),
        ),
        Attempt(
            "the same to an unlisted host",
            "untrusting('unlisted.test:443')",
            "certificate rejected",
            (blocked("CONNECT unlisted.test:443", "client_rejected_ca"),),
        ),
    ),
)

FAILURES = Table(
    title="Servers that fail",
    about="The network's failures are errors, told apart from refusals and from clients that hang"
    " up. A transfer that broke looks broken to the client too.",
    rows=(
        Attempt(
            "nothing listens",
            "get('http://closed.test:9/')",
            "502",
            (failed("GET closed.test:9/", "connect_failed"),),
        ),
        Attempt(
            "a reset before the answer",
            "get('http://ok.test/reset')",
            "502",
            (failed("GET ok.test:80/reset", "upstream_reset"),),
            requests=1,
        ),
        Attempt(
            "an answer that is no HTTP",
            "get('http://ok.test/nothttp')",
            "502",
            (failed("GET ok.test:80/nothttp", "upstream_protocol"),),
            requests=1,
        ),
        Attempt(
            "an answer that ends too early",
            "broken('http://ok.test/short')",
            "200, cut",
            (failed("GET ok.test:80/short", "upstream_reset"),),
            requests=1,
        ),
        Attempt(
            "chunks that are none",
            "broken('http://ok.test/chunkerror')",
            "200, cut",
            (failed("GET ok.test:80/chunkerror", "upstream_protocol"),),
            requests=1,
        ),
        Attempt(
            "fields after the body",
            "broken('http://ok.test/trailers')",
            "200, cut",
            (failed("GET ok.test:80/trailers", "unsupported_trailers"),),
            requests=1,
        ),
        Attempt(
            "503",
            "get('http://ok.test/teapot')",
            "503",
            (allowed("GET ok.test:80/teapot", 503),),
        ),
        Attempt(
            "the client hangs up on an endless answer",
            "taken('http://ok.test/endless', 5_000_000)",
            "200",
            (failed("GET ok.test:80/endless", "client_disconnected"),),
            requests=1,
        ),
        Attempt(
            "the client hangs up on a stalled answer",
            "taken('http://ok.test/wait', 40)",
            "200",
            (failed("GET ok.test:80/wait", "client_disconnected"),),
            requests=1,
        ),
    ),
)

REDIRECTS = Table(
    title="Redirects",
    about="A redirect makes the client ask anew, and it is judged anew. The client here is Python's"
    " `urllib`, which follows them.",
    rows=(
        Attempt(
            "from an allowed host to an unlisted one",
            "follow('http://ok.test/redirect?to=http://unlisted.test/a')",
            "403 host",
            (
                allowed("GET ok.test:80/redirect?to=http://unlisted.test/a", 302),
                blocked("GET unlisted.test:80/a", "host"),
            ),
        ),
        Attempt(
            "to documentation",
            "follow('http://ok.test/redirect?to=https://docs.test/guide')",
            "403 docs_host_requires_read_docs",
            (
                allowed("GET ok.test:80/redirect?to=https://docs.test/guide", 302),
                blocked("GET docs.test:443/guide", reason="docs_host_requires_read_docs"),
            ),
        ),
        Attempt(
            "to the metadata service",
            "follow('http://ok.test/redirect?to=http://169.254.169.254/latest/')",
            "403 ip_literal",
            (
                allowed("GET ok.test:80/redirect?to=http://169.254.169.254/latest/", 302),
                blocked("GET 169.254.169.254:80/latest/", "ip_literal"),
            ),
        ),
        Attempt(
            "to another allowed host",
            "follow('http://ok.test/redirect?to=https://sub.ok.test/b')",
            "200",
            (
                allowed("GET ok.test:80/redirect?to=https://sub.ok.test/b", 302),
                allowed("GET sub.ok.test:443/b"),
            ),
        ),
    ),
)

UPLOADS = Table(
    title="Uploads",
    about="A refused upload is answered before its body is read, and nothing of it goes out.",
    rows=(
        Attempt(
            "to an allowed host",
            "upload('http://ok.test/', 1_000_000)",
            "200",
            (allowed("POST ok.test:80/"),),
        ),
        Attempt(
            "to an allowed host, in chunks",
            "upload('http://ok.test/', 300_000, chunked=True)",
            "200",
            (allowed("POST ok.test:80/"),),
        ),
        Attempt(
            "to an unlisted host",
            "upload('http://unlisted.test/', 300_000)",
            "403 host",
            (blocked("POST unlisted.test:80/", "host"),),
        ),
        Attempt(
            "to an unlisted host, in chunks",
            "upload('http://unlisted.test/', 300_000, chunked=True)",
            "403 host",
            (blocked("POST unlisted.test:80/", "host"),),
        ),
        Attempt(
            "to an unlisted host, by a client that waits to be let (Expect)",
            "waits('http://unlisted.test/', 300_000)",
            "403 host",
            (blocked("POST unlisted.test:80/", "host"),),
        ),
        Attempt(
            "to a private address",
            "upload('http://private.test/', 300_000)",
            "403 private_address",
            (blocked("POST private.test:80/", "private_address"),),
        ),
    ),
)

BUDGETS = Table(
    title="Budgets",
    about="What an attempt may send and receive in all can be limited; here to 200 kB and 300 kB."
    " A transfer that crosses the limit is cut, and looks cut to the client.",
    budgeted=True,
    rows=(
        Attempt(
            "send more than may be sent, receive more than may be received, then ask again",
            "', then '.join((upload('http://ok.test/', 1_000_000), broken('http://ok.test/endless'),"
            " get('http://ok.test/')))",
            "403 upload_budget, then 200, cut, then 403 download_budget",
            (
                failed("POST ok.test:80/", "upload_budget"),
                failed("GET ok.test:80/endless", "download_budget"),
                failed("GET ok.test:80/", "download_budget"),
            ),
            requests=1,
        ),
    ),
)

RECORD = Table(
    title="The record itself",
    about="What a client sends cannot forge a line of the record, break it, or put a secret in it.",
    rows=(
        Attempt(
            "control characters in a path",
            "send(b'GET /\\x1b[31m\\xff HTTP/1.1\\r\\nHost: ok.test\\r\\n'"
            " b'Connection: close\\r\\n\\r\\n', door(80), end=False)",
            "200",
            (allowed("GET ok.test:80/\x1b[31m\\xff", via="http"),),
        ),
        Attempt(
            "a line break in a path, escaped",
            "get('http://ok.test/%0a%7b%22type%22:%22run_end%22%7d')",
            "200",
            (allowed("GET ok.test:80/%0a%7b%22type%22:%22run_end%22%7d"),),
        ),
        Attempt(
            "a secret in a query",
            "get('http://ok.test/?token=hunter2&q=1')",
            "200",
            (allowed("GET ok.test:80/?token=REDACTED&q=1"),),
        ),
        Attempt(
            "bytes in a Host that are no text",
            "send(b'GET / HTTP/1.1\\r\\nHost: \\xff\\r\\nConnection: close\\r\\n\\r\\n', door(80),"
            " end=False)",
            "403 invalid_host",
            (blocked("GET \\xff:80/", "invalid_host", "http"),),
        ),
    ),
)

TABLES = (CERTIFICATES, FAILURES, REDIRECTS, UPLOADS, BUDGETS, RECORD)
