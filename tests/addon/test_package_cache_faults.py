"""Whatever is wrong with the cache: the answer comes from upstream, and one event says so."""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from pathlib import Path

import pytest
from origins import pattern
from package_caching import POLICY, kept, order, shown, started, until, wait_until_kept
from sidecar_process import SidecarProcess, ask, fetch, open_tunnel, over_tls, read_head

SIZE = 300_001
SMALL_DISK = Path("/small")
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
    tls_origin.requests.clear()
    return tmp_path


@pytest.fixture
def caching(folder, trust_pem):
    process = started(folder, trust_pem)
    yield process
    process.stop()


def url(name, size=SIZE):
    return f"https://ok.test/pool/{size}/plain/{name}"


def fill(caching, folder, *names):
    for name in names:
        fetch(url(name))
    wait_until_kept(folder, len(names))
    caching.drain_until(len(names))
    caching.attempt(POLICY)


def rewrite(path, data):
    path.chmod(0o600)
    path.write_bytes(data)


def damage_content(folder):
    (blob,) = kept(folder)
    rewrite(blob, b"x" * SIZE)


def shorten_content(folder):
    (blob,) = kept(folder)
    rewrite(blob, pattern(SIZE)[:1000])


def remove_content(folder):
    (blob,) = kept(folder)
    blob.unlink()


def damage_entry(folder):
    (entry,) = kept(folder, "entries")
    rewrite(entry, b'{"url": ')


def empty_entry(folder):
    (entry,) = kept(folder, "entries")
    rewrite(entry, b"[]")


@pytest.mark.parametrize("damage", [damage_content, shorten_content, damage_entry, empty_entry])
def test_what_is_damaged_is_dropped_and_fetched_anew(caching, folder, damage, tls_origin):
    fill(caching, folder, "a")
    damage(folder)
    second = fetch(url("a"))
    events = shown(caching.drain_until(2))
    wait_until_kept(folder)
    caching.attempt(POLICY)
    third = fetch(url("a"))

    assert pattern(SIZE) == second.body == third.body
    assert [("egress_allowed", 200, SIZE, False), ("egress_error", "package_cache")] == sorted(
        events
    )
    assert [("egress_allowed", 200, SIZE, True)] == shown(caching.drain_until(1))
    assert 2 == len(tls_origin.requests)


def test_what_another_sidecar_has_removed_is_fetched_anew(caching, folder):
    fill(caching, folder, "a")
    remove_content(folder)

    assert pattern(SIZE) == fetch(url("a")).body
    assert [("egress_allowed", 200, SIZE, False)] == shown(caching.drain_until(1))
    assert 1 == len(wait_until_kept(folder))


def test_damage_is_told_once_an_attempt(caching, folder):
    fill(caching, folder, "a", "b", "c")
    for entry in kept(folder, "entries"):
        rewrite(entry, b"no")
    bodies = [fetch(url(name)).body for name in "abc"]
    kinds = [event[0] for event in shown(caching.drain_until(4))]

    assert [pattern(SIZE)] * 3 == bodies
    assert 1 == kinds.count("egress_error")


def test_a_full_disk_is_told_once_and_everything_passes(trust_pem, tls_origin):
    process = started(SMALL_DISK, trust_pem)
    names = ["a", "b"]
    bodies = [fetch(url(name, 3_000_000)).body for name in names]
    events = shown(process.drain_until(3))
    process.stop()

    assert [pattern(3_000_000)] * 2 == bodies
    assert [("egress_allowed", 200, 3_000_000, False)] * 2 == [
        event for event in events if event[0] == "egress_allowed"
    ]
    assert 1 == [event[0] for event in events].count("egress_error")
    assert [] == kept(SMALL_DISK) + kept(SMALL_DISK, "partial")


def test_a_folder_that_is_none_is_told_and_everything_passes(trust_pem, tls_origin, tmp_path):
    file = tmp_path / "file"
    file.write_text("no folder")
    process = started(file, trust_pem)
    answer = fetch(url("a"))
    events = shown(process.drain_until(2))
    process.stop()

    assert pattern(SIZE) == answer.body
    assert {"egress_allowed", "egress_error"} == {event[0] for event in events}


def test_what_was_not_used_for_longest_goes_when_there_is_too_much(trust_pem, folder, tls_origin):
    process = started(folder, trust_pem, max_bytes=12 * SIZE)
    for count in range(11):
        fetch(url(f"a{count}", SIZE + count))
    for entry in wait_until_kept(folder, 11):
        age = 1000 if f"/{SIZE + 4}/" in entry.read_text() else 10
        os.utime(entry, (time.time() - age,) * 2)
    fetch(url("last", SIZE + 99))
    until(lambda: len(kept(folder)) == 10)
    left = "".join(path.read_text() for path in kept(folder, "entries"))
    process.stop()

    assert f"/{SIZE + 99}/" in left
    assert f"/{SIZE + 4}/" not in left
    assert sum(path.stat().st_size for path in kept(folder)) <= 11 * SIZE


def test_a_file_of_more_than_a_tenth_of_the_limit_is_not_kept(trust_pem, folder, tls_origin):
    process = started(folder, trust_pem, max_bytes=9 * SIZE)
    fetch(url("a"))
    process.drain_until(1)
    process.stop()

    assert [] == kept(folder) + kept(folder, "partial")


def test_sidecars_that_write_at_the_same_time_leave_one_whole_file(trust_pem, folder, tls_origin):
    size, bodies = 4_000_000, []
    here = started(folder, trust_pem)
    there = SidecarProcess(order(folder, trust_pem), listen="127.0.0.2").ready()
    context = ssl.create_default_context(cadata=there.ready_report["ca_pem"])

    def ask_here():
        bodies.append(fetch(url("a", size)).body)

    def ask_there():
        sock = socket.create_connection((there.listen, 443))
        with context.wrap_socket(sock, server_hostname="ok.test") as tls:
            bodies.append(ask(tls, "GET", f"/pool/{size}/plain/a", "ok.test").body)

    threads = [threading.Thread(target=each) for each in (ask_here, ask_there) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until_kept(folder)
    here.stop()
    there.stop()

    assert [pattern(size)] * 6 == bodies
    assert 1 == len(kept(folder)) == len(kept(folder, "entries"))
    assert pattern(size) == kept(folder)[0].read_bytes()


def test_another_sidecar_gives_what_the_first_has_kept(trust_pem, folder, tls_origin):
    first = started(folder, trust_pem)
    fetch(url("a"))
    wait_until_kept(folder)
    first.stop()
    second = started(folder, trust_pem)
    answer = fetch(url("a"))
    events = shown(second.drain_until(1))
    second.stop()

    assert pattern(SIZE) == answer.body
    assert [("egress_allowed", 200, SIZE, True)] == events
    assert 1 == len(tls_origin.requests)


@pytest.mark.parametrize(
    "cache",
    [{"folder": "/x"}, {"folder": "/x", "max_bytes": 1, "immutable": [{"host": "A"}]}, [1]],
)
def test_a_cache_that_is_not_described_is_no_start(trust_pem, cache):
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem, "package_cache": cache})
    report, code = process.next(), process.wait()
    process.stop()

    assert ("refused", 78) == (report["report"], code)


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
