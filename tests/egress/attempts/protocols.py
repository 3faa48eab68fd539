"""Bytes that are not what they should be."""

from __future__ import annotations

from egress.model import Attempt, Table, allowed, blocked, docs, failed


def _raw(name: str, data: str, detail: str = "not_http", target: str = "ok.test:443") -> Attempt:
    event = blocked(f"? {target}", detail)
    return Attempt(name, f"in_tunnel('{target}', {data})", "400", (event,))


RAW = Table(
    title="Something else than HTTP in an allowed tunnel",
    about="A tunnel carries TLS or HTTP. The rest is cut at its first bytes, before any connection"
    " to the host is made.",
    rows=(
        _raw("SSH", "b'SSH-2.0-OpenSSH_9.2\\r\\n'"),
        _raw("SSH to a port that the task names", "b'SSH-2.0-x\\r\\n'", target="raw.test:2222"),
        _raw("plain text", "b'EHLO mail.test\\r\\n'"),
        _raw("binary", "b'\\0\\0\\0\\x08\\x04\\xd2\\x16\\x2f'"),
        _raw("a DNS query", "b'\\0\\x1d\\0\\x01\\x01\\0\\0\\x01\\0\\0\\0\\0\\0\\0'"),
        _raw("HTTP/2 without TLS", "b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n'", "h2c"),
        Attempt(
            "SSH inside TLS",
            "in_tls('ok.test:443', b'SSH-2.0-x\\r\\n', 'ok.test')",
            "400",
            (blocked("? ok.test:443", "not_http"),),
        ),
        Attempt(
            "a tunnel inside TLS",
            "in_tls('ok.test:443', b'CONNECT unlisted.test:443 HTTP/1.1\\r\\n"
            "Host: unlisted.test:443\\r\\n\\r\\n', 'ok.test')",
            "400",
            (blocked("CONNECT unlisted.test:443", "malformed_request"),),
        ),
        Attempt(
            "TLS to a server that speaks another protocol",
            "https('raw.test:2222', host='raw.test:2222')",
            "502",
            (failed("GET raw.test:2222/", "upstream_tls"),),
        ),
        Attempt(
            "SSH to the proxy",
            "send(b'SSH-2.0-x\\r\\n')",
            "400",
            (blocked("? :8080", "not_http"),),
        ),
        Attempt(
            "SOCKS to the proxy",
            "send(b'\\x05\\x01\\x00')",
            "400",
            (blocked("? :8080", "not_http"),),
        ),
        Attempt(
            "TLS to the proxy",
            "send(b'\\x16\\x03\\x01\\x02\\0\\x01\\0\\x01\\xfc\\x03\\x03')",
            "400",
            (blocked("? :8080", "tls_to_proxy"),),
        ),
        Attempt(
            "plain HTTP to port 443",
            "send(request('GET', '/', 'ok.test'), door(443), end=False)",
            "400",
            (blocked("? :443", "not_tls", "https"),),
        ),
    ),
)

UPGRADES = Table(
    title="Switching protocols",
    about="What is spoken after a switch cannot be judged any more.",
    rows=(
        Attempt(
            "WebSocket",
            "websocket('ok.test:443')",
            "403 upgrade",
            (blocked("GET ok.test:443/websocket", "upgrade"),),
        ),
        Attempt(
            "WebSocket to a host for which the task opens it",
            "websocket('ws.test:443')",
            "101 and a frame",
            (allowed("GET ws.test:443/websocket", 101),),
        ),
        Attempt(
            "another protocol to that host",
            "https('ws.test:443', 'ws.test', 'ws.test', '/', 'Upgrade: raw')",
            "403 upgrade",
            (blocked("GET ws.test:443/", "upgrade"),),
        ),
        Attempt(
            "WebSocket to a documentation host",
            "websocket('docs.test:443')",
            "403 docs_host_requires_read_docs",
            (docs("GET docs.test:443/websocket"),),
        ),
        Attempt(
            "an unknown protocol",
            "get('http://ok.test/', 'ok.test', 'Upgrade: raw')",
            "403 upgrade",
            (blocked("GET ok.test:80/", "upgrade"),),
        ),
        Attempt(
            "a switch that the server makes by itself",
            "get('http://ok.test/switch')",
            "closed",
            (blocked("GET ok.test:80/switch", "upgrade"),),
            requests=1,
        ),
        Attempt("HTTP/2 in TLS, offered beside HTTP/1.1", "agreed('ok.test:443')", "http/1.1"),
        Attempt(
            "HTTP/2 to the proxy without TLS",
            "send(b'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n')",
            "400",
            (blocked("? :8080", "h2c"),),
        ),
        Attempt(
            "HTTP/2 (h2c), an offer that may be ignored",
            "get('http://ok.test/', 'ok.test', 'Upgrade: h2c')",
            "200",
            (allowed("GET ok.test:80/"),),
        ),
        Attempt(
            "QUIC, as the answer offers it (Alt-Svc)",
            "get('http://ok.test/altsvc')",
            "200",
            (allowed("GET ok.test:80/altsvc"),),
        ),
    ),
)


