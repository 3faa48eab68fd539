"""Everything that can be wrong with a page or its URL, and the sentence that says so."""

import datetime as dt
import socket
import threading

import pytest

from fakes.docs_server import DocsServer, page, redirect
from fakes.tls_certificates import TlsServer, make_authority, make_leaf
from quickstarted.docs import Blocked, DocsClient, DocsRules, Failed
from quickstarted.docs.transports.dialing import by_turns
from quickstarted.docs.transports.network import Network

LOCAL = ("127.0.0.1", "localhost")
NAMED = ("docs.example.org",)


def rules(**changes):
    return DocsRules(**{"allow_hosts": LOCAL, "private_hosts": LOCAL, **changes})


def no_host(host, _port):
    raise OSError(-2, "Name or service not known")


NO_SCRIPT = "Only http and https pages can be read, not javascript:."
NOT_LISTED = "is not one of this task's documentation hosts (docs.example.org)."


@pytest.mark.parametrize(
    ("url", "reason", "detail"),
    [
        ("file:///etc/passwd", "scheme", "Only http and https pages can be read, not file:."),
        ("data:text/html,<p>x", "scheme", "Only http and https pages can be read, not data:."),
        ("javascript:alert(1)", "scheme", NO_SCRIPT),
        ("java\nscript:alert(1)", "scheme", NO_SCRIPT),
        ("ftp://docs.example.org/", "scheme", "Only http and https pages can be read, not ftp:."),
        ("https://me:secret@docs.example.org/", "scheme",
         "The URL carries a user name or password; leave them out."),
        ("https://docs.example.org@other.example/", "scheme",
         "The URL carries a user name or password; leave them out."),
        ("https://other.example/", "not_allowlisted", f"The host other.example {NOT_LISTED}"),
        ("https://xdocs.example.org/", "not_allowlisted",
         f"The host xdocs.example.org {NOT_LISTED}"),
        ("http://127.0.0.1/", "not_allowlisted", f"The address 127.0.0.1 {NOT_LISTED}"),
        ("http://[::1]/", "not_allowlisted", f"The address ::1 {NOT_LISTED}"),
        ("http://2130706433/", "not_allowlisted", f"The address 2130706433 {NOT_LISTED}"),
        ("http://0x7f000001/", "not_allowlisted", f"The address 0x7f000001 {NOT_LISTED}"),
        ("http://127.1/", "not_allowlisted", f"The address 127.1 {NOT_LISTED}"),
        ("http://[::ffff:127.0.0.1]/", "not_allowlisted",
         f"The address ::ffff:127.0.0.1 {NOT_LISTED}"),
    ],
)  # fmt: skip
def test_a_url_that_is_not_allowed_says_which_rule_it_breaks(url, reason, detail):
    network = Network(resolve=no_host)
    with DocsClient(DocsRules(allow_hosts=NAMED), transport=network) as client:
        outcome = client.read(url).outcome

    assert isinstance(outcome, Blocked)
    assert (outcome.reason, outcome.detail) == (reason, detail)


ABSOLUTE = "Not an absolute URL: it must start with https:// or http:// and a host."


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("", ABSOLUTE),
        ("quickstart.html", ABSOLUTE),
        ("//docs.example.org/a", ABSOLUTE),
        ("https://", ABSOLUTE),
        ("https:///a", ABSOLUTE),
        ("https://docs.example.org:0/", "Not a valid URL: 0 is no port."),
        ("https://docs.example.org:65536/", "Not a valid URL: 65536 is no port."),
        ("https://do cs.example.org/", "Not a valid URL: do%20cs.example.org is no host name."),
        ("http://0177.0.0.1/", "Not a valid URL: Invalid IPv4 address: '0177.0.0.1'"),
        ("https://docs.example.org/" + "a" * 9_000, "The URL is longer than 8000 characters."),
        ("https://docs.example.org/",
         "The host docs.example.org has no address: [Errno -2] Name or service not known"),
    ],
)  # fmt: skip
def test_a_url_that_cannot_be_asked_for_says_why(url, error):
    network = Network(resolve=no_host)
    with DocsClient(DocsRules(allow_hosts=NAMED), transport=network) as client:
        outcome = client.read(url).outcome

    assert isinstance(outcome, Failed)
    assert outcome.error == error


