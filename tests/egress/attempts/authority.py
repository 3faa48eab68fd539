"""Who a request says it is for: CONNECT target, server name of TLS, Host."""

from __future__ import annotations

from egress.model import Attempt, Table, allowed, blocked, docs

SERVER_NAME = Table(
    title="The server name in TLS",
    about="CONNECT target and server name (SNI) must be the same, and there must be one.",
    rows=(
        Attempt(
            "another host's name",
            "https('ok.test:443', sni='unlisted.test')",
            "403 sni_mismatch",
            (blocked("GET unlisted.test:443/", "sni_mismatch"),),
        ),
        Attempt(
            "a documentation host's name",
            "https('ok.test:443', sni='docs.test')",
            "403 sni_mismatch",
            (docs("GET docs.test:443/", "sni_mismatch"),),
        ),
        Attempt(
            "another allowed host's name",
            "https('ok.test:443', sni='sub.ok.test')",
            "403 sni_mismatch",
            (blocked("GET sub.ok.test:443/", "sni_mismatch"),),
        ),
        Attempt(
            "none",
            "https('ok.test:443', sni=None)",
            "403 no_sni",
            (blocked("GET ok.test:443/", "no_sni"),),
        ),
        Attempt(
            "none, by a program that knows no proxy",
            "direct('ok.test', sni=None)",
            "403 no_sni",
            (blocked("GET :443/", "no_sni", "https"),),
        ),
        Attempt(
            "an unlisted host's name to the sidecar's port 443",
            "direct('unlisted.test', at=SIDECAR)",
            "403 host",
            (blocked("GET unlisted.test:443/", "host", "https"),),
        ),
        Attempt(
            "an address as the name",
            "printf 'GET / HTTP/1.1\\r\\nHost: ok.test\\r\\nConnection: close\\r\\n\\r\\n' |"
            ' openssl s_client -quiet -proxy "${http_proxy##*/}" -connect ok.test:443'
            " -servername 127.0.0.1 2>/dev/null | head -1 | tr -d '\\r'",
            "HTTP/1.1 403 Forbidden",
            (blocked("GET 127.0.0.1:443/", "sni_mismatch"),),
            shell=True,
        ),
    ),
)

FRONTING = Table(
    title="Domain fronting",
    about="What is asked for inside TLS must be what TLS was opened for.",
    rows=(
        Attempt(
            "Host of an unlisted host",
            "https('ok.test:443', host='unlisted.test')",
            "403 host_mismatch",
            (blocked("GET unlisted.test:443/", "host_mismatch"),),
        ),
        Attempt(
            "Host of a documentation host",
            "https('ok.test:443', host='docs.test')",
            "403 host_mismatch",
            (docs("GET docs.test:443/", "host_mismatch"),),
        ),
        Attempt(
            "Host of another allowed host",
            "https('ok.test:443', host='sub.ok.test')",
            "403 host_mismatch",
            (blocked("GET sub.ok.test:443/", "host_mismatch"),),
        ),
        Attempt(
            "Host with another port",
            "https('ok.test:443', host='ok.test:8443')",
            "403 host_mismatch",
            (blocked("GET ok.test:443/", "host_mismatch"),),
        ),
        Attempt(
            "an absolute target for an unlisted host",
            "https('ok.test:443', path='https://unlisted.test/a')",
            "400",
            (blocked("? ok.test:443", "host_mismatch"),),
        ),
        Attempt(
            "an absolute target for the same host",
            "https('ok.test:443', path='https://OK.test:443/a')",
            "200",
            (allowed("GET ok.test:443/a"),),
        ),
        Attempt(
            "by a program that knows no proxy",
            "direct('ok.test', named='unlisted.test')",
            "403 host_mismatch",
            (blocked("GET unlisted.test:443/", "host_mismatch", "https"),),
        ),
        Attempt(
            "a second request on the connection, for an unlisted host",
            "in_tls('ok.test:443', b'GET /a HTTP/1.1\\r\\nHost: ok.test\\r\\n\\r\\n'"
            " + request('GET', '/b', 'unlisted.test').encode(), 'ok.test')",
            "200, 403 host_mismatch",
            (
                allowed("GET ok.test:443/a"),
                blocked("GET unlisted.test:443/b", "host_mismatch"),
            ),
        ),
        Attempt(
            "an allowed host inside a tunnel that was refused",
            "https('unlisted.test:443', host='ok.test')",
            "403 host_mismatch",
            (blocked("GET ok.test:443/", "host_mismatch"),),
        ),
    ),
)

HOST = Table(
    title="The Host header",
    about="There is one Host, and it is the host that the request is for.",
    rows=(
        Attempt(
            "of another host than the target",
            "get('http://ok.test/', 'unlisted.test')",
            "403 host_mismatch",
            (blocked("GET unlisted.test:80/", "host_mismatch"),),
        ),
        Attempt(
            "of a documentation host",
            "get('http://ok.test/', 'docs.test')",
            "403 host_mismatch",
            (docs("GET docs.test:80/", "host_mismatch"),),
        ),
        Attempt(
            "two, the second of an unlisted host",
            "get('http://ok.test/', 'ok.test', 'Host: unlisted.test')",
            "403 duplicate_host",
            (blocked("GET ok.test:80/", "duplicate_host"),),
        ),
        Attempt(
            "two, inside TLS",
            "https('ok.test:443', 'ok.test', 'ok.test', '/', 'Host: unlisted.test')",
            "403 duplicate_host",
            (blocked("GET ok.test:443/", "duplicate_host"),),
        ),
        Attempt(
            "two that are the same",
            "get('http://ok.test/', 'ok.test', 'Host: ok.test')",
            "403 duplicate_host",
            (blocked("GET ok.test:80/", "duplicate_host"),),
        ),
        Attempt(
            "none",
            "send(request('GET', 'http://ok.test/', ''), end=False)",
            "403 no_host",
            (blocked("GET ok.test:80/", "no_host"),),
        ),
        Attempt(
            "two hosts in one header",
            "get('http://ok.test/', 'ok.test, unlisted.test')",
            "403 host_mismatch",
            (blocked("GET ok.test, unlisted.test:80/", "host_mismatch"),),
        ),
        Attempt(
            "another port than the target",
            "get('http://ok.test/', 'ok.test:8080')",
            "403 host_mismatch",
            (blocked("GET ok.test:80/", "host_mismatch"),),
        ),
        Attempt(
            "X-Forwarded-Host of an unlisted host",
            "get('http://ok.test/', 'ok.test', 'X-Forwarded-Host: unlisted.test')",
            "200",
            (allowed("GET ok.test:80/"),),
        ),
        Attempt(
            "mitmproxy's own magic host",
            "get('http://mitm.it/')",
            "403 host",
            (blocked("GET mitm.it:80/", "host"),),
        ),
        Attempt(
            "an unlisted host to the sidecar's port 80",
            "send(request('GET', '/', 'unlisted.test'), door(80), end=False)",
            "403 host",
            (blocked("GET unlisted.test:80/", "host", "http"),),
        ),
    ),
)

TABLES = (SERVER_NAME, FRONTING, HOST)
