"""The store of pages: whole or not there, whoever writes and whatever happens meanwhile."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quickstarted.docs.store import NoStore, Store, StoredPage
from quickstarted.docs.store.place import configured_cache
from quickstarted.docs.store.records import load
from quickstarted.errors import UsageError

KEY = ("text/html", "https://docs.example/a")
PAGE = StoredPage(status=200, headers=(("content-type", "text/html"), ("etag", '"1"')), body=b"one")


def files_of(folder, kind):
    return sorted(path for path in (folder / "v1" / kind).glob("*/*"))


@pytest.fixture(name="store")
def _store(tmp_path):
    return Store(tmp_path / "cache", 1_000)


def test_what_was_stored_is_given_back_as_it_was(store):
    store.put(KEY, PAGE)

    assert store.get(KEY) == PAGE
    assert store.get(("text/markdown", KEY[1])) is None
    assert (store.folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172")


def test_a_newer_page_takes_the_place_of_the_older(store):
    newer = StoredPage(status=404, headers=(), body=b"gone")
    store.put(KEY, PAGE)
    store.put(KEY, newer)

    assert store.get(KEY) == newer


def test_equal_bodies_are_one_file(store):
    store.put(KEY, PAGE)
    store.put(("text/html", "https://docs.example/b"), PAGE)

    assert len(files_of(store.folder, "bodies")) == 1
    assert store.usage().body_bytes == 3


def test_cookies_are_never_on_disk(store):
    headers = (*PAGE.headers, ("Set-Cookie", "session=secret"))
    store.put(KEY, StoredPage(status=200, headers=headers, body=b"one"))

    assert store.get(KEY) == PAGE
    assert b"secret" not in files_of(store.folder, "pages")[0].read_bytes()


def test_that_a_page_must_not_be_stored_takes_the_place_of_the_page(store):
    store.put(KEY, PAGE)
    store.put(KEY, NoStore())

    assert store.get(KEY) == NoStore()
    assert store.usage().pages == 0


@pytest.mark.parametrize("kind", ["pages", "bodies"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: b"\0" * len(data),
        lambda data: data[: len(data) // 2] + b"?" + data[len(data) // 2 + 1 :],
    ],
)
def test_what_is_damaged_does_not_count_and_can_be_stored_again(store, kind, damage):
    store.put(KEY, PAGE)
    place = files_of(store.folder, kind)[0]
    place.write_bytes(damage(place.read_bytes()))

    assert store.get(KEY) is None
    store.put(KEY, PAGE)
    assert store.get(KEY) == PAGE


@pytest.mark.parametrize("text", [b"[]", b"{}", b'{"headers": 1}', b'{"headers": [], "new": 1}'])
def test_a_record_of_another_form_does_not_count(text):
    import hashlib

    assert load(hashlib.sha256(text).hexdigest().encode() + b" " + text + b"\n") is None


def test_what_was_not_used_for_longest_goes_first(store):
    keys = [("text/html", f"https://docs.example/{number}") for number in range(5)]
    for age, key in enumerate(keys):
        store.put(key, StoredPage(status=200, headers=(), body=key[1].encode() * 13))
        os.utime(store._place(key), (time.time() - age * 60,) * 2)
    store.prune()

    assert [True] * 3 + [False] * 2 == [store.get(key) is not None for key in keys]
    assert store.usage().body_bytes <= 1_000 * 0.9
    assert len(files_of(store.folder, "bodies")) == 3


def test_a_store_within_its_size_loses_nothing_but_what_killed_writers_left(store):
    store.put(KEY, PAGE)
    left = files_of(store.folder, "bodies")[0].parent / ".new-left"
    left.write_bytes(b"half")
    os.utime(left, (time.time() - 7_200,) * 2)
    young = left.with_name(".new-young")
    young.write_bytes(b"half")
    store.prune()

    assert store.get(KEY) == PAGE
    assert (left.exists(), young.exists()) == (False, True)


def test_clearing_removes_pages_and_nothing_beside_them(store):
    store.put(KEY, PAGE)
    (store.folder / "mine.txt").write_text("x")

    assert store.clear() == 1
    assert store.get(KEY) is None
    assert (store.folder / "mine.txt").exists()


WRITER = """
import sys
from pathlib import Path
from quickstarted.docs.store import Store, StoredPage
store = Store(Path(sys.argv[1]), 10**9)
print("ready", flush=True)
number = 0
while number < int(sys.argv[3]):
    for name in range(4):
        body = (sys.argv[2] + str(number % 50)).encode() * 20_000
        headers = (("etag", sys.argv[2] + str(number % 50)),)
        page = StoredPage(status=200, headers=headers, body=body)
        store.put(("text/html", f"https://docs.example/{name}"), page)
        found = store.get(("text/html", f"https://docs.example/{name}"))
        assert found is None or found.body == found.header("etag").encode() * 20_000, "torn"
    number += 1
print(number)
"""


def writer(folder, name, rounds):
    command = [sys.executable, "-c", WRITER, folder, name, str(rounds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_write_the_same_pages_at_once_tear_none(store):
    writers = [writer(store.folder, name, 60) for name in ("a", "b")]
    ends = [one.communicate(timeout=100) for one in writers]

    assert [0, 0] == [one.returncode for one in writers], ends
    for number in range(4):
        found = store.get(("text/html", f"https://docs.example/{number}"))
        assert found.body == found.header("etag").encode() * 20_000


def test_a_killed_writer_leaves_a_valid_store(store):
    for delay_s in (0.01, 0.05, 0.11):
        process = writer(store.folder, "k", 10**6)
        process.stdout.readline()
        time.sleep(delay_s)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        for number in range(4):
            found = store.get(("text/html", f"https://docs.example/{number}"))
            assert found is None or found.body == found.header("etag").encode() * 20_000
    store.put(KEY, PAGE)
    assert store.get(KEY) == PAGE


SIZE = "QUICKSTARTED_DOCS_CACHE_SIZE"
USUAL = 1024**3


@pytest.mark.parametrize(
    ("environ", "flag", "expected"),
    [
        ({}, None, ("/h/.cache/quickstarted/docs", USUAL)),
        ({"XDG_CACHE_HOME": "/x"}, None, ("/x/quickstarted/docs", USUAL)),
        ({"XDG_CACHE_HOME": "x"}, None, ("/h/.cache/quickstarted/docs", USUAL)),
        ({SIZE: "0"}, None, (None, USUAL)),
        ({SIZE: "0"}, "/c", ("/c", USUAL)),
        ({SIZE: "2m"}, "/c", ("/c", 2 * 1024**2)),
    ],
)
def test_where_pages_are_kept_and_how_much(environ, flag, expected):
    folder, max_bytes = configured_cache({"HOME": "/h", **environ}, flag and Path(flag))

    assert expected == (folder and str(folder), max_bytes)


def test_a_size_that_is_none_and_a_folder_that_is_a_file_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")

    with pytest.raises(UsageError, match="QUICKSTARTED_DOCS_CACHE_SIZE=big is not a size"):
        configured_cache({"QUICKSTARTED_DOCS_CACHE_SIZE": "big"})
    with pytest.raises(UsageError, match="is not a folder"):
        configured_cache({}, tmp_path / "file")
