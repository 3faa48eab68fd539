"""What is learned of lists that have come whole, and of whose files it is held."""

import hashlib
import lzma
import os

import pytest

from quickstarted_proxy.hash_tables import HashTables
from quickstarted_proxy.immutable import Address, Digest
from quickstarted_proxy.index_hashes import IndexRule
from quickstarted_proxy.package_learning import Learning
from quickstarted_proxy.package_writing import Writing

HOST = "deb.test"
RULE = IndexRule(host=HOST, patterns=("/**/dists/**",), kind="debian")
LIST = "/debian/dists/stable/main/binary-amd64/Packages.xz"
FILE = "/debian/pool/main/g/g++/g++_1~2_amd64.deb"
GOOD, OTHER = "ab" * 32, "cd" * 32


@pytest.fixture
def folder(tmp_path):
    return tmp_path


@pytest.fixture
def learning(folder):
    return Learning([RULE], HashTables(folder, 10**6))


def list_of(sha256=GOOD, file=FILE):
    name = file.removeprefix("/debian/")
    return lzma.compress(f"Package: g++\nFilename: {name}\nSHA256: {sha256}\n".encode())


def learn(learning, folder, body, path=LIST, scheme="http"):
    """Have a list come whole; what is left of it."""
    where = Address(scheme=scheme, host=HOST, path=path)
    writing = Writing(folder / "partial", where, len(body), {})
    writing.write(body)
    assert writing.end()
    learning.read_list(writing)
    return [path.name for path in folder.iterdir() if path.name != "lists"]


def known(learning, path=FILE, scheme="http", host=HOST, digest=None):
    found = learning.known(Address(scheme=scheme, host=host, path=path, digest=digest))
    return found.value if found else None


def test_a_list_says_what_the_files_of_its_archive_are(learning, folder):
    assert [] == learn(learning, folder, list_of())
    assert Digest("sha256", GOOD) == learning.known(Address(scheme="http", host=HOST, path=FILE))


def test_a_file_is_found_however_its_address_is_written(learning, folder):
    learn(learning, folder, list_of())

    assert GOOD == known(learning, FILE.replace("+", "%2b").replace("~", "%7E"))


@pytest.mark.parametrize(
    ("scheme", "host", "path"),
    [
        ("https", HOST, FILE),
        ("http", "other.test", FILE),
        ("http", HOST, FILE.replace("/debian/", "/debian-security/")),
        ("http", HOST, FILE.removeprefix("/debian")),
        ("http", HOST, FILE + "x"),
    ],
)
def test_a_list_says_nothing_of_other_files(learning, folder, scheme, host, path):
    """Nor of those that come over TLS, when it did not."""
    learn(learning, folder, list_of())

    assert known(learning, path, scheme, host) is None


def test_what_the_address_itself_says_goes_first(learning, folder):
    learn(learning, folder, list_of())

    assert OTHER == known(learning, digest=Digest("sha256", OTHER))


def test_the_next_list_puts_a_false_digest_right(learning, folder):
    learn(learning, folder, list_of(OTHER))
    for table in (folder / "lists").glob("*/*"):
        os.utime(table, (1e9, 1e9))
    learn(learning, folder, list_of(GOOD))

    assert GOOD == known(learning)


def test_a_list_that_comes_again_is_seen_again(learning, folder):
    learn(learning, folder, list_of(GOOD))
    learn(learning, folder, list_of(OTHER))
    for table in (folder / "lists").glob("*/*"):
        os.utime(table, (1e9, 1e9))
    learn(learning, folder, list_of(GOOD))

    assert GOOD == known(learning)
    assert 2 == len(list((folder / "lists").glob("*/*")))


@pytest.mark.parametrize("algorithm", ["sha256", "sha512"])
@pytest.mark.parametrize("right", [True, False])
def test_a_list_that_is_not_what_its_name_says_teaches_nothing(learning, folder, algorithm, right):
    body = list_of()
    name = hashlib.new(algorithm, body if right else b"").hexdigest()
    path = f"/debian/dists/stable/main/binary-amd64/by-hash/{algorithm.upper()}/{name}"

    assert [] == learn(learning, folder, body, path)
    assert (GOOD if right else None) == known(learning)


@pytest.mark.parametrize("body", [b"", b"x", list_of()[:-9], list_of() + b"x", b"\x00" * 10**6])
def test_a_list_that_cannot_be_read_teaches_nothing(learning, folder, body):
    assert [] == learn(learning, folder, body)
    assert known(learning) is None


def test_a_folder_that_takes_no_table_is_told(learning, folder):
    (folder / "lists").write_text("no folder")
    with pytest.raises(OSError, match=r"."):
        learn(learning, folder, list_of())

    assert [] == [path.name for path in folder.iterdir() if path.name != "lists"]
