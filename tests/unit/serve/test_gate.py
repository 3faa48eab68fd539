"""Who may ask: hosts, pages of other sites, tokens."""

import pytest

from fakes.uploading import API, JSON, TOKEN, answer, connected, request, serving

RUN = b'{"trace_id": "gate", "events": []}'


@pytest.fixture(name="guarded", scope="module")
def _guarded(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("guarded"), "--host=0.0.0.0", token=TOKEN) as served:
        yield served


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("LOCALHOST:{port}", 200),
        ("[::1]:{port}", 200),
        ("127.0.0.1", 421),
        ("127.0.0.1:1", 421),
        ("evil.example:{port}", 421),
        ("localhost.evil.example:{port}", 421),
        ("127.0.0.1:{port}@evil.example", 421),
        ("", 421),
    ],
)
def test_only_this_servers_names_are_taken_in_the_host_header(served, host, status):
    port = served.address[1]
    assert status == served.get("/api/v1/schema", host=host.format(port=port)).status_code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://{host}"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "https://{host}"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://{host}"}, 403),
    ],
)
def test_what_a_page_of_another_site_has_a_browser_send_is_refused(served, headers, status):
    filled = {key: value.format(host=served.host) for key, value in headers.items()}
    before = served.stored
    read = served.get("/api/v1/schema", **filled).status_code
    sent = served.post(b"[7]", {**JSON, **filled}).status_code

    assert (status, 422 if status == 200 else status) == (read, sent)
    assert before == served.stored


@pytest.mark.parametrize("method", ["OPTIONS", "GET", "POST"])
def test_no_page_is_ever_allowed_to_read(served, method):
    with served.client() as client:
        reply = client.request(method, API, headers={"Access-Control-Request-Method": "POST"})

    assert [] == [name for name in reply.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (None, "token-missing"),
        (f"Bearer {TOKEN}x", "token-wrong"),
        (f"Bearer {TOKEN[:-1]}", "token-wrong"),
        ("Bearer", "token-wrong"),
        ("Bearer \xff", "token-wrong"),
        (f"Basic {TOKEN}", "token-wrong"),
        (TOKEN, "token-wrong"),
        (f"Bearer {TOKEN}", None),
        (f"bearer  {TOKEN}", None),
    ],
)
@pytest.mark.parametrize("path", [API, "/api/v1/schema", "/api/v1/openapi.json", "/nothing"])
def test_everything_needs_the_token_where_there_is_one(guarded, given, code, path):
    lines = [] if given is None else [f"Authorization: {given}"]
    raw = request(guarded, b"", "Connection: close", *lines, head=f"GET {path}")
    with connected(guarded) as sock:
        sock.sendall(raw.decode().encode("latin-1"))
        status, headers, body = answer(sock)

    if code is None:
        assert (404 if path == "/nothing" else 200) == status
    else:
        assert (401, "bearer") == (status, headers["www-authenticate"])
        assert f'"code": "{code}"' in body.decode()


def test_with_a_token_proxies_may_give_it_any_name(guarded):
    headers = {"authorization": f"Bearer {TOKEN}", "host": "traces.example", "origin": "https://x"}
    assert 200 == guarded.get(API, **headers).status_code


def test_the_token_is_in_no_log(guarded):
    assert "401" in guarded.log
    assert TOKEN not in guarded.log
