"""Every way in which a request is refused: status and words, as a client sees them."""

import json

import pytest

from fakes.golden import golden
from fakes.uploading import (
    API,
    JSON,
    MAX_BYTES,
    TOKEN,
    answer,
    connected,
    padded,
    request,
    run,
    serving,
)
from quickstarted.serve.openapi import openapi_document

LENGTH = "Content-Length: {}".format
TELLING = ("allow", "accept", "accept-encoding", "retry-after", "www-authenticate")
MISSING = "none-" + "0" * 32

CASES = {
    "latin-1": (b'{"goal": "caf\xe9"}', []),
    "cut in a character": (b'{"goal": "\xe2\x98', []),
    "utf-16": ('{"a": 1}'.encode("utf-16"), []),
    "utf-16 without a mark": ('{"a": 1}'.encode("utf-16-be"), []),
    "gzip": (b"\x1f\x8b\x08\x00rest", []),
    "empty": (b"", []),
    "white space": (b" \n ", []),
    "not json": (b"{nothing}", []),
    "a number": (b"7", []),
    "no run": (b'{"x": 1}', []),
    "an empty list": (b"[]", []),
    "too deep": (b'{"a":' * 101 + b"1" + b"}" * 101, []),
    "very deep": (b"[" * 100_000, []),
    "NaN": (b'{"trace_id": "n", "events": [], "metadata": {"x": NaN}}', []),
    "1e400": (b'{"trace_id": "n", "events": [], "metadata": {"x": 1e400}}', []),
    "many digits": (
        b'{"trace_id": "n", "events": [], "metadata": {"x": ' + b"9" * 5000 + b"}}",
        [],
    ),
    "half a pair": (b'{"trace_id": "\\ud800", "events": []}', []),
    "a key twice": (b'{"trace_id": "a", "trace_id": "b", "events": []}', []),
    "control characters": (b'{"trace_id": "\\u001b[2J\\u009b", "events": 7}', []),
    "an event of another trace": (json.dumps(run("a", {"trace_id": "b"})).encode(), []),
    "content-encoding": (b"{}", ["Content-Encoding: gzip"]),
    "content-type": (b"{}", ["Content-Type: text/plain"]),
    "a form": (b"{}", ["Content-Type: application/x-www-form-urlencoded"]),
    "charset": (b"{}", ["Content-Type: application/json; charset=latin-1"]),
    "cross-site": (b"{}", ["Origin: https://evil.example"]),
}


def told(status, headers, body):
    """An answer as it is kept: status, headers that tell something, body."""
    lines = [str(status), *(f"{key}: {headers[key]}" for key in TELLING if key in headers)]
    return "\n".join([*lines, body.decode("ascii")])


def ask(served, raw):
    with connected(served) as sock:
        sock.sendall(raw)
        return answer(sock)


def post(served, body, *lines):
    given = {line.partition(":")[0] for line in lines}
    kind = [] if "Content-Type" in given else ["Content-Type: application/json"]
    return ask(served, request(served, body, "Connection: close", LENGTH(len(body)), *kind, *lines))


@pytest.mark.parametrize("name", CASES)
def test_an_upload_that_is_refused_says_why(served, name):
    body, lines = CASES[name]
    before = served.stored
    status, headers, reply = post(served, body, *lines)

    assert golden(f"serve/{name.replace(' ', '-')}.txt", told(status, headers, reply)) == told(
        status, headers, reply
    )
    assert before == served.stored
    assert str(status) in openapi_document()["paths"][API]["post"]["responses"]


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("no such path", "GET /api/v1/trajectory"),
        ("outside", "GET /api/v1/trajectories/../../../etc/passwd"),
        ("outside encoded", "GET /api/v1/trajectories/..%2f..%2f..%2fetc%2fpasswd"),
        ("no such id", f"GET {API}/{MISSING}"),
        ("no id", f"GET {API}/.incoming"),
        ("no such artifact", f"GET {API}/{MISSING}/artifacts/upload.json"),
        ("wrong method", f"DELETE {API}"),
        ("wrong method of one", f"PUT {API}/{MISSING}"),
        ("limit", f"GET {API}?limit=0"),
        ("limit too high", f"GET {API}?limit=201"),
        ("after", f"GET {API}?after=../x"),
        ("no method", "\x7f /"),
    ],
)
def test_a_request_that_is_refused_says_why(served, name, head):
    status, headers, reply = ask(served, request(served, b"", "Connection: close", head=head))
    text = told(status, headers, reply)

    assert golden(f"serve/{name.replace(' ', '-')}.txt", text) == text