def sending(data):
    return lambda stream: stream.write(data)


OK = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"
CUT = "peer closed connection without sending complete message body"
BROKEN = "127.0.0.1 broke the connection off"
NOT_HTTP = f"{BROKEN}, or its answer is not valid HTTP: "


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (page("x", 403), "HTTP 403 Forbidden"),
        (page("x", 404), "HTTP 404 Not Found"),
        (page("x", 500), "HTTP 500 Internal Server Error"),
        ((200, {"content-type": "text/html"}, b""), "The page is empty."),
        (redirect("/a"), "URL redirects to itself: it may want a cookie, and none are kept."),
        (sending(b""), f"{BROKEN}: Server disconnected without sending a response."),
        (sending(b"<p>HTTP/0.9</p>\r\n\r\n"),
         NOT_HTTP + "illegal status line: '<p>HTTP/0.9</p>'"),
        (sending(OK + b"content-length: -1\r\n\r\na"), NOT_HTTP + "bad Content-Length"),
        (sending(OK + b"content-length: 9\r\ncontent-length: 8\r\n\r\na"),
         NOT_HTTP + "conflicting Content-Length headers"),
        (sending(OK + b"x: " + b"y" * 1_000_000 + b"\r\n\r\na"),
         NOT_HTTP + "Receive buffer too long"),
        (sending(OK + b"content-length: 9\r\n\r\nshort"),
         f"{BROKEN}: {CUT} (received 5 bytes, expected 9)"),
        (sending(OK + b"content-length: 99999999999\r\n\r\na"),
         "The page is larger than 20,000,000 bytes."),
        (sending(OK + b"transfer-encoding: chunked\r\n\r\nzz\r\n"),
         f"{BROKEN}: illegal chunk header: 'zz\\r\\n'"),
    ],
)  # fmt: skip
def test_an_answer_that_is_no_page_says_what_it_is(answer, error):
    with DocsServer({"/a": answer}) as server, DocsClient(rules()) as client:
        outcome = client.read(server.url("/a")).outcome

    assert isinstance(outcome, Failed)
    assert outcome.error == error.replace("URL redirects", f"{server.url('/a')} redirects")


def test_a_body_that_is_longer_than_announced_ends_where_it_was_to_end():
    answer = sending(OK + b"connection: close\r\ncontent-length: 2\r\n\r\nab and more")
    with DocsServer({"/a": answer}) as server, DocsClient(rules()) as client:
        assert client.read(server.url("/a")).outcome.text == "ab"


def test_a_connection_that_breaks_in_the_middle_of_a_page_is_tried_again():
    answers = {"/a": [sending(OK + b"content-length: 9\r\n\r\nshort"), page("<p>whole</p>")]}
    with DocsServer(answers) as server, DocsClient(rules()) as client:
        assert client.read(server.url("/a")).outcome.text == "whole"


def stalling(stop, begun):
    def answer(stream):
        stream.write(begun)
        stream.flush()
        stop.wait(20)

    return answer


@pytest.mark.parametrize(
    ("begun", "error"),
    [
        (b"", "127.0.0.1 did not answer in time."),
        (
            OK + b"content-length: 9\r\n\r\nab",
            "127.0.0.1 did not send the rest of the page in time.",
        ),
    ],
)
def test_a_server_that_stops_says_before_or_in_the_page(begun, error):
    stop = threading.Event()
    limits = rules(read_timeout_s=0.2, respect_robots=False)
    with DocsServer({"/a": stalling(stop, begun)}) as server, DocsClient(limits) as client:
        outcome = client.read(server.url("/a")).outcome
        stop.set()

    assert outcome.error == error


STRANGER = (
    "an authority that is not trusted here, or the server leaves out its intermediate certificate."
)


def stamp(days):
    return (dt.datetime.now(dt.UTC) + dt.timedelta(days=days)).strftime("%Y%m%d%H%M%SZ")


