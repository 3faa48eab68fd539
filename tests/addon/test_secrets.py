"""Task secrets: put in for their hosts only, refused elsewhere, and never given back."""

from __future__ import annotations

import base64
import http.client
import json
from urllib.parse import quote, unquote

import pytest
from sidecar_fixtures import POLICY
from sidecar_process import (
    PROXY,
    SidecarProcess,
    ask,
    fetch,
    open_tunnel,
    over_tls,
    policy,
    raw_exchange,
    read_all,
    rule,
)

from quickstarted_proxy.secrets_table import Secret, scrubbing

PLAIN = Secret(
    name="PLAIN",
    placeholder="sk-PLACEHOLDERplaceholder0123456789abcde",
    value="sk-CANARY7d1f0c9e8b7a6f5e4d3c2b1a0canary",
    hosts=("ok.test",),
)
ODD = Secret(
    name="ODD",
    placeholder="oddPLACEHOLDERplaceholder01234567",
    value='odd/CANARY+"<x>&y=1 %\\',
    hosts=("sub.ok.test",),
)
ELSEWHERE = Secret(
    name="ELSEWHERE",
    placeholder="elsePLACEHOLDERplaceholder0123456",
    value="elsewhere-canary-value-0123456789",
    hosts=("plaintext.test",),
)
SECRETS = [PLAIN, ODD, ELSEWHERE]
FORMS = [form for form, _ in scrubbing(SECRETS)]
OWN = {"ok.test": PLAIN, "sub.ok.test": ODD}
hosts = pytest.mark.parametrize("host", OWN)


@pytest.fixture(scope="module")
def shared(trust_pem, tls_origin, http_origin):
    order = {
        "policy": POLICY,
        "trust_pem": trust_pem,
        "secrets": [secret.to_json() for secret in SECRETS],
    }
    process = SidecarProcess(order).ready()
    yield process
    process.stop()
    said = json.dumps(process.reports).encode()
    assert [] == [form for form in FORMS if form in said]


@pytest.fixture
def sidecar(shared, tls_origin, http_origin):
    shared.drain()
    tls_origin.requests.clear()
    http_origin.requests.clear()
    return shared


def bearer(host):
    return {"Authorization": f"Bearer {OWN[host].placeholder}"}


def raw(host, path, *, version="HTTP/1.1", more=""):
    """Everything that comes back to a request with the key, as bytes."""
    sock, _ = open_tunnel(f"{host}:443")
    with over_tls(sock, host) as tls:
        fields = f"Host: {host}\r\nAuthorization: Bearer {OWN[host].placeholder}\r\n{more}"
        tls.sendall(f"GET {path} {version}\r\n{fields}Connection: close\r\n\r\n".encode())
        return read_all(tls)


def sent(origin):
    (request,) = origin.requests
    return request


# On the way out


@hosts
@pytest.mark.parametrize("door", ["explicit", "https"])
def test_a_header_gets_the_value_and_the_client_sees_the_placeholder(
    sidecar, tls_origin, host, door
):
    answer = fetch(f"https://{host}/echo", door=door, headers=bearer(host))
    (event,) = sidecar.drain_until(1)

    assert f"Bearer {OWN[host].value}" == dict(sent(tls_origin)["headers"])["Authorization"]
    assert OWN[host].placeholder in answer.text
    assert ("egress_allowed", 200) == (event["type"], event["status"])


@hosts
def test_basic_credentials_get_the_value(sidecar, tls_origin, host):
    pair = base64.b64encode(f"user:{OWN[host].placeholder}".encode()).decode()
    fetch(f"https://{host}/", headers={"Authorization": f"Basic {pair}"})

    value = dict(sent(tls_origin)["headers"])["Authorization"].removeprefix("Basic ")
    assert f"user:{OWN[host].value}" == base64.b64decode(value).decode()


@hosts
def test_path_and_query_get_the_value_percent_encoded(sidecar, tls_origin, host):
    held = OWN[host].placeholder
    odd = f"%{ord(held[0]):02X}{held[1:]}"
    fetch(f"https://{host}/bot{held}/send?key={odd}&a=b")
    (event,) = sidecar.drain_until(1)

    value = quote(OWN[host].value, safe="")
    assert f"GET /bot{value}/send?key={value}&a=b HTTP/1.1" == sent(tls_origin)["line"]
    assert f"/bot{held}/send?key=REDACTED&a=b" == event["path"]


