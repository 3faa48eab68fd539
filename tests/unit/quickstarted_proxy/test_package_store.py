"""The folder in which files are kept."""

import hashlib
import io
import json
import os
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from quickstarted_proxy.go_hashes import hash_of_mod, hash_of_zip
from quickstarted_proxy.immutable import Address, Digest
from quickstarted_proxy.package_entries import Entry, key_of
from quickstarted_proxy.package_store import Store, Unusable

CONTENT = b"content of a package" * 100
HEADERS = {"etag": '"v1"'}


def address(name="a", digest=None):
    return Address(scheme="https", host="files.test", path=f"/{name}", digest=digest)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path, 10**6)


def put(store, where=None, content=CONTENT, headers=HEADERS):
    writing = store.begin(where or address(), len(content), headers)
    writing.write(content[:7])
    writing.write(memoryview(content)[7:])
    assert writing.end()
    return store.keep(writing)


def read(store, where=None):
    where = where or address()
    entry = store.find(where)
    file = store.open(where, entry) if entry else None
    if file is None:
        return None
    with file:
        return file.read()


def files(folder, kind):
    return sorted(path for path in (folder / "v1" / kind).glob("**/*") if path.is_file())


def test_what_was_put_in_comes_out(store):
    entry = put(store)

    assert CONTENT == read(store)
    assert entry == store.find(address())
    assert (HEADERS, "first transfer") == (entry.headers, entry.verified)


def test_nothing_is_found_in_an_empty_folder(store):
    assert store.find(address()) is None


def test_addresses_with_one_content_share_a_file(store, tmp_path):
    put(store, address("a"))
    put(store, address("b"))

    assert (1, 2) == (len(files(tmp_path, "blobs")), len(files(tmp_path, "entries")))


def test_nothing_is_seen_before_it_is_complete(store, tmp_path):
    writing = store.begin(address(), len(CONTENT), {})
    writing.write(CONTENT[:10])

    assert store.find(address()) is None
    assert not writing.end()
    assert [] == files(tmp_path, "partial") + files(tmp_path, "blobs")


def test_more_than_was_announced_is_refused(store):
    writing = store.begin(address(), 3, {})
    with pytest.raises(OSError, match="more has come"):
        writing.write(b"four")
    writing.abort()


@pytest.mark.parametrize(
    ("digest", "headers"),
    [
        (Digest("sha256", "0" * 64), {}),
        (Digest("sha512", "0" * 128), {}),
        (Digest("blake2b-256", "0" * 64), {}),
        (None, {"x-checksum-sha256": "0" * 64}),
    ],
)
def test_what_has_not_the_announced_digest_is_not_kept(store, tmp_path, digest, headers):
    assert put(store, address(digest=digest), headers=headers) is None
    assert [] == files(tmp_path, "partial") + files(tmp_path, "blobs")


@pytest.mark.parametrize(
    ("digest", "headers", "verified"),
    [
        (Digest("sha512", hashlib.sha512(CONTENT).hexdigest()), {}, "sha512"),
        (
            Digest("blake2b-256", hashlib.blake2b(CONTENT, digest_size=32).hexdigest()),
            {"x-checksum-sha256": hashlib.sha256(CONTENT).hexdigest().upper()},
            "blake2b-256",
        ),
        (None, {"x-checksum-sha256": hashlib.sha256(CONTENT).hexdigest()}, "sha256"),
        (None, {"x-checksum-sha256": "none"}, "first transfer"),
    ],
)
def test_what_has_it_is_kept(store, digest, headers, verified):
    assert verified == put(store, address(digest=digest), headers=headers).verified


