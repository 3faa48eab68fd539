"""Files of Debian archives and Go modules are what lists and the checksum database say of them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import lzma
import shutil
import zipfile
from http.client import IncompleteRead

import pytest
from package_caching import POLICY, kept, shown, started
from sidecar_process import fetch

LIST = "ok.test/pool/index/dists/stable/main/binary-amd64/"
FILE = "ok.test/pool/index/pool/a.tgz"
GOOD, BAD = b"good" * 100, b"bad" * 100
NOT_KEPT = ("egress_error", "package_cache")


@pytest.fixture(scope="module")
def module_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("packages")


@pytest.fixture(scope="module")
def shared_caching(module_folder, trust_pem, tls_origin, http_origin):
    process = started(module_folder, trust_pem)
    yield process
    process.stop()


@pytest.fixture
def folder(module_folder):
    for path in module_folder.iterdir():
        shutil.rmtree(path)
    return module_folder


@pytest.fixture
def caching(shared_caching, folder):
    """A sidecar at the begin of an attempt."""
    shared_caching.attempt(POLICY)
    return shared_caching


@pytest.fixture
def get(tls_origin, http_origin):
    """Ask for something that has this content on the far side."""

    def ask(url, content):
        tls_origin.index_page = http_origin.index_page = content
        door = "http" if url.startswith("http:") else "https"
        answer = fetch(url, door=door)
        assert content == answer.body
        return answer

    return ask


def list_of(content, file="pool/a.tgz"):
    sha256 = hashlib.sha256(content).hexdigest()
    return f"Package: a\nFilename: {file}\nSHA256: {sha256}\n\nPackage: b\n".encode()


def verified(folder):
    return [json.loads(path.read_text())["verified"] for path in kept(folder, "entries")]


def left(folder):
    return kept(folder) + kept(folder, "entries") + kept(folder, "partial")


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_a_file_that_is_what_the_list_says_is_kept(caching, folder, get, scheme, pack):
    get(f"{scheme}://{LIST}Packages", pack(list_of(GOOD)))
    get(f"{scheme}://{FILE}", GOOD)
    caching.drain()

    assert ["sha256"] == verified(folder)
    assert [] == kept(folder, "partial")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_file_that_is_not_what_the_list_says_is_not_kept_and_told(caching, folder, get, scheme):
    get(f"{scheme}://{LIST}Packages.xz", lzma.compress(list_of(GOOD)))
    get(f"{scheme}://{FILE}", BAD)
    events = caching.drain()

    assert [NOT_KEPT] == shown(events)[2:]
    assert f"{scheme}://{FILE} is not kept" in events[2]["error"]
    assert [] == left(folder)


def test_a_list_by_its_hash_is_written_down_once(caching, folder, get):
    body = lzma.compress(list_of(GOOD))
    url = f"http://{LIST}by-hash/SHA256/{hashlib.sha256(body).hexdigest()}"
    get(url, body)
    caching.drain()
    (table,) = kept(folder, "lists")
    before = table.stat()
    get(url, body)
    caching.drain()

    assert before.st_ino == table.stat().st_ino
    assert before.st_mtime_ns < table.stat().st_mtime_ns


def test_what_an_earlier_attempt_has_learned_holds(caching, folder, get):
    """As for one whose image came with its lists."""
    get(f"http://{LIST}Packages", list_of(GOOD))
    caching.drain()
    caching.attempt(POLICY)
    get(f"http://{FILE}", BAD)

    assert NOT_KEPT == shown(caching.drain())[1]
    assert 1 == len(kept(folder, "lists"))
    assert [] == left(folder)


def test_a_kept_file_is_compared_with_the_list_that_comes_later(caching, folder, get):
    get(f"http://{FILE}", GOOD)
    caching.drain()
    assert ["first transfer"] == verified(folder)
    caching.attempt(POLICY)
    get(f"http://{LIST}Packages", list_of(GOOD))
    get(f"http://{FILE}", GOOD)
    get(f"http://{FILE}", GOOD)
    events = shown(caching.drain())

    assert ["sha256"] == verified(folder)
    assert [False, True, True] == [event[3] for event in events]


def test_a_kept_file_that_a_later_list_contradicts_is_fetched_anew(caching, folder, get):
    get(f"http://{FILE}", BAD)
    caching.drain()
    caching.attempt(POLICY)
    get(f"http://{LIST}Packages", list_of(GOOD))
    get(f"http://{FILE}", GOOD)
    events = shown(caching.drain())

    assert {("egress_allowed", 200, len(GOOD), False), NOT_KEPT} < set(events)
    assert ["sha256"] == verified(folder)


def test_a_false_list_costs_transfers_until_the_right_one_comes(caching, folder, get):
    get(f"http://{LIST}Packages", list_of(BAD))
    get(f"http://{FILE}", GOOD)
    get(f"http://{FILE}", GOOD)
    caching.drain()
    assert [] == left(folder)
    get(f"http://{LIST}Packages", list_of(GOOD))
    get(f"http://{FILE}", GOOD)
    caching.drain()
    get(f"http://{FILE}", GOOD)

    assert [("egress_allowed", 200, len(GOOD), True)] == shown(caching.drain())


def test_a_list_over_plain_http_says_nothing_of_what_comes_over_tls(caching, folder, get):
    get(f"http://{LIST}Packages", list_of(BAD))
    get(f"https://{FILE}", GOOD)
    caching.drain()

    assert ["first transfer"] == verified(folder)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("Packages.xz", lzma.compress(list_of(BAD))[:-9]),
        ("Packages.xz", b"\xfd7zXZ\x00" + b"x" * 5000),
        ("Packages.gz", gzip.compress(b"x" * 5_000_000)),
        ("Packages", b"x" * 5_000_000),
        ("Packages", b"\x00\n\n" * 1000),
        ("Packages", list_of(BAD, "../pool/a.tgz")),
        (f"by-hash/SHA256/{'0' * 64}", list_of(BAD)),
    ],
)
def test_a_list_that_is_none_teaches_nothing(caching, folder, get, name, body):
    get(f"http://{LIST}{name}", body)
    get(f"http://{FILE}", GOOD)
    events = shown(caching.drain())

    assert ["egress_allowed"] * 2 == [event[0] for event in events]
    assert ["first transfer"] == verified(folder)
    assert [] == kept(folder, "partial")


def test_a_list_that_breaks_off_teaches_nothing(caching, folder, get, http_origin):
    http_origin.index_cut = True
    with pytest.raises(IncompleteRead):
        get(f"http://{LIST}Packages", list_of(BAD) * 100)
    http_origin.index_cut = False
    get(f"http://{FILE}", GOOD)
    caching.drain()

    assert ["first transfer"] == verified(folder)
    assert [] == kept(folder, "partial") + kept(folder, "lists")


def test_a_list_of_tens_of_megabytes_takes_little_memory(caching, folder, get):
    names = [f"pool/main/{count}_1.0-1_amd64.deb" for count in range(64_000)]
    stanza = "Package: {0}\nDescription: {1}\nFilename: {0}\nSHA256: {2}\n\n"
    text = "".join(
        stanza.format(name, "long " * 120, hashlib.sha256(name.encode()).hexdigest())
        for name in names
    )
    before = caching.resident_kib()
    get(f"http://{LIST}Packages.gz", gzip.compress(text.encode(), 1))
    get(f"http://{LIST}Packages", list_of(GOOD))
    get(f"http://{FILE}", GOOD)
    caching.drain()

    assert len(text) > 45_000_000
    assert caching.resident_kib("VmHWM") - before < 60 * 1024
    assert 64_000 * 52 in {path.stat().st_size for path in kept(folder, "lists")}
    assert ["sha256"] == verified(folder)


GO = "https://ok.test/pool/index/"
MOD = b"module x\n"


def module(content=b"package x\n"):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("x@v1.0.0/go.mod", MOD)
        archive.writestr("x@v1.0.0/x.go", content)
    return packed.getvalue()


def hash1(files):
    lines = [
        f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in sorted(files.items())
    ]
    digest = hashlib.sha256("".join(lines).encode()).digest()
    return "h1:" + base64.b64encode(digest).decode()


def lookup():
    files = {"x@v1.0.0/go.mod": MOD, "x@v1.0.0/x.go": b"package x\n"}
    lines = f"x v1.0.0 {hash1(files)}\nx v1.0.0/go.mod {hash1({'go.mod': MOD})}\n"
    return f"7\n{lines}\ngo.sum database tree\n9\n".encode()


GO_ORDERS = {
    "the hash comes first": ("lookup", "mod", "zip"),
    "the hash comes last": ("zip", "mod", "lookup"),
    "the hash comes between": ("mod", "lookup", "zip"),
}


@pytest.mark.parametrize("order", GO_ORDERS.values(), ids=GO_ORDERS)
def test_files_of_a_go_module_are_compared_with_the_checksum_database(caching, folder, get, order):
    urls = {
        "lookup": (f"{GO}sumdb/lookup/x@v1.0.0", lookup()),
        "mod": (f"{GO}x/v1.0.0.mod", MOD),
        "zip": (f"{GO}x/v1.0.0.zip", module()),
    }
    for part in order:
        get(*urls[part])
    events = shown(caching.drain())

    assert ["egress_allowed"] * 3 == [event[0] for event in events]
    assert ["go-h1-mod", "go-h1-zip"] == sorted(verified(folder))


@pytest.mark.parametrize("file", ["zip", "mod"])
@pytest.mark.parametrize("order", [("lookup", "file"), ("file", "lookup")])
def test_a_file_of_a_go_module_that_has_another_hash_is_not_kept(caching, folder, get, order, file):
    bad = {"zip": module(b"package evil\n"), "mod": b"module evil\n"}[file]
    urls = {
        "lookup": (f"{GO}sumdb/lookup/x@v1.0.0", lookup()),
        "file": (f"{GO}x/v1.0.0.{file}", bad),
    }
    for part in order:
        get(*urls[part])

    assert NOT_KEPT in shown(caching.drain())
    assert [] == left(folder)
