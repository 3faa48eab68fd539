"""What lists have said of files, on the disk."""

import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.hash_tables import HashTables

SITE = "http://deb.test"
PATH = b"/debian/pool/a.deb"
RECORD_BYTES = 52


def digest(text):
    return hashlib.sha256(str(text).encode()).digest()


def files(count, seed=""):
    return {b"/pool/%d" % number: digest(f"{seed}{number}") for number in range(count)}


@pytest.fixture
def tables(tmp_path):
    return HashTables(tmp_path, 10**6)


def add(tables, tmp_path, named, name="list", site=SITE):
    tables.add(site, name, named.items(), tmp_path / "temporary")


def on_disk(tmp_path):
    return sorted(path for path in (tmp_path / "lists").glob("*/*"))


@pytest.mark.parametrize("count", [1, 2, 3, 1000])
def test_what_was_named_is_found_and_nothing_else(tables, tmp_path, count):
    named = files(count)
    add(tables, tmp_path, named)

    assert {path: digest.hex() for path, digest in named.items()} == {
        path: tables.sha256_of(SITE, path) for path in named
    }
    assert tables.sha256_of(SITE, b"/pool/none") is None
    assert tables.sha256_of("https://deb.test", b"/pool/0") is None
    assert not (tmp_path / "temporary").exists()


@given(st.dictionaries(st.binary(max_size=40), st.binary(min_size=32, max_size=32), max_size=60))
def test_any_paths_are_found(tmp_path_factory, named):
    folder = tmp_path_factory.mktemp("tables")
    tables = HashTables(folder, 10**6)
    add(tables, folder, named)

    assert [digest.hex() for digest in named.values()] == [
        tables.sha256_of(SITE, path) for path in named
    ]


def test_nothing_is_known_in_an_empty_folder(tables):
    assert tables.sha256_of(SITE, PATH) is None
    assert not tables.has(SITE, "list")


def test_of_lists_that_differ_the_one_that_was_seen_last_is_right(tables, tmp_path):
    for age, name in ((20, "old"), (10, "new")):
        add(tables, tmp_path, {PATH: digest(name)}, name)
        os.utime(tables._path(SITE, name), (1e9 - age, 1e9 - age))

    assert digest("new").hex() == tables.sha256_of(SITE, PATH)
    assert tables.has(SITE, "old")
    assert digest("old").hex() == tables.sha256_of(SITE, PATH)


def test_another_process_finds_it(tables, tmp_path):
    add(tables, tmp_path, {PATH: digest(1)})

    assert digest(1).hex() == HashTables(tmp_path, 10**6).sha256_of(SITE, PATH)


@pytest.mark.parametrize("at", [0, 16, 47, 51])
def test_a_damaged_table_says_nothing_and_goes(tables, tmp_path, at):
    add(tables, tmp_path, {PATH: digest(1)})
    (table,) = on_disk(tmp_path)
    body = bytearray(table.read_bytes())
    body[at] ^= 1
    table.write_bytes(bytes(body))

    assert tables.sha256_of(SITE, PATH) is None
    assert (at == 0) == table.exists()


def test_a_table_that_is_cut_says_nothing_and_goes(tables, tmp_path):
    add(tables, tmp_path, files(100))
    (table,) = on_disk(tmp_path)
    table.write_bytes(table.read_bytes()[:-3])

    assert tables.sha256_of(SITE, b"/pool/5") is None
    assert [] == on_disk(tmp_path)


def test_what_was_not_seen_for_longest_goes_when_there_is_too_much(tmp_path):
    tables = HashTables(tmp_path, 25 * RECORD_BYTES)
    for age, name in ((30, "first"), (10, "second")):
        add(tables, tmp_path, files(10, name), name)
        os.utime(tables._path(SITE, name), (1e9 - age, 1e9 - age))
    assert tables.has(SITE, "first")
    add(tables, tmp_path, files(10, "third"), "third", "http://other.test")

    assert [True, False] == [tables.has(SITE, name) for name in ("first", "second")]
    assert tables.has("http://other.test", "third")


def test_a_list_that_is_larger_than_all_may_be_or_empty_is_not_kept(tmp_path):
    tables = HashTables(tmp_path, 5 * RECORD_BYTES)
    add(tables, tmp_path, files(6))
    add(tables, tmp_path, {})

    assert [] == on_disk(tmp_path)


def test_a_folder_that_takes_nothing_is_told_and_nothing_stays(tmp_path):
    (tmp_path / "lists").write_text("no folder")
    tables = HashTables(tmp_path, 10**6)
    with pytest.raises(OSError, match=r"."):
        add(tables, tmp_path, files(1))

    assert not (tmp_path / "temporary").exists()
    assert tables.sha256_of(SITE, b"/pool/0") is None
