"""What breaks, stalls or ends while files of the cache are opened, sent or verified."""

from __future__ import annotations

import time

import pytest
from origins import pattern
from package_caching import POLICY, order, shown, started, until, wait_until_kept
from sidecar_process import SidecarProcess, fetch, open_tunnel, over_tls, read_head

SIZE = 300_001
KEEPS_SLOWLY = """
import pathlib, time
from quickstarted_proxy import __main__, trimmed
trimmed.install()
from quickstarted_proxy.package_store import Store
keep = Store.keep
def keep_slowly(self, writing):
    while not pathlib.Path("{go}").exists():
        time.sleep(0.01)
    return keep(self, writing)
Store.keep = keep_slowly
__main__.main()
"""
BREAKS_WHILE_SENDING = """
from quickstarted_proxy import __main__, trimmed
trimmed.install()
from quickstarted_proxy import shortcut
async def broken(*_):
    raise RuntimeError("injected")
shortcut.send_file = broken
__main__.main()
"""
IS_IDLE_SOON = """
from quickstarted_proxy import __main__, trimmed
trimmed.install()
from mitmproxy.proxy import server
begin = server.TimeoutWatchdog.__init__
def begin_soon(self, _timeout, callback):
    begin(self, 1, callback)
server.TimeoutWatchdog.__init__ = begin_soon
__main__.main()
"""
OPENS_SLOWLY = """
import pathlib, time
from quickstarted_proxy import __main__, trimmed
trimmed.install()
from quickstarted_proxy.package_store import Store
opened = Store.open
def open_slowly(self, address, entry):
    pathlib.Path("{come}").touch()
    while not pathlib.Path("{go}").exists():
        time.sleep(0.01)
    return opened(self, address, entry)
Store.open = open_slowly
__main__.main()
"""


@pytest.fixture
def folder(tmp_path, tls_origin, http_origin):
    return tmp_path


def url(name, size=SIZE):
    return f"https://ok.test/pool/{size}/plain/{name}"


def test_what_begins_while_a_file_is_verified_is_settled_with_the_rest(
    folder, trust_pem, tls_origin
):
    go = folder / "go"
    launch = KEEPS_SLOWLY.format(go=go)
    process = SidecarProcess(order(folder, trust_pem), launch=launch).ready()
    fetch(url("a"))
    process.drain(settle=False)
    process.send({"order": "scope", "scope": 2, "settle": True})
    time.sleep(0.3)  # until the order has been read, or the test tells nothing
    with over_tls(open_tunnel("ok.test:443")[0], "ok.test") as unfinished:
        unfinished.sendall(b"GET /pool/300/stall/b HTTP/1.1\r\nHost: ok.test\r\n\r\n")
        assert b"200 OK" in read_head(unfinished)
        go.touch()
        _, events = process.wait_for("scope")
    tls_origin.released.set()
    tls_origin.released.clear()
    process.stop()

    assert ["unfinished"] == [event.get("detail") for event in events]


def kept_by(folder, trust_pem, launch, size=SIZE):
    """A file that is kept, and a sidecar of a fault test that has it."""
    first = started(folder, trust_pem)
    fetch(url("a", size))
    wait_until_kept(folder)
    first.stop()
    return SidecarProcess(order(folder, trust_pem), launch=launch).ready()


def test_what_breaks_while_a_file_is_sent_is_told_and_ends_the_answer(
    folder, trust_pem, tls_origin
):
    process = kept_by(folder, trust_pem, BREAKS_WHILE_SENDING)
    with pytest.raises(Exception, match=r".*"):
        fetch(url("a"))
    (event,) = process.drain_until(1)
    process.stop()

    assert ("egress_error", "policy_exception") == (event["type"], event["detail"])
    assert "RuntimeError: injected" == event["error"]


def test_a_client_that_reads_nothing_is_let_go(folder, trust_pem, tls_origin):
    size = 60_000_000
    process = kept_by(folder, trust_pem, IS_IDLE_SOON, size)
    with over_tls(open_tunnel("ok.test:443")[0], "ok.test") as stalled:
        stalled.sendall(f"GET /pool/{size}/plain/a HTTP/1.1\r\nHost: ok.test\r\n\r\n".encode())
        assert b"200 OK" in read_head(stalled)
        event = process.next_event()
    process.stop()

    assert ("egress_error", "package_cache") == (event["type"], event["detail"])
    assert "the client reads nothing" in event["error"]


def test_a_file_that_was_looked_for_by_an_earlier_attempt_is_not_given_to_the_next(
    folder, trust_pem, tls_origin
):
    come, go = folder / "come", folder / "go"
    process = kept_by(folder, trust_pem, OPENS_SLOWLY.format(come=come, go=go))
    with over_tls(open_tunnel("ok.test:443")[0], "ok.test") as early:
        early.sendall(f"GET /pool/{SIZE}/plain/a HTTP/1.1\r\nHost: ok.test\r\n\r\n".encode())
        until(come.exists)
        process.send({"order": "attempt", "policy": POLICY})
        time.sleep(0.3)  # until the order has been read, or the test tells nothing
        go.touch()
        process.wait_for("attempt_ready")
        answered = early.recv(1)
    answer = fetch(url("a"))
    events = shown(process.drain_until(1))
    process.stop()

    assert b"" == answered
    assert pattern(SIZE) == answer.body
    assert [("egress_allowed", 200, SIZE, True)] == events
