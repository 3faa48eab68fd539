"""The documentation client against real servers: what it reads, refuses and survives."""

import gzip
import hashlib
import socket
import threading
import zlib

import pytest

from fakes.docs_server import DocsServer, page, redirect
from quickstarted.docs import Blocked, DocsClient, DocsRules, Failed, Page, Redirected
from quickstarted.docs.transports.network import Network

LOCAL = ("127.0.0.1", "localhost")
NO_ROBOTS = {"/robots.txt": page("", 404)}
STUB = '<meta http-equiv="refresh" content="0; url={}"><p>Redirecting...</p>'


def rules(**changes):
    return DocsRules(**{"allow_hosts": LOCAL, "private_hosts": LOCAL, **changes})


@pytest.fixture(name="serve")
def _serve():
    servers = []

    def serve(answers, **changes):
        server = DocsServer({**NO_ROBOTS, **answers}).__enter__()
        client = DocsClient(rules(**changes))
        servers.append((client, server))
        return client, server

    yield serve
    for client, server in servers:
        client.close()
        server.__exit__()


def test_a_page_is_read_with_all_that_the_trace_wants(serve):
    client, server = serve({"/a": page("<h1>A</h1><p>b</p>")})

    reading = client.read(server.url("/a"))

    assert reading.outcome == Page(
        url=server.url("/a"),
        resolved_to=server.url("/a"),
        text="# A\n\nb",
        chars=6,
        original_chars=6,
        truncated=False,
        page=1,
        pages=1,
        from_cache=False,
        content_hash="sha256:" + hashlib.sha256(b"<h1>A</h1><p>b</p>").hexdigest(),
        status=200,
        source=None,
        content_type="text/html",
    )
    assert reading.hops == (server.url("/a"),)


def test_the_user_agent_says_who_asks(serve):
    client, server = serve({"/a": page("<p>a</p>")})

    client.read(server.url("/a"))

    headers = dict(server.requests)["/a"]
    assert headers["user-agent"].startswith("quickstarted/")
    assert headers["accept-encoding"] == "gzip, deflate, br, zstd"


def test_one_client_sees_one_version_of_a_page(serve):
    client, server = serve({"/a": [page("<p>first</p>"), page("<p>second</p>")]})

    first, second = client.read(server.url("/a")), client.read(server.url("/a#x"))

    assert (first.outcome.from_cache, second.outcome.from_cache) == (False, True)
    assert first.outcome.content_hash == second.outcome.content_hash
    assert server.paths().count("/a") == 1


def test_two_readers_of_one_page_ask_once(serve):
    client, server = serve({"/a": page("<p>a</p>")})
    readings = []
    threads = [
        threading.Thread(target=lambda: readings.append(client.read(server.url("/a"))))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {reading.outcome.text for reading in readings} == {"a"}
    assert server.paths() == ["/robots.txt", "/a"]


def test_redirects_are_followed_and_every_hop_is_said(serve):
    client, server = serve(
        {"/a": redirect("b#s", 301), "/b": redirect("/c", 307), "/c": page("<h2 id=s>C</h2>")}
    )

    reading = client.read(server.url("/a"))

    assert reading.hops == tuple(server.url(path) for path in ("/a", "/b", "/c"))
    assert reading.outcome.resolved_to == server.url("/c#s")
    assert reading.outcome.text == ('[The section "#s" starts at line 3 of page 1.]\n\n## C')


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://other.example/x", "not_allowlisted"),
        ("http://127.0.0.1.other.example/x", "not_allowlisted"),
        ("http://2130706433/x", "not_allowlisted"),
        ("file:///etc/passwd", "scheme"),
        ("ftp://127.0.0.1/x", "scheme"),
        ("http://user:secret@127.0.0.1/x", "scheme"),
    ],
)
def test_a_redirect_is_judged_like_a_first_request(serve, location, reason):
    client, server = serve({"/a": redirect(location)})

    reading = client.read(server.url("/a"))

    assert isinstance(reading.outcome, Blocked)
    assert (reading.outcome.url, reading.outcome.reason) == (location, reason)
    assert reading.requested == server.url("/a")


