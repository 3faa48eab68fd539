"""What a CONNECT may name."""

from __future__ import annotations

from egress.model import Attempt, Table, allowed, blocked, docs


def _line(name: str, target: str, detail: str = "malformed_request") -> Attempt:
    """A request line that is not one."""
    sent = f"send('CONNECT {target} HTTP/1.1\\r\\nHost: ok.test\\r\\n\\r\\n')"
    return Attempt(name, sent, "400", (blocked("? :8080", detail),))


def _port(number: int) -> Attempt:
    target = f"ok.test:{number}"
    event = blocked(f"CONNECT {target}", "port")
    return Attempt(
        f"port {number} of an allowed host", f"connect('{target}')", "403 port", (event,)
    )


def _literal(name: str, host: str, port: int = 443) -> Attempt:
    event = blocked(f"CONNECT {host}:{port}", "ip_literal")
    return Attempt(name, f"connect('{host}:{port}')", "403 ip_literal", (event,))


def _other(name: str, host: str) -> Attempt:
    """A host that is not on the list; the refusal is told inside the tunnel."""
    event = blocked(f"GET {host}:443/", "host")
    return Attempt(name, f"https('{host}:443')", "403 host", (event,))


PORTS = Table(
    title="Other ports",
    about="An allowed host is allowed on 80 and 443, and on others only where the task names them.",
    rows=(
        *(_port(number) for number in (22, 25, 53, 2375, 8080)),
        Attempt(
            "port 8443 where the task names it",
            "https('ok.test:8443')",
            "200",
            (allowed("GET ok.test:8443/"),),
        ),
        Attempt(
            "port 53 of a public name server",
            "connect('dns.google:53')",
            "403 host",
            (blocked("CONNECT dns.google:53", "host"),),
        ),
        Attempt(
            "port 8080 with plain HTTP",
            "get('http://ok.test:8080/')",
            "403 port",
            (blocked("GET ok.test:8080/", "port"),),
        ),
        _line("port 65536", "ok.test:65536"),
        _line("port 0", "ok.test:0"),
        _line("port -1", "ok.test:-1"),
        _line("port +443", "ok.test:+443"),
        _line("no port", "ok.test"),
    ),
)

LITERALS = Table(
    title="Addresses in place of names",
    about="No spelling of an address is a host, whatever it leads to and whichever name does.",
    rows=(
        _literal("the cloud's metadata service", "169.254.169.254", 80),
        _literal("decimal", "2852039166"),
        _literal("hexadecimal", "0xa9fea9fe"),
        _literal("octal", "0177.0.0.1"),
        _literal("short", "127.1"),
        _literal("zero", "0"),
        Attempt(
            "IPv6",
            "connect('[::1]:443')",
            "403 ip_literal",
            (blocked("CONNECT ::1:443", "ip_literal"),),
        ),
        Attempt(
            "IPv4 inside IPv6",
            "connect('[::ffff:10.0.0.1]:443')",
            "403 ip_literal",
            (blocked("CONNECT ::ffff:10.0.0.1:443", "ip_literal"),),
        ),
        Attempt(
            "an allowed host's own address",
            "connect(ORIGIN + ':443')",
            "403 ip_literal",
            (blocked("CONNECT {origin}:443", "ip_literal"),),
        ),
        Attempt(
            "the sidecar's own address and port",
            "connect(SIDECAR + ':8080')",
            "403 ip_literal",
            (blocked("CONNECT {sidecar}:8080", "ip_literal"),),
        ),
        Attempt(
            "an address with plain HTTP",
            "get('http://169.254.169.254/latest/meta-data/')",
            "403 ip_literal",
            (blocked("GET 169.254.169.254:80/latest/meta-data/", "ip_literal"),),
        ),
        Attempt(
            "an address in the Host header of port 80",
            "send(request('GET', '/', '127.0.0.1'), door(80), end=False)",
            "403 ip_literal",
            (blocked("GET 127.0.0.1:80/", "ip_literal", "http"),),
        ),
        _line("full stops of another script", "127。0。0。1:443"),
    ),
)