BODIES = [
    # content type, body with {} for the placeholder, how to read it back
    ("application/json", '{{"key": "{}"}}', lambda body: json.loads(body)["key"]),
    ("application/vnd.api+json; charset=utf-8", '["{}"]', lambda body: json.loads(body)[0]),
    ("application/x-www-form-urlencoded", "a=b&key={}", lambda body: unquote(body[8:])),
    ("text/plain", "key={}", lambda body: body[4:]),
    ("multipart/form-data; boundary=x", "--x\r\n\r\n{}\r\n--x--\r\n", lambda body: body[7:-9]),
]


@hosts
@pytest.mark.parametrize("chunked", [False, True], ids=["length", "chunked"])
@pytest.mark.parametrize("case", BODIES, ids=[case[0] for case in BODIES])
def test_text_bodies_get_the_value_in_the_form_that_they_need(
    sidecar, tls_origin, host, case, chunked
):
    kind, form, read = case
    body = form.format(OWN[host].placeholder).encode()
    pieces = (body[at : at + 5] for at in range(0, len(body), 5))
    if chunked:
        chunked_post(host, kind, pieces)
    else:
        fetch(f"https://{host}/", method="POST", body=body, headers={"Content-Type": kind})

    assert OWN[host].value == read(sent(tls_origin)["body"].decode())


def chunked_post(host, kind, pieces):
    sock, _ = open_tunnel(f"{host}:443")
    with over_tls(sock, host) as tls:
        connection = http.client.HTTPConnection(host)
        connection.sock = tls
        headers = {"Content-Type": kind, "Transfer-Encoding": "chunked"}
        connection.request("POST", "/", pieces, headers, encode_chunked=True)
        return connection.getresponse().read()


@hosts
def test_a_large_body_gets_the_value_as_it_passes(sidecar, tls_origin, host):
    body = b"x" * 300_000 + OWN[host].placeholder.encode() + b"y" * 300_000
    answer = fetch(
        f"https://{host}/", method="POST", body=body, headers={"Content-Type": "text/plain"}
    )
    (event,) = sidecar.drain_until(1)

    arrived = b"x" * 300_000 + OWN[host].value.encode() + b"y" * 300_000
    assert (200, arrived) == (answer.status, sent(tls_origin)["body"])
    assert len(arrived) == event["bytes_out"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/octet-stream"},
        {},
        {"Content-Type": "text/plain", "Content-Encoding": "gzip"},
    ],
)
def test_a_body_of_another_kind_is_left_as_it_is(sidecar, tls_origin, headers):
    body = PLAIN.placeholder.encode()
    assert 200 == fetch("https://ok.test/", method="POST", body=body, headers=headers).status
    assert body == sent(tls_origin)["body"]


def test_a_request_without_a_placeholder_is_only_asked_to_be_searchable(sidecar, tls_origin):
    fetch("https://ok.test/a?b=c", headers={"X-A": "b", "Range": "bytes=0-3"})

    headers = {name.lower(): value for name, value in sent(tls_origin)["headers"]}
    assert {"host": "ok.test", "accept-encoding": "identity", "x-a": "b"} == headers


# Elsewhere


def other_requests():
    held = PLAIN.placeholder
    pair = base64.b64encode(f"user:{held}".encode()).decode()
    return [
        pytest.param("/", {"Authorization": f"Bearer {held}"}, None, id="header"),
        pytest.param("/", {"Authorization": f"Basic {pair}"}, None, id="basic"),
        pytest.param("/", {f"X-{held}": "1"}, None, id="header-name"),
        pytest.param(f"/{held}", {}, None, id="path"),
        pytest.param(f"/?k={held}", {}, None, id="query"),
        pytest.param(f"/?k=%{ord(held[0]):02x}{held[1:]}", {}, None, id="percent"),
        pytest.param("/", {}, b"a" * 500 + held.encode(), id="body"),
    ]


@pytest.mark.parametrize("url", ["https://sub.ok.test", "http://plaintext.test:8080"])
@pytest.mark.parametrize(("path", "headers", "body"), other_requests())
def test_a_placeholder_for_another_host_is_refused_with_an_event(
    sidecar, tls_origin, url, path, headers, body
):
    method = "POST" if body else "GET"
    answer = fetch(url + path, method=method, headers=headers, body=body)
    (event,) = sidecar.drain_until(1)

    assert (403, "secret") == (answer.status, answer.headers["X-Quickstarted-Detail"])
    assert "placeholder" in answer.text
    assert ("egress_blocked", "not_allowlisted", "secret") == (
        event["type"],
        event["reason"],
        event["detail"],
    )
    assert [] == tls_origin.requests