def test_a_loop_of_redirects_ends(serve):
    client, server = serve({"/a": redirect("/b"), "/b": redirect("/a")}, max_redirects=4)

    reading = client.read(server.url("/a"))

    assert (
        f"The page redirects in a circle: {server.url('/b')} leads back to {server.url('/a')}."
    ) == reading.outcome.error
    assert 2 == len(reading.hops)


def test_a_chain_of_redirects_without_an_end_is_left(serve):
    answers = {f"/{step}": redirect(f"/{step + 1}") for step in range(9)}
    client, server = serve(answers, max_redirects=4)

    reading = client.read(server.url("/0"))

    assert "More than 4 redirects." == reading.outcome.error
    assert 5 == len(reading.hops)


def test_a_stub_is_followed_once_and_both_urls_are_said(serve):
    client, server = serve({"/a": page(STUB.format("/b")), "/b": page("<h2 id=x>B</h2>")})

    reading = client.read(server.url("/a#x"))

    assert reading.client_redirect == Redirected(
        requested=server.url("/a"), resolved_to=server.url("/b")
    )
    assert reading.outcome.url == server.url("/a#x")
    assert reading.outcome.resolved_to == server.url("/b#x")
    assert reading.outcome.text.endswith("## B")


def test_a_stub_of_another_host_is_left_alone_though_the_host_is_allowed(serve):
    client, server = serve({})
    other = server.url("/b", host="localhost")
    server.answers["/a"] = page(STUB.format(other))

    reading = client.read(server.url("/a"))

    assert reading.client_redirect is None
    assert reading.outcome.text.startswith(f"[This page only redirects to {other}. Not followed:")
    assert reading.outcome.text.endswith("Redirecting...")
    assert "/b" not in server.paths()


def test_stubs_that_lead_to_stubs_end(serve):
    client, server = serve({"/a": page(STUB.format("/b")), "/b": page(STUB.format("/a"))})

    reading = client.read(server.url("/a"))

    assert reading.client_redirect.resolved_to == server.url("/b")
    assert "followed already" in reading.outcome.text
    assert [path for path in server.paths() if path != "/robots.txt"] == ["/a", "/b"]


def test_a_stub_that_leads_nowhere_fails_where_it_leads(serve):
    client, server = serve({"/a": page(STUB.format("/gone"))})

    reading = client.read(server.url("/a"))

    assert reading.client_redirect.resolved_to == server.url("/gone")
    assert (reading.outcome.url, reading.outcome.status) == (server.url("/gone"), 404)


def test_a_missing_page_keeps_what_the_site_suggests(serve):
    client, server = serve({"/a": page('<h1>Lost?</h1><a href="/b">Try b</a>', 404)})

    outcome = client.read(server.url("/a")).outcome

    assert (outcome.error, outcome.status) == ("HTTP 404 Not Found", 404)
    assert outcome.text == f"# Lost?\n\n[Try b]({server.url('/b')})"


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((200, {"content-type": "application/pdf"}, b"%PDF-"), "is a PDF document"),
        ((200, {"content-type": "image/png"}, b"\x89PNG"), "is an image"),
        ((200, {"content-type": "text/html"}, b""), "empty"),
        (page("<div id=app></div><script src=x></script>"), "renders only with JavaScript"),
        (page("<div>" * 6_000), "nested too deeply"),
        (page("x", 500), "HTTP 500"),
        (page("x", 403), "HTTP 403 Forbidden"),
        ((302, {}, b""), "HTTP 302"),
        ((204, {}, b""), "empty"),
        ((200, {"content_encoding": "pack200"}, b"x"), '"pack200", which was not asked for'),
        ((200, {"content_encoding": "gzip"}, b"\x1f\x8bnonsense"), "damaged"),
        ((200, {"content_encoding": "gzip"}, gzip.compress(b"a" * 999)[:-9]), "ends early"),
        ((200, {"content_encoding": "gzip"}, gzip.compress(b"\0" * 3_000_000)), "larger than"),
        ((200, {}, b"a" * 1_000_001), "larger than"),
    ],
)
def test_what_cannot_be_read_says_why(serve, answer, error):
    client, server = serve({"/a": answer}, max_body_bytes=1_000_000)

    outcome = client.read(server.url("/a")).outcome

    assert isinstance(outcome, Failed)
    assert error in outcome.error


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(b"<p>a</p>", mtime=0)),
        ("x-gzip", gzip.compress(b"<p>a", mtime=0) + gzip.compress(b"</p>", mtime=0) + b"\0\0"),
        ("deflate", zlib.compress(b"<p>a</p>")),
        ("deflate", zlib.compress(b"<p>a</p>", wbits=-15)),
        ("identity", b"<p>a</p>"),
    ],
)
def test_content_codings_are_undone(serve, coding, body):
    answer = 200, {"content-type": "text/html", "content_encoding": coding}, body
    client, server = serve({"/a": answer})

    assert client.read(server.url("/a")).outcome.text == "a"