@pytest.mark.parametrize(
    ("name", "days", "by", "words"),
    [
        ("IP:127.0.0.1", (-30, -1), "trusted", "has expired."),
        ("IP:127.0.0.1", (1, 30), "trusted", "is not valid yet."),
        ("IP:127.0.0.1", (-1, 30), "itself", "is signed by itself."),
        ("IP:127.0.0.1", (-1, 30), "stranger",
         f"is signed by {STRANGER}"),
        ("IP:127.0.0.2", (-1, 30), "trusted", "is for another address."),
        ("IP:127.0.0.1", (-1, 30), "trusted", ""),
    ],
)  # fmt: skip
def test_a_certificate_that_does_not_hold_says_why(tmp_path, name, days, by, words):
    root = make_authority(tmp_path)
    (tmp_path / "other").mkdir()
    trusted = make_authority(tmp_path / "other") if by == "stranger" else root
    validity = stamp(days[0]), stamp(days[1])
    leaf = make_leaf(tmp_path, None if by == "itself" else root, name, validity=validity)
    limits = rules(extra_ca_files=(trusted[0],), respect_robots=False)
    with TlsServer(leaf) as server, DocsClient(limits) as client:
        outcome = client.read(server.url).outcome

    if words:
        assert outcome.error == f"TLS with 127.0.0.1 failed: its certificate {words}"
    else:
        assert outcome.text == "a"


def test_a_certificate_for_another_name(tmp_path):
    root = make_authority(tmp_path)
    leaf = make_leaf(tmp_path, root, "DNS:other.example", validity=(stamp(-1), stamp(30)))
    network = Network(
        private_hosts=NAMED, extra_ca_files=(root[0],), resolve=lambda *_: ["127.0.0.1"]
    )
    limits = DocsRules(allow_hosts=NAMED, respect_robots=False)
    with TlsServer(leaf) as server, DocsClient(limits, transport=network) as client:
        outcome = client.read(server.url.replace("127.0.0.1", NAMED[0])).outcome

    assert outcome.error == "TLS with docs.example.org failed: its certificate is for another name."


def test_a_host_with_an_address_that_refuses_is_read_from_the_next():
    answers = {"/a": page("<p>a</p>")}
    limits = DocsRules(allow_hosts=NAMED, respect_robots=False)
    network = Network(private_hosts=NAMED, resolve=lambda *_: ["127.0.0.9", "127.0.0.1"])
    with DocsServer(answers) as server, DocsClient(limits, transport=network) as client:
        assert client.read(server.url("/a", host=NAMED[0])).outcome.text == "a"


def test_a_host_with_an_address_that_is_silent_is_read_from_the_next():
    limits = DocsRules(allow_hosts=NAMED, respect_robots=False)
    network = Network(private_hosts=NAMED, resolve=lambda *_: ["127.0.0.9", "127.0.0.1"])
    with (
        DocsServer({"/a": page("<p>a</p>")}) as server,
        full_queue(server),
        DocsClient(limits, transport=network) as client,
    ):
        outcome = client.read(server.url("/a", host=NAMED[0])).outcome

    assert outcome.text == "a"


class full_queue:  # noqa: N801 (used as a function)
    """Listens at 127.0.0.9 on the server's port, and accepts nobody any more."""

    def __init__(self, server):
        self._address = ("127.0.0.9", server.server_address[1])

    def __enter__(self):
        self._listener = socket.create_server(self._address, backlog=0)
        self._waiting = [socket.socket() for _ in range(4)]
        for one in self._waiting:
            one.settimeout(0)
            one.connect_ex(self._address)
        return self

    def __exit__(self, *_):
        for one in [*self._waiting, self._listener]:
            one.close()


@pytest.mark.parametrize(
    ("found", "tried"),
    [
        (["::1", "::2", "::3", "1.1.1.1"], ["::1", "1.1.1.1", "::2", "::3"]),
        (["1.1.1.1", "2.2.2.2", "::1"], ["1.1.1.1", "::1", "2.2.2.2"]),
        (["1.1.1.1"], ["1.1.1.1"]),
    ],
)
def test_both_families_have_their_turn(found, tried):
    assert tried == by_turns(found)