def test_a_large_body_is_cut_at_the_placeholder_of_another_host(sidecar, tls_origin):
    body = b"x" * 400_000 + PLAIN.placeholder.encode() + b"y" * 400_000
    sock, _ = open_tunnel("sub.ok.test:443")
    with over_tls(sock, "sub.ok.test") as tls:
        head = f"POST / HTTP/1.1\r\nHost: sub.ok.test\r\nContent-Length: {len(body)}\r\n\r\n"
        tls.sendall(head.encode())
        tls.sendall(body[:400_100])
        answer = read_all(tls)
    (event,) = sidecar.drain_until(1)

    assert b"placeholder" in answer
    assert ("egress_blocked", "secret") == (event["type"], event["detail"])
    assert [] == [each for each in tls_origin.requests if "body" in each]


def test_a_placeholder_in_the_name_of_a_host_is_refused(sidecar, tls_origin):
    name = ODD.placeholder.lower()
    answer = raw_exchange(
        PROXY,
        f"GET http://{name}.ok.test/ HTTP/1.1\r\nHost: {name}.ok.test\r\n"
        "Connection: close\r\n\r\n".encode(),
    )

    assert answer.startswith(b"HTTP/1.1 403 ")
    assert [] == tls_origin.requests


@pytest.mark.parametrize(
    ("named", "host_header", "sni"),
    [("ok.test", "sub.ok.test", "ok.test"), ("sub.ok.test", "ok.test", "sub.ok.test")],
)
def test_another_name_in_the_host_header_gets_nothing(sidecar, tls_origin, named, host_header, sni):
    sock, _ = open_tunnel(f"{named}:443")
    with over_tls(sock, sni) as tls:
        answer = ask(tls, "GET", "/", host_header, headers=bearer("ok.test"))
    (event,) = sidecar.drain_until(1)

    assert (403, "host_mismatch") == (answer.status, event["detail"])
    assert [] == tls_origin.requests


def test_plain_http_gets_a_value_only_on_a_private_network(trust_pem, tls_origin, http_origin):
    secrets = [PLAIN.to_json()]
    http_origin.requests.clear()
    for private, status in (((), 403), (("ok.test",), 200)):
        rules = policy(rule("ok.test"), private=private)
        process = SidecarProcess(
            {"policy": rules, "trust_pem": trust_pem, "secrets": secrets}, listen="127.0.0.2"
        ).ready()
        head = f"GET / HTTP/1.1\r\nHost: ok.test\r\nX-Key: {PLAIN.placeholder}\r\n"
        answer = raw_exchange(("127.0.0.2", 80), f"{head}Connection: close\r\n\r\n".encode())
        process.stop()
        assert answer.startswith(f"HTTP/1.1 {status} ".encode())

    assert PLAIN.value == dict(sent(http_origin)["headers"])["X-Key"]


# On the way back

ECHOES = [
    "echo", "echoheader", "echoredirect", "echostatus", "echofault", "echoname", "echochunk",
    "echopieces", "echogzip", "echodeflate", "echobr", "echotorn", "echobase64", "echourl",
    "echobig", "echoold", "echogzips",
]  # fmt: skip
READABLE = {
    "echo", "echoheader", "echopieces", "echogzip", "echogzips", "echodeflate", "echobig",
    "echoold",
}  # fmt: skip


@hosts
@pytest.mark.parametrize("version", ["HTTP/1.1", "HTTP/1.0"])
@pytest.mark.parametrize("echo", ECHOES)
def test_the_value_never_comes_back(sidecar, tls_origin, host, echo, version):
    answer = raw(host, f"/{echo}", version=version)
    sidecar.drain()

    assert OWN[host].value in str(tls_origin.requests).replace("\\\\", "\\")
    assert [] == [form for form in FORMS if form in answer]
    if echo in READABLE:
        assert OWN[host].placeholder.encode() in unchunked(answer)


def unchunked(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    if b"chunked" not in head.lower():
        return answer
    plain = b""
    while body:
        size, _, body = body.partition(b"\r\n")
        plain += body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]
    return head + plain


@hosts
@pytest.mark.parametrize(
    "echo", ["echo", "echopieces", "echogzip", "echodeflate", "echobig", "echobase64", "echourl"]
)
def test_what_is_scrubbed_is_a_whole_answer_for_an_ordinary_client(sidecar, host, echo):
    sock, _ = open_tunnel(f"{host}:443")
    with over_tls(sock, host) as tls:
        first = ask(tls, "GET", f"/{echo}", host, headers=bearer(host))
        second = ask(tls, "GET", "/echo", host, headers=bearer(host))

    assert (200, 200) == (first.status, second.status)
    assert OWN[host].placeholder in second.text
    assert [None, None] == [each.headers["Content-Encoding"] for each in (first, second)]


def test_an_answer_without_any_value_keeps_its_length(sidecar):
    answer = fetch("https://ok.test/big?n=131072")

    assert ("131072", 131072) == (answer.headers["Content-Length"], len(answer.body))