def module(content=b"package x\n"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x@v1.0.0/go.mod", b"module x\n")
        archive.writestr("x@v1.0.0/x.go", content)
    return packed.getvalue()


def of_go(kind, content):
    if kind == "go-h1-zip":
        return Digest(kind, hash_of_zip(io.BytesIO(content)))
    return Digest(kind, hash_of_mod(hashlib.sha256(content).hexdigest()))


@pytest.mark.parametrize("kind", ["go-h1-zip", "go-h1-mod"])
def test_what_has_the_hash_that_go_gives_is_kept(store, tmp_path, kind):
    good, bad = module(), module(b"package evil\n")

    assert kind == put(store, address(digest=of_go(kind, good)), good).verified
    assert put(store, address("b", digest=of_go(kind, good)), bad) is None
    assert [] == files(tmp_path, "partial")


def test_what_is_no_module_is_not_kept_as_one(store):
    assert put(store, address(digest=Digest("go-h1-zip", "0" * 64))) is None


KNOWN_LATER = {
    "sha256": lambda content: Digest("sha256", hashlib.sha256(content).hexdigest()),
    "go-h1-zip": lambda content: of_go("go-h1-zip", content),
    "go-h1-mod": lambda content: of_go("go-h1-mod", content),
}


@pytest.mark.parametrize("kind", KNOWN_LATER)
def test_what_becomes_known_of_a_kept_file_is_compared_once(store, kind):
    content = module()
    put(store, content=content)
    known = address(digest=KNOWN_LATER[kind](content))

    assert content == read(store, known)
    assert kind == store.find(address()).verified
    assert content == read(store, known) == read(store)


@pytest.mark.parametrize("kind", KNOWN_LATER)
def test_a_kept_file_that_is_not_what_becomes_known_of_it_is_dropped(store, tmp_path, kind):
    put(store, content=module())
    with pytest.raises(Unusable, match="not what was announced"):
        read(store, address(digest=KNOWN_LATER[kind](module(b"package other\n"))))

    assert [] == files(tmp_path, "blobs") + files(tmp_path, "entries")


def test_a_list_that_says_something_else_than_the_last_one_is_believed(store):
    put(store, address(digest=KNOWN_LATER["sha256"](CONTENT)))
    with pytest.raises(Unusable, match="not what was announced"):
        read(store, address(digest=Digest("sha256", "0" * 64)))


def damaged(path, content):
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("content", [b"x" * len(CONTENT), CONTENT[:-1], b""])
def test_a_damaged_file_is_dropped_with_its_entry(store, tmp_path, content):
    put(store)
    damaged(files(tmp_path, "blobs")[0], content)
    with pytest.raises(Unusable, match="is dropped from the package cache"):
        read(store)

    assert [] == files(tmp_path, "blobs") + files(tmp_path, "entries")


def test_a_file_that_has_not_changed_is_verified_again_after_a_day(store, tmp_path):
    entry = put(store)
    read(store)
    soon = store.find(address())
    read(Store(tmp_path, 10**6, now=lambda: time.time() + 25 * 3600))
    late = store.find(address())

    assert entry == soon
    assert entry.checked + 24 * 3600 < late.checked
    assert entry.state == late.state


def test_a_file_that_came_with_another_state_is_verified_once(store, tmp_path):
    put(store)
    (path,) = files(tmp_path, "entries")
    moved = {**json.loads(path.read_bytes()), "state": "", "checked": 0.0}
    path.write_text(json.dumps(moved))
    assert CONTENT == read(store)

    assert store.find(address()).state
    assert [] == files(tmp_path, "partial")


def test_a_file_that_is_damaged_after_it_was_verified_is_noticed(store, tmp_path):
    put(store)
    assert CONTENT == read(store)
    damaged(files(tmp_path, "blobs")[0], b"y" * len(CONTENT))

    with pytest.raises(Unusable):
        read(store)


def test_a_file_that_another_has_removed_is_not_there(store, tmp_path):
    put(store)
    files(tmp_path, "blobs")[0].unlink()

    assert read(store) is None
    assert [] == files(tmp_path, "entries")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"\xff", b'{"url": 1}', json.dumps({"url": "x"}).encode()]
)
def test_a_damaged_entry_is_dropped(store, tmp_path, content):
    put(store)
    damaged(files(tmp_path, "entries")[0], content)
    with pytest.raises(Unusable):
        store.find(address())

    assert store.find(address()) is None


def test_an_entry_under_anothers_name_is_dropped(store, tmp_path):
    put(store, address("a"))
    (path,) = files(tmp_path, "entries")
    other = tmp_path / "v1" / "entries" / address("b").key[:2] / address("b").key
    other.parent.mkdir(exist_ok=True)
    path.rename(other)

    assert store.find(address("b")) is None
    assert [] == files(tmp_path, "entries")


def test_what_was_not_used_for_longest_makes_room(tmp_path):
    store = Store(tmp_path, 1000)
    for age, name in enumerate("abcdefghij"):
        put(store, address(name), content=name.encode() * 100)
        path = tmp_path / "v1" / "entries" / address(name).key[:2] / address(name).key
        os.utime(path, (time.time() - 100 + age,) * 2)
    assert b"a" * 100 == read(store, address("a"))
    put(store, address("new"), content=b"n" * 100)

    assert b"a" * 100 == read(store, address("a"))
    assert (None, None) == (read(store, address("b")), read(store, address("c")))
    assert b"n" * 100 == read(store, address("new"))
    assert sum(path.stat().st_size for path in files(tmp_path, "blobs")) <= 900


def test_what_no_entry_names_goes_when_room_is_made(tmp_path):
    store = Store(tmp_path, 1000)
    put(store, address("a"), content=b"a" * 600)
    (entry,), (blob,) = files(tmp_path, "entries"), files(tmp_path, "blobs")
    entry.unlink()
    os.utime(blob, (time.time() - 7200,) * 2)
    put(store, address("b"), content=b"b" * 500)

    assert [b"b" * 500] == [path.read_bytes() for path in files(tmp_path, "blobs")]


def test_what_a_killed_sidecar_was_writing_goes_in_time(tmp_path):
    store = Store(tmp_path, 100)
    left = tmp_path / "v1" / "partial" / "left"
    young = left.with_name("young")
    left.parent.mkdir(parents=True)
    left.write_bytes(b"x")
    young.write_bytes(b"x")
    os.utime(left, (time.time() - 7200,) * 2)
    put(store, content=b"c" * 10)

    assert [young] == files(tmp_path, "partial")


@pytest.mark.parametrize(("size", "fits"), [(10, True), (100, True), (101, False)])
def test_a_file_has_a_tenth_of_the_limit_at_most(tmp_path, size, fits):
    assert fits == Store(tmp_path, 1000).fits(size)


def test_a_folder_that_cannot_be_made_is_unusable(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Unusable, match="cannot be written"):
        Store(tmp_path / "file", 1000).begin(address(), 1, {})


def test_many_writers_at_once_leave_one_file(tmp_path):
    def write(_number):
        return put(Store(tmp_path, 10**6)).sha256

    with ThreadPoolExecutor(8) as pool:
        digests = set(pool.map(write, range(40)))

    assert {hashlib.sha256(CONTENT).hexdigest()} == digests
    assert CONTENT == read(Store(tmp_path, 10**6))
    assert (1, 1) == (len(files(tmp_path, "blobs")), len(files(tmp_path, "entries")))
    assert [] == files(tmp_path, "partial")


def test_an_entry_comes_back_from_its_file():
    entry = Entry(url="https://a/b", sha256="0" * 64, size=3, headers=HEADERS, stored=1.5)

    assert entry == Entry.from_json(entry.to_json())
    assert address().key == key_of(address().url)