NAMES = Table(
    title="Spellings of names",
    about="Names are compared label by label, in lower case, in their ASCII form.",
    rows=(
        Attempt("upper case", "https('OK.Test:443')", "200", (allowed("GET ok.test:443/"),)),
        Attempt(
            "a dot at the end",
            "https('ok.test.:443', sni='ok.test', host='ok.test')",
            "200",
            (allowed("GET ok.test:443/"),),
        ),
        _line("two dots at the end", "ok.test..:443"),
        _line("a dot in front", ".ok.test:443"),
        _other("an allowed name as the end of a longer label", "evilok.test"),
        _other("an allowed name as the beginning of another", "ok.test.evil.test"),
        _other("a host below one that is allowed", "deep.ok.test"),
        Attempt(
            "a host below one that is allowed with all its subdomains",
            "https('a.wild.test:443')",
            "200",
            (allowed("GET a.wild.test:443/"),),
        ),
        _other("a look-alike of another script", "xn--k-0tb.test"),
        Attempt(
            "a name in its ASCII form",
            "https('xn--bcher-kva.test:443')",
            "200",
            (allowed("GET xn--bcher-kva.test:443/"),),
        ),
        Attempt(
            "data as a label below an unlisted host",
            "https('c2VjcmV0.unlisted.test:443')",
            "403 host",
            (blocked("GET c2vjcmv0.unlisted.test:443/", "host"),),
        ),
        _line("a user before the host", "ok.test@unlisted.test:443"),
        _line("an escaped letter", "%6fk.test:443"),
        _line("a NUL", "ok.test\\0.unlisted.test:443"),
        _line("a space", "ok.test .unlisted.test:443"),
        _line("a label of 64 letters", "a" * 64 + ".test:443"),
        Attempt(
            "254 letters",
            "connect('.'.join(['a' * 50] * 5) + ':443')",
            "403 invalid_host",
            (blocked("CONNECT " + ".".join(["a" * 50] * 5) + ":443", "invalid_host"),),
        ),
        Attempt(
            "a user before the host, with plain HTTP",
            "get('http://ok.test@unlisted.test/', 'ok.test')",
            "400",
            (blocked("? :8080", "malformed_request"),),
        ),
        Attempt(
            "an underscore",
            "connect('a_b.unlisted.test:8443')",
            "403 host",
            (blocked("CONNECT a_b.unlisted.test:8443", "host"),),
        ),
        Attempt(
            "a relay in the sandbox that chains to the sidecar",
            "relayed('ok.test:22')",
            "403 port",
            (blocked("CONNECT ok.test:22", "port"),),
        ),
    ),
)

DOCUMENTATION = Table(
    title="Documentation",
    about="A documentation host is open to `read_docs` only, unless the task names it itself.",
    rows=(
        Attempt(
            "over TLS",
            "https('docs.test:443')",
            "403 docs_host_requires_read_docs",
            (docs("GET docs.test:443/"),),
        ),
        Attempt(
            "with plain HTTP",
            "get('http://docs.test/guide')",
            "403 docs_host_requires_read_docs",
            (docs("GET docs.test:80/guide"),),
        ),
        Attempt(
            "by a program that knows no proxy",
            "direct('docs.test')",
            "403 docs_host_requires_read_docs",
            (docs("GET docs.test:443/", via="https"),),
        ),
        Attempt(
            "a host below it",
            "https('api.docs.test:443')",
            "403 docs_host_requires_read_docs",
            (docs("GET api.docs.test:443/"),),
        ),
        Attempt(
            "a host below it that the task names",
            "https('named.docs.test:443')",
            "200",
            (allowed("GET named.docs.test:443/", reason="explicit_network_override"),),
        ),
        Attempt(
            "another port",
            "connect('docs.test:8443')",
            "403 docs_host_requires_read_docs",
            (docs("CONNECT docs.test:8443"),),
        ),
    ),
)

PATHS = Table(
    title="Paths",
    about="Of a registry only what package managers ask for is open, so that it cannot serve"
    " documentation. Here `/simple/**` and `/pypi/*/json` of one host.",
    rows=(
        Attempt(
            "a path that is open",
            "https('registry.test:443', path='/simple/six/')",
            "200",
            (allowed("GET registry.test:443/simple/six/"),),
        ),
        *(
            Attempt(
                name,
                f"https('registry.test:443', path='{path}')",
                "403 path",
                (blocked(f"GET registry.test:443{path}", "path"),),
            )
            for name, path in (
                ("a project's page", "/project/six/"),
                ("out of an open folder by dots", "/simple/../project/six/"),
                ("out of it by encoded dots", "/simple/%2e%2e/project/six/"),
                ("out of it by an encoded slash", "/simple/..%2fproject/six/"),
                ("with an empty segment", "//project/simple/"),
            )
        ),
        Attempt(
            "with plain HTTP",
            "get('http://registry.test/project/six/')",
            "403 path",
            (blocked("GET registry.test:80/project/six/", "path"),),
        ),
    ),
)

TABLES = (PORTS, LITERALS, NAMES, DOCUMENTATION, PATHS)