def test_a_redirect_to_another_host_carries_the_placeholder_and_is_refused_there(sidecar):
    first = fetch("https://ok.test/echoredirect", headers=bearer("ok.test"))
    location = first.headers["Location"].replace("other.test", "sub.ok.test")
    second = fetch(location)

    assert f"https://other.test/?k={PLAIN.placeholder}" == first.headers["Location"]
    assert (403, "secret") == (second.status, second.headers["X-Quickstarted-Detail"])


@pytest.mark.parametrize(
    ("echo", "text"),
    [
        ("echobr", "compresses (br)"),
        ("echobomb", "more than 16 MiB"),
        ("echotorn", "ends too early"),
    ],
)
def test_an_answer_that_cannot_be_searched_is_cut_and_said(sidecar, echo, text):
    raw("ok.test", f"/{echo}")
    events = sidecar.drain_until(1)

    assert [("egress_error", "upstream_protocol")] == [(e["type"], e["detail"]) for e in events]
    assert text in events[0]["error"]


@pytest.mark.parametrize("echo", ["echofault", "echoname", "echochunk"])
def test_the_text_of_an_error_quotes_the_placeholder_at_most(sidecar, echo):
    raw("ok.test", f"/{echo}")
    (event,) = sidecar.drain_until(1)

    assert "egress_error" == event["type"]
    assert PLAIN.value not in json.dumps(event)


def test_an_answer_whose_record_is_closed_is_scrubbed_all_the_same(sidecar, tls_origin):
    """A background process may read on when the attempt's events have been delivered."""
    tls_origin.released.clear()
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        fields = f"Host: ok.test\r\nAuthorization: Bearer {PLAIN.placeholder}\r\nConnection: close"
        tls.sendall(f"GET /late HTTP/1.1\r\n{fields}\r\n\r\n".encode())
        while not tls_origin.requests:
            pass
        (event,) = sidecar.drain()
        tls_origin.released.set()
        answer = read_all(tls)

    assert "unfinished" == event["detail"]
    assert PLAIN.placeholder.encode() in unchunked(answer)
    assert [] == [form for form in FORMS if form in answer]


@hosts
@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_a_websocket_over_which_the_value_comes_is_cut(shared, tls_origin, host, pieces):
    rules = {**POLICY, "websocket_hosts": ["ok.test"]}
    secrets = [secret.to_json() for secret in SECRETS]
    shared.send({"order": "attempt", "policy": rules, "secrets": secrets})
    shared.wait_for("attempt_ready")
    tls_origin.requests.clear()
    more = "Upgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
    sock, _ = open_tunnel(f"{host}:443")
    with over_tls(sock, host) as tls:
        fields = f"Host: {host}\r\nAuthorization: Bearer {OWN[host].placeholder}\r\n{more}"
        head = f"GET /echosocket?n={pieces} HTTP/1.1\r\n{fields}Connection: Upgrade\r\n\r\n"
        tls.sendall(head.encode())
        answer = read_all(tls)
    (event,) = shared.drain_until(1)

    assert ("egress_error", "secret", 101) == (event["type"], event["detail"], event["status"])
    assert b"hi" in answer
    assert OWN[host].value[:14].encode() not in answer
    headers = {name.lower(): value for name, value in sent(tls_origin)["headers"]}
    assert f"Bearer {OWN[host].value}" == headers["authorization"]
    assert "sec-websocket-extensions" not in headers


# Attempts


def test_the_next_attempt_has_none_of_the_secrets_of_the_one_before(own_sidecar, tls_origin):
    own_sidecar.send({"order": "attempt", "policy": POLICY, "secrets": [PLAIN.to_json()]})
    own_sidecar.wait_for("attempt_ready")
    own_sidecar.attempt(POLICY)
    tls_origin.requests.clear()
    head = f"GET https://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nX-Key: {PLAIN.placeholder}\r\n"
    raw_exchange(("127.0.0.2", 8080), f"{head}Connection: close\r\n\r\n".encode())

    assert [] == [each for each in tls_origin.requests if PLAIN.value in str(each)]


@pytest.mark.parametrize(
    "change",
    [{"value": "short"}, {"placeholder": "short"}, {"value": f"{PLAIN.value}\n"}, {"more": 1}],
)
def test_a_secret_that_cannot_be_kept_is_refused_without_being_quoted(trust_pem, change):
    order = {"policy": POLICY, "secrets": [PLAIN.to_json() | change]}
    process = SidecarProcess(order, listen="127.0.0.2")
    report = process.next()

    assert ("refused", 78) == (report["report"], process.wait())
    assert [] == [form for form in FORMS if form in json.dumps(report).encode()]
    process.stop()