def test_a_host_of_another_server_is_told(served):
    raw = request(served, b"", "Connection: close", head="GET /").replace(
        served.host.encode(), b"evil.example"
    )
    text = told(*ask(served, raw))

    assert golden("serve/wrong-host.txt", text) == text


@pytest.mark.parametrize("given", ["", "Authorization: Bearer another"])
def test_a_token_that_is_missing_or_wrong_is_told(tmp_path_factory, given, guarded):
    lines = ["Connection: close", *([given] if given else [])]
    text = told(*ask(guarded, request(guarded, b"", *lines, head=f"GET {API}")))
    name = "token-wrong" if given else "token-missing"

    assert golden(f"serve/{name}.txt", text) == text


@pytest.fixture(name="guarded", scope="module")
def _guarded(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("guarded"), token=TOKEN) as served:
        yield served


def chunks(body, size=1 << 20):
    return (body[at : at + size] for at in range(0, len(body), size))


@pytest.mark.parametrize("is_chunked", [False, True], ids=["content-length", "chunked"])
def test_a_body_of_just_the_limit_is_stored_and_one_byte_more_is_not(served, is_chunked):
    name = f"limit-{is_chunked}"
    just = padded(name, MAX_BYTES)
    more = padded(f"{name}-more", MAX_BYTES + 1)
    stored = served.post(chunks(just) if is_chunked else just)
    refused = served.post(chunks(more) if is_chunked else more)
    text = told(refused.status_code, refused.headers, refused.content)

    assert (201, [name]) == (stored.status_code, [x["trace_id"] for x in stored.json()["stored"]])
    assert (413, golden("serve/too-large.txt", text)) == (refused.status_code, text)
    assert not [one for one in served.stored if "more" in one]


def test_who_announces_too_much_is_refused_before_sending_it(served):
    lines = ["Content-Type: application/json", LENGTH(MAX_BYTES + 1), "Expect: 100-continue"]
    status, _, body = ask(served, request(served, b"", *lines))

    assert (413, "too-large") == (status, json.loads(body)["error"]["code"])


def test_who_announces_little_is_held_to_it(served):
    """What follows the announced length is no part of the body, and no second request either."""
    body = json.dumps(run("announced")).encode()
    raw = request(served, body + b"x" * 100, "Connection: close", LENGTH(len(body)), "Accept: */*")
    status, _, reply = ask(
        served, raw.replace(b"Accept", b"Content-Type: application/json\r\nAccept")
    )

    assert (201, 1) == (status, len(json.loads(reply)["stored"]))


def test_a_chunk_that_is_none_ends_the_upload(served):
    before = served.stored
    lines = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
    status, _, body = ask(served, request(served, b"zz\r\n{}\r\n0\r\n\r\n", *lines))

    assert (400, "not-http") == (status, json.loads(body)["error"]["code"])
    assert before == served.stored


def test_headers_keep_browsers_from_making_more_of_an_answer(served):
    for reply in (served.get(API), served.get("/nothing"), served.post(b"7", JSON)):
        assert "nosniff" == reply.headers["x-content-type-options"]
        assert "no-store" == reply.headers["cache-control"]
        assert "same-origin" == reply.headers["cross-origin-resource-policy"]
        assert reply.headers["content-security-policy"].startswith("default-src 'none'")
        assert "server" not in reply.headers


def test_no_answer_and_no_log_has_a_character_that_drives_a_terminal(served):
    _, _, reply = post(served, b'{"trace_id": "\x7f\\u001b[2J\xc2\x9b\xe2\x80\xae", "events": 7}')
    served.get("/%1b[2J%9b\u202e")

    assert all(32 <= byte < 127 or byte == 10 for byte in reply)
    assert all(32 <= ord(char) < 127 or char == "\n" for char in served.log)


def test_no_log_has_anything_of_a_body(served):
    served.post(b'{"goal": "s3cret"}')
    served.post(json.dumps({"trace_id": "s3cret", "events": [{"trace_id": "other"}]}).encode())
    served.get(f"{API}?trace_id=s3cret")

    assert "POST /api/v1/trajectories 422" in served.log
    assert "s3cret" not in served.log
