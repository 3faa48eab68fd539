"""The same with the programs that people use, and with the settings that switch a proxy off."""

from __future__ import annotations

from egress.model import Attempt, Table, allowed, blocked

_BARE = "env -u http_proxy -u https_proxy -u HTTP_PROXY -u HTTPS_PROXY"
_STATUS = "$INSIDE/status.py"


def _shell(name: str, script: str, saw: str, *events: str) -> Attempt:
    return Attempt(name, script, saw, events, shell=True)


def _lookup(host: str) -> str:
    return blocked(f"DNS {host}", "host", "dns")


SETTINGS = Table(
    title="Proxy settings switched off",
    about="Without its variables a program connects to what the name resolves to, which is the"
    " sidecar: the same policy on another port. The client is Python's `urllib`.",
    rows=(
        _shell(
            "variables unset, an allowed host",
            f"{_BARE} python3 {_STATUS} https://ok.test/",
            "200",
            allowed("GET ok.test:443/", via="https"),
        ),
        _shell(
            "variables unset, plain HTTP",
            f"{_BARE} python3 {_STATUS} http://ok.test/",
            "200",
            allowed("GET ok.test:80/", via="http"),
        ),
        _shell(
            "variables unset, an unlisted host",
            f"{_BARE} python3 {_STATUS} https://unlisted.test/",
            "no such name",
            _lookup("unlisted.test"),
        ),
        _shell(
            "`NO_PROXY=*`, an allowed host",
            f"NO_PROXY='*' no_proxy='*' python3 {_STATUS} https://ok.test/",
            "200",
            allowed("GET ok.test:443/", via="https"),
        ),
        _shell(
            "`NO_PROXY=*`, a documentation host",
            f"NO_PROXY='*' no_proxy='*' python3 {_STATUS} https://docs.test/",
            "403 docs_host_requires_read_docs",
            blocked("GET docs.test:443/", via="https", reason="docs_host_requires_read_docs"),
        ),
        _shell(
            "an empty environment",
            f"env -i PATH=$PATH python3 {_STATUS} https://ok.test/",
            "200",
            allowed("GET ok.test:443/", via="https"),
        ),
        _shell(
            "an unlisted name written into /etc/hosts",
            "cp /etc/hosts /tmp/hosts;"
            ' printf "%s unlisted.test\\n" "${http_proxy##*/}" | sed "s/:8080//" >> /etc/hosts;'
            f" {_BARE} python3 {_STATUS} https://unlisted.test/; cat /tmp/hosts > /etc/hosts",
            "403 host",
            blocked("GET unlisted.test:443/", "host", "https"),
        ),
        _shell(
            "another name server in /etc/resolv.conf",
            "cp /etc/resolv.conf /tmp/resolv; echo nameserver 127.0.0.11 > /etc/resolv.conf;"
            f" {_BARE} python3 {_STATUS} https://other.unlisted.test/;"
            " cat /tmp/resolv > /etc/resolv.conf",
            "no such name",
            _lookup("other.unlisted.test"),
        ),
    ),
)

PROGRAMS = Table(
    title="Programs",
    about="What is in Debian's and Python's base images.",
    rows=(
        _shell(
            "pip, an allowed index",
            "pip download -q --no-cache-dir --no-deps --retries 0 -i https://ok.test/simple nothing"
            " >/dev/null 2>&1; echo $?",
            "1",
            allowed("GET ok.test:443/simple/nothing/"),
        ),
        _shell(
            "pip, an unlisted index",
            "pip download -q --no-cache-dir --no-deps --retries 0 -i https://unlisted.test/simple"
            " nothing >/dev/null 2>&1; echo $?",
            "1",
            blocked("GET unlisted.test:443/simple/nothing/", "host"),
        ),
        _shell(
            "pip with a trusted host and no proxy",
            f"{_BARE} pip download -q --no-cache-dir --no-deps --retries 0"
            " --trusted-host unlisted.test -i https://unlisted.test/simple nothing"
            " >/dev/null 2>&1; echo $?",
            "1",
            _lookup("unlisted.test"),
        ),
        _shell(
            "apt, an unlisted mirror",
            "mkdir -p /tmp/lists; echo 'deb http://unlisted.test/debian x main'"
            " > /tmp/one.list; apt-get update -q -o Dir::Etc::SourceList=/tmp/one.list"
            " -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists=/tmp/lists"
            " -o APT::Update::Error-Mode=any -o Acquire::Retries=0 >/dev/null 2>&1; echo $?",
            "100",
            blocked("GET unlisted.test:80/debian/dists/x/InRelease", "host"),
        ),
        _shell(
            "openssl, straight to port 443",
            "printf 'GET / HTTP/1.1\\r\\nHost: unlisted.test\\r\\nConnection: close\\r\\n\\r\\n' |"
            " openssl s_client -quiet -connect ok.test:443 -servername unlisted.test 2>/dev/null |"
            " head -1 | tr -d '\\r'",
            "HTTP/1.1 403 Forbidden",
            blocked("GET unlisted.test:443/", "host", "https"),
        ),
        _shell(
            "perl, a socket of its own",
            'perl -MIO::Socket::INET -e \'$s = IO::Socket::INET->new(PeerAddr => "ok.test:80");'
            ' print $s "GET / HTTP/1.0\\r\\nHost: unlisted.test\\r\\n\\r\\n";'
            " print((split / /, <$s>)[1])'",
            "403",
            blocked("GET unlisted.test:80/", "host", "http"),
        ),
        _shell(
            "bash, a socket of its own",
            "bash -c 'exec 3<>/dev/tcp/ok.test/80; printf \"GET / HTTP/1.0\\r\\nHost: ok.test\\r\\n"
            "\\r\\n\" >&3; read -r _ status _ <&3; echo $status'",
            "200",
            allowed("GET ok.test:80/", via="http"),
        ),
        _shell(
            "bash, another port of an allowed host",
            "bash -c 'exec 3<>/dev/tcp/ok.test/22' 2>/dev/null; echo $?",
            "1",
        ),
    ),
)

NODE = Table(
    title="Programs of Node",
    about="`fetch` knows no proxy variables; npm does.",
    image="node",
    rows=(
        _shell(
            "fetch, an allowed host",
            "node -e 'fetch(\"https://ok.test/\").then(a => console.log(a.status))'",
            "200",
            allowed("GET ok.test:443/", via="https"),
        ),
        _shell(
            "fetch, a documentation host",
            "node -e 'fetch(\"https://docs.test/\").then(a => console.log(a.status))'",
            "403",
            blocked("GET docs.test:443/", via="https", reason="docs_host_requires_read_docs"),
        ),
        _shell(
            "fetch, an unlisted host",
            "node -e 'fetch(\"https://unlisted.test/\").catch(e => console.log(e.cause.code))'",
            "ENOTFOUND",
            _lookup("unlisted.test"),
        ),
        _shell(
            "TLS without any check",
            "NODE_TLS_REJECT_UNAUTHORIZED=0 node --no-warnings -e"
            " 'fetch(\"https://expired.test/\").then(a => console.log(a.status))'",
            "502",
            "egress_error GET expired.test:443/ upstream_tls (https)",
        ),
        _shell(
            "npm, an unlisted registry",
            "npm view nothing --registry https://unlisted.test/ --fetch-retries 0"
            " --no-update-notifier >/dev/null 2>&1;"
            " echo $?",
            "1",
            blocked("GET unlisted.test:443/nothing", "host"),
        ),
    ),
)

TABLES = (SETTINGS, PROGRAMS, NODE)