def _smuggled(name: str, *fields: str) -> Attempt:
    given = ", ".join(repr(field) for field in fields)
    do = f"get('http://ok.test/', 'ok.test', {given}, method='POST', body='0\\r\\n\\r\\n')"
    return Attempt(name, do, "400", (blocked("POST ok.test:80/", "malformed_request"),))


def _bad_line(name: str, data: str, what: str = "? :8080") -> Attempt:
    return Attempt(name, f"send({data})", "400", (blocked(what, "malformed_request"),))


SMUGGLING = Table(
    title="Smuggled requests",
    about="A message that two readers could read differently is not passed on.",
    rows=(
        _smuggled("length and chunks", "Content-Length: 3", "Transfer-Encoding: chunked"),
        _smuggled("two encodings", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
        _smuggled("an encoding that is none", "Transfer-Encoding: xchunked"),
        _smuggled("two lengths", "Content-Length: 3", "Content-Length: 4"),
        _smuggled("a negative length", "Content-Length: -1"),
        *(
            _bad_line(name, f"request('GET', 'http://ok.test/', 'ok.test', {field})")
            for name, field in (
                ("a folded field", r"'X-A: a\r\n Host: unlisted.test'"),
                ("a carriage return by itself", r"'X-A: a\rHost: unlisted.test'"),
                ("a NUL in a field", r"'X-A: \0'"),
            )
        ),
        _bad_line("a NUL in a path", r"request('GET', 'http://ok.test/a\0b', 'ok.test')"),
        Attempt(
            "a line feed by itself, with a second Host behind it",
            "get('http://ok.test/', 'ok.test', 'X-A: a\\nHost: unlisted.test')",
            "403 duplicate_host",
            (blocked("GET ok.test:80/", "duplicate_host"),),
        ),
        Attempt(
            "a chunk of no length",
            "get('http://ok.test/', 'ok.test', 'Transfer-Encoding: chunked', method='POST',"
            " body='zz\\r\\n')",
            "closed",
            (failed("POST ok.test:80/", "client_protocol"),),
        ),
        Attempt(
            "a chunk that is longer than it says",
            "get('http://ok.test/', 'ok.test', 'Transfer-Encoding: chunked', method='POST',"
            " body='3\\r\\nabcXX0\\r\\n\\r\\n')",
            "closed",
            (failed("POST ok.test:80/", "client_protocol"),),
        ),
        Attempt(
            "fields after a chunked body",
            "get('http://ok.test/', 'ok.test', 'Transfer-Encoding: chunked', method='POST',"
            " body='0\\r\\nX-A: b\\r\\n\\r\\n')",
            "closed",
            (failed("POST ok.test:80/", "unsupported_trailers"),),
        ),
        _bad_line("HTTP/2 in the first line", "b'GET / HTTP/2.0\\r\\nHost: ok.test\\r\\n\\r\\n'"),
        _bad_line(
            "two spaces in the first line", "b'GET  / HTTP/1.1\\r\\nHost: ok.test\\r\\n\\r\\n'"
        ),
        _bad_line(
            "a field without a colon",
            "b'GET http://ok.test/ HTTP/1.1\\r\\nno colon\\r\\n\\r\\n'",
        ),
        Attempt(
            "a refused request behind an allowed one",
            "send('GET http://ok.test/one HTTP/1.1\\r\\nHost: ok.test\\r\\n\\r\\n'"
            " + request('GET', 'http://unlisted.test/two', 'unlisted.test'), end=False)",
            "200, 403 host",
            (allowed("GET ok.test:80/one"), blocked("GET unlisted.test:80/two", "host")),
        ),
        Attempt(
            "a request in the body of another",
            "get('http://ok.test/', 'ok.test', 'Content-Length: 44', method='POST',"
            " body='GET http://unlisted.test/ HTTP/1.1\\r\\nHost: x\\r\\n')",
            "200",
            (allowed("POST ok.test:80/"),),
        ),
        Attempt(
            "headers without an end",
            "send(b'GET http://ok.test/ HTTP/1.1\\r\\nHost: ok.test\\r\\n'"
            " + b'X-A: b\\r\\n' * 60000)",
            "431",
            (blocked("? :8080", "headers_too_large"),),
        ),
        Attempt(
            "the method TRACE",
            "get('http://ok.test/', method='TRACE')",
            "403 method",
            (blocked("TRACE ok.test:80/", "method"),),
        ),
        Attempt(
            "a method of 40 letters",
            "get('http://ok.test/', method='M' * 40)",
            "403 method",
            (blocked("M" * 40 + " ok.test:80/", "method"),),
        ),
        Attempt(
            "a method of its own",
            "get('http://ok.test/', method='PURGE')",
            "200",
            (allowed("PURGE ok.test:80/"),),
        ),
    ),
)

TABLES = (RAW, UPGRADES, SMUGGLING)
