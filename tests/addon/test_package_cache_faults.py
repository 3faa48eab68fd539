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
from sidecar_process import SidecarProcess, ask, fetch

SIZE = 300_001
SMALL_DISK = Path("/small")


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
