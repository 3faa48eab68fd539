"""Files that never change: asked for once, then given from the cache, and never anything else."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil

import pytest
from origins import pattern
from package_caching import HASHED_HOST, POLICY, kept, shown, started, wait_until_kept
from sidecar_process import ask, fetch, open_tunnel, over_tls, policy, rule

SIZE = 300_001
URL = f"https://ok.test/pool/{SIZE}/plain/a.whl"


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("packages")


@pytest.fixture(scope="module")
def shared_caching(module_folder, trust_pem, tls_origin, http_origin):
    process = started(module_folder, trust_pem)
    yield process
    process.stop()


@pytest.fixture
def folder(module_folder, tls_origin, http_origin):
    """Empty, and no request has been made yet."""
    for path in module_folder.iterdir():
        shutil.rmtree(path)
    tls_origin.requests.clear()
    http_origin.requests.clear()
    tls_origin.pool_content = http_origin.pool_content = b""
    return module_folder


@pytest.fixture
def caching(shared_caching, folder):
    """A sidecar at the begin of an attempt."""
    shared_caching.attempt(POLICY)
    return shared_caching


def fill(caching, folder, url=URL, **more):
    """Ask once, wait until it is kept, and begin another attempt."""
    answer = fetch(url, **more)
    wait_until_kept(folder)
    caching.drain_until(1)
    caching.attempt(POLICY)
    return answer


@pytest.mark.parametrize("door", ["explicit", "http", "https"])
def test_the_second_attempt_is_given_what_the_first_asked_for(caching, folder, door, tls_origin):
    url = URL.replace("https", "http") if door == "http" else URL
    first = fill(caching, folder, url, door=door)
    asked = len(tls_origin.requests)
    second = fetch(url, door=door)

    assert pattern(SIZE) == first.body == second.body
    assert [("egress_allowed", 200, SIZE, True)] == shown(caching.drain_until(1))
    assert asked == len(tls_origin.requests)


def test_what_describes_the_file_comes_with_it(caching, folder):
    first = fill(caching, folder)
    second = fetch(URL)

    for name in ("Content-Type", "ETag", "Last-Modified", "Content-Length"):
        assert first.headers[name] == second.headers[name]


def test_files_that_are_kept_follow_each_other_on_one_connection(caching, folder):
    fill(caching, folder)
    fetch(f"https://ok.test/pool/{SIZE}/other/b.whl")
    wait_until_kept(folder, 2)
    caching.drain_until(1)
    caching.attempt(POLICY)
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        paths = [f"/pool/{SIZE}/plain/a.whl", "/pool/10/new/c", f"/pool/{SIZE}/other/b.whl"]
        bodies = [ask(tls, "GET", path, "ok.test").body for path in paths]

    assert [pattern(SIZE), pattern(10), pattern(SIZE)] == bodies
    assert [True, False, True] == [line[3] for line in shown(caching.drain_until(3))]


@pytest.mark.parametrize(
    ("headers", "status", "part"),
    [
        ({"Range": "bytes=0-9"}, 206, slice(0, 10)),
        ({"Range": "bytes=100-"}, 206, slice(100, SIZE)),
        ({"Range": "bytes=-7"}, 206, slice(SIZE - 7, SIZE)),
        ({"Range": f"bytes={SIZE}-"}, 416, slice(0, 0)),
        ({"Range": "bytes=0-1,5-6"}, 200, slice(0, SIZE)),
        ({"Range": "bytes=0-9", "If-Range": '"v1"'}, 206, slice(0, 10)),
        ({"Range": "bytes=0-9", "If-Range": '"v2"'}, 200, slice(0, SIZE)),
        ({"If-None-Match": '"v1"'}, 304, slice(0, 0)),
        ({"If-None-Match": '"v0"'}, 200, slice(0, SIZE)),
        ({"If-Modified-Since": "Thu, 22 Oct 2015 07:28:00 GMT"}, 304, slice(0, 0)),
        ({"If-Match": '"v9"'}, 412, slice(0, 0)),
        ({"Accept-Encoding": "gzip"}, 200, slice(0, SIZE)),
    ],
)
def test_what_is_asked_of_a_kept_file_is_answered_as_the_server_would(
    caching, folder, headers, status, part
):
    fill(caching, folder)
    answer = fetch(URL, headers=headers)
    body = pattern(SIZE)[part]

    assert (status, body) == (answer.status, answer.body)
    assert [("egress_allowed", status, len(body), True)] == shown(caching.drain_until(1))


def test_a_head_request_has_the_size_and_no_body(caching, folder):
    fill(caching, folder)
    answer = fetch(URL, method="HEAD")

    assert (200, str(SIZE), b"") == (answer.status, answer.headers["Content-Length"], answer.body)
    assert [("egress_allowed", 200, 0, True)] == shown(caching.drain_until(1))


def test_who_has_only_asked_for_the_size_is_given_the_file(caching, folder, tls_origin):
    fill(caching, folder)
    fetch(URL, method="HEAD")
    fetch(URL)

    assert [True, True] == [line[3] for line in shown(caching.drain_until(2))]


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer x"},
        {"Cookie": "a=b"},
        {"Cache-Control": "no-cache"},
        {"Pragma": "no-cache"},
        {"Accept-Encoding": "gzip, identity;q=0"},
    ],
)
def test_what_may_be_for_one_client_only_is_asked_for_upstream(
    caching, folder, headers, tls_origin
):
    fill(caching, folder)
    asked = len(tls_origin.requests)
    answer = fetch(URL, headers=headers)

    assert pattern(SIZE) == answer.body
    assert [("egress_allowed", 200, SIZE, False)] == shown(caching.drain_until(1))
    assert asked + 1 == len(tls_origin.requests)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (f"/pool/{SIZE}/plain/a", {"Range": "bytes=0-9"}),
        (f"/pool/{SIZE}/plain/a", {"Authorization": "Bearer x"}),
        (f"/pool/{SIZE}/plain/a", {"If-None-Match": '"v0"'}),
        (f"/pool/{SIZE}/plain/a?token=1", {}),
        (f"/pool/{SIZE}/missing/a", {}),
        (f"/pool/{SIZE}/part/a", {}),
        (f"/pool/{SIZE}/gzip/a", {}),
        (f"/pool/{SIZE}/varymore/a", {}),
        (f"/pool/{SIZE}/private/a", {}),
        (f"/pool/{SIZE}/nostore/a", {}),
        (f"/pool/{SIZE}/cookie/a", {}),
        ("/pool/0/plain/a", {}),
    ],
)
def test_what_is_not_the_whole_file_for_everybody_is_not_kept(caching, folder, path, headers):
    fetch(f"https://ok.test{path}", headers=headers)
    fetch(f"https://ok.test/pool/{SIZE}/vary/b")
    caching.drain_until(2)
    wait_until_kept(folder)

    assert 1 == len(kept(folder)) == len(kept(folder, "entries"))


@pytest.mark.parametrize("variant", ["short", "stall"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_transfer_that_breaks_off_leaves_nothing(
    caching, folder, scheme, variant, tls_origin, http_origin
):
    size = 3_000_000
    target = f"{scheme}://ok.test/pool/{size}/{variant}/a"
    if variant == "short":
        with pytest.raises(Exception, match=r".*"):
            fetch(target)
    else:
        sock = over_tls(open_tunnel("ok.test:443")[0], "ok.test")
        sock.sendall(f"GET /pool/{size}/stall/a HTTP/1.1\r\nHost: ok.test\r\n\r\n".encode())
        assert sock.recv(100)
        sock.close()
    ((kind, _),) = shown(caching.drain_until(1))
    for origin in (tls_origin, http_origin):
        origin.released.set()
        origin.released.clear()

    assert "egress_error" == kind
    assert [] == kept(folder) + kept(folder, "entries") + kept(folder, "partial")


def test_what_came_over_plain_http_is_not_given_over_tls(caching, folder, tls_origin):
    fill(caching, folder, URL.replace("https", "http"))
    fetch(URL)

    assert 1 == len(tls_origin.requests)
    assert [False] == [line[3] for line in shown(caching.drain_until(1))]


def test_the_policy_is_asked_before_the_cache(caching, folder):
    fill(caching, folder)
    caching.attempt(policy(rule("other.test")))
    answer = fetch(URL)
    (event,) = caching.drain_until(1)

    assert 403 == answer.status
    assert ("egress_blocked", "host") == (event["type"], event["detail"])


def test_a_budget_counts_what_comes_from_the_cache(caching, folder):
    fill(caching, folder)
    caching.attempt({**POLICY, "max_download_bytes": 1000})
    with pytest.raises(Exception, match=r".*"):
        fetch(URL)

    assert ["download_budget"] == [e["detail"] for e in caching.drain_until(1)]
    assert 1 == len(kept(folder))


def test_a_file_that_is_what_its_address_says_is_kept(caching, folder):
    digest = hashlib.blake2b(pattern(200_000), digest_size=32).hexdigest()
    url = f"https://{HASHED_HOST}/packages/{digest[:2]}/{digest[2:4]}/{digest[4:]}/a.whl"
    fill(caching, folder, url)
    fetch(url)
    fetch(url)

    assert [True, True] == [line[3] for line in shown(caching.drain_until(2))]


@pytest.mark.parametrize(
    "url",
    [
        f"https://{HASHED_HOST}/packages/aa/bb/{'c' * 60}/a.whl",
        f"https://ok.test/pool/{SIZE}/badsum/a",
    ],
)
def test_a_file_that_is_not_what_was_announced_is_not_kept(caching, folder, url):
    assert 200 == fetch(url).status
    events = shown(caching.drain_until(2))

    assert {("egress_error", "package_cache")} == {e for e in events if e[0] == "egress_error"}
    assert [] == kept(folder) + kept(folder, "entries") + kept(folder, "partial")


def index_page(content):
    integrity = base64.b64encode(hashlib.sha512(content).digest()).decode()
    tarball = "https://ok.test/pool/index/-/a.tgz"
    document = {
        "name": "pool/index",
        "dist": {"tarball": tarball, "integrity": f"sha512-{integrity}"},
    }
    return json.dumps(document).encode()


@pytest.mark.parametrize("content", [b"good" * 100, b"bad" * 100])
def test_a_file_is_compared_with_what_the_index_says_of_it(caching, folder, tls_origin, content):
    tls_origin.index_page = index_page(b"good" * 100)
    fetch("https://ok.test/pool/index/a")
    tls_origin.index_page = content
    assert content == fetch("https://ok.test/pool/index/-/a.tgz").body
    events = shown(caching.drain())

    assert [("egress_error", "package_cache")] * content.startswith(b"bad") == events[2:]
    assert content.startswith(b"good") * ["sha512"] == [
        json.loads(path.read_text())["verified"] for path in kept(folder, "entries")
    ]


def test_who_asks_again_in_one_attempt_gets_the_file_from_upstream(caching, folder, tls_origin):
    """The file that was given may have been found bad, and then the next one takes its place."""
    tls_origin.pool_content = b"bad" * 1000
    fill(caching, folder)
    tls_origin.pool_content = b""
    first, second = fetch(URL), fetch(URL)
    caching.drain_until(2)
    wait_until_kept(folder)
    caching.attempt(POLICY)
    third = fetch(URL)

    assert b"bad" * 1000 == first.body
    assert pattern(SIZE) == second.body == third.body
    assert [("egress_allowed", 200, SIZE, True)] == shown(caching.drain_until(1))


def test_a_client_that_leaves_in_the_middle_is_told_so(caching, folder):
    big = "https://ok.test/pool/30000000/plain/big"
    fill(caching, folder, big)
    sock = over_tls(open_tunnel("ok.test:443")[0], "ok.test")
    sock.sendall(b"GET /pool/30000000/plain/big HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    assert sock.recv(100)
    sock.close()
    (event,) = shown(caching.drain_until(1))

    assert "egress_error" == event[0]
    assert pattern(SIZE) == fetch(f"https://ok.test/pool/{SIZE}/new/c").body