def endless(stream):
    stream.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n")
    for _ in range(100_000):
        stream.write(b"<p>more</p>" * 1_000)


def endless_bomb(stream):
    stream.write(b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n")
    squeeze = zlib.compressobj(wbits=31)
    for _ in range(2_000):
        stream.write(squeeze.compress(b"\0" * 1_000_000))
    stream.write(squeeze.flush())


@pytest.mark.parametrize("answer", [endless, endless_bomb])
def test_an_endless_body_is_cut_off(serve, answer):
    client, server = serve({"/a": answer}, max_body_bytes=100_000)

    assert client.read(server.url("/a")).outcome.error == "The page is larger than 100,000 bytes."
    assert server.hung_up.wait(10)


def dripping_header(stop):
    def answer(stream):
        stream.write(b"HTTP/1.1 200 OK\r\nx: ")
        while not stop.wait(0.02):
            stream.write(b"x")

    return answer


def dripping_body(stop):
    def answer(stream):
        stream.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n")
        while not stop.wait(0.02):
            stream.write(b"x")

    return answer


def silent(stop):
    return lambda _: stop.wait(20)


@pytest.mark.parametrize(
    ("behaviour", "limits", "error"),
    [
        (dripping_header, {"total_timeout_s": 0.3}, "not complete after 0.3 seconds"),
        (dripping_body, {"total_timeout_s": 0.3}, "not complete after 0.3 seconds"),
        (silent, {"read_timeout_s": 0.2}, "did not answer in time"),
    ],
)
def test_a_slow_server_does_not_hold_the_reader(serve, behaviour, limits, error):
    stop = threading.Event()
    client, server = serve({"/a": behaviour(stop)}, respect_robots=False, **limits)

    try:
        outcome = client.read(server.url("/a")).outcome
    finally:
        stop.set()

    assert error in outcome.error


@pytest.mark.parametrize(
    ("sent", "error"),
    [
        (b"", "broke the connection off"),
        (b"no http at all\r\n\r\n", "broke the connection off"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort", "broke the connection off"),
    ],
)
def test_a_broken_server_is_a_failure(serve, sent, error):
    client, server = serve({"/a": lambda stream: stream.write(sent)})

    assert error in client.read(server.url("/a")).outcome.error


def test_nothing_listens(serve):
    client, server = serve({})
    server.shutdown()
    server.server_close()

    outcome = client.read(server.url("/a")).outcome

    assert isinstance(outcome, Failed)
    assert outcome.error.startswith("Connecting to 127.0.0.1 failed:")


def test_a_server_that_speaks_no_tls(serve):
    client, _ = serve({})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer_in_plain_text, args=(listener,))
        thread.start()
        outcome = client.read(f"https://127.0.0.1:{listener.getsockname()[1]}/a").outcome
        thread.join()

    assert outcome.error.startswith("TLS with 127.0.0.1 failed:")


def answer_in_plain_text(listener):
    connection, _ = listener.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        connection.recv(4096)


def resolving(addresses):
    def resolve(host, _port):
        if host not in addresses:
            raise OSError(-2, "Name or service not known")
        return addresses[host]

    return resolve


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
     "0.0.0.0", "224.0.0.1", "::1", "fe80::1%eth0", "fd00::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
     "2002:a00:1::"],
)  # fmt: skip
def test_a_name_that_leads_to_a_private_address_is_blocked(address):
    network = Network(resolve=resolving({"docs.example.org": [address]}))
    with DocsClient(DocsRules(allow_hosts=("docs.example.org",)), transport=network) as client:
        outcome = client.read("http://docs.example.org/a").outcome

    assert isinstance(outcome, Blocked)
    assert outcome.reason == "private_address"
    assert address in outcome.detail


def test_a_host_that_may_be_private_still_leads_to_no_metadata():
    network = Network(
        private_hosts=("docs.example.org",),
        resolve=resolving({"docs.example.org": ["169.254.169.254"]}),
    )
    with DocsClient(DocsRules(allow_hosts=("docs.example.org",)), transport=network) as client:
        assert client.read("http://docs.example.org/a").outcome.reason == "private_address"


def test_the_judged_address_is_connected_to_and_the_host_keeps_its_name(serve):
    _, server = serve({"/a": page("<p>a</p>")})
    resolve = resolving({"docs.example.org": ["127.0.0.1"]})
    network = Network(private_hosts=("docs.example.org",), resolve=resolve)
    url = server.url("/a", host="docs.example.org")
    with DocsClient(DocsRules(allow_hosts=("docs.example.org",)), transport=network) as client:
        assert client.read(url).outcome.text == "a"

    assert dict(server.requests)["/a"]["host"] == url.removeprefix("http://").removesuffix("/a")


def test_a_name_without_an_address_is_a_failure_and_no_robots_matter():
    network = Network(resolve=resolving({}))
    with DocsClient(DocsRules(allow_hosts=("docs.example.org",)), transport=network) as client:
        outcome = client.read("http://docs.example.org/a").outcome

    assert isinstance(outcome, Failed)
    assert outcome.error.startswith("The host docs.example.org has no address")


def test_the_proxy_of_the_environment_is_used(serve, monkeypatch):
    client, server = serve(
        {"http://docs.example.org/a": page("<p>by proxy</p>")},
        allow_hosts=("docs.example.org",),
        respect_robots=False,
    )
    monkeypatch.setenv("http_proxy", server.url(""))
    monkeypatch.setenv("no_proxy", "direct.example.org")

    assert client.read("http://docs.example.org/a").outcome.text == "by proxy"


def test_an_address_is_judged_though_a_proxy_would_connect_to_it(serve, monkeypatch):
    client, server = serve({}, allow_hosts=("10.0.0.1",), private_hosts=(), respect_robots=False)
    monkeypatch.setenv("http_proxy", server.url(""))

    assert client.read("http://10.0.0.1/a").outcome.reason == "private_address"
    assert server.paths() == []


def test_a_long_page_is_read_in_parts(serve):
    lines = "\n".join(f"<p>line {number}</p>" for number in range(100))
    client, server = serve({"/a": page(lines + "<h2 id=end>End</h2>")}, max_chars=400)
    first = client.read(server.url("/a#end")).outcome
    rest = [client.read(server.url("/a"), page=n).outcome for n in range(2, first.pages + 1)]

    assert first.truncated
    assert first.original_chars == sum(part.chars for part in [first, *rest])
    assert first.text.splitlines()[0].endswith(f"of page {first.pages}.]")
    assert first.text.endswith(f"[Page 1 of {first.pages} of this text. Read on with page=2.]")
    assert rest[-1].text.endswith("This is the end.]")
    assert all(part.from_cache for part in rest)


@pytest.mark.parametrize("number", [0, 2, -1])
def test_a_part_that_is_not_there_says_how_many_there_are(serve, number):
    client, server = serve({"/a": page("<p>a</p>")})

    outcome = client.read(server.url("/a"), page=number).outcome

    assert outcome.error == f"There is no page {number}: the text has 1 page."


@pytest.mark.parametrize("kind", ["text/plain", "text/markdown", "text/x-rst", "application/json"])
def test_text_is_served_as_it_is(serve, kind):
    body = "# A\n\n<b>&amp;\n\t é\n".encode()
    client, server = serve({"/a": (200, {"content-type": kind}, body)})

    assert client.read(server.url("/a")).outcome.text == body.decode()


@pytest.mark.parametrize("url", ["nonsense", "", "https://", "http://[::1", "//127.0.0.1/a"])
def test_an_invalid_url_is_a_failure(serve, url):
    client, _ = serve({})

    assert isinstance(client.read(url).outcome, Failed)
