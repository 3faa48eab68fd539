"""What lists of Debian archives say of files, however they are packed and however they break."""

import bz2
import gzip
import io
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy import debian_lists
from quickstarted_proxy.debian_lists import files_in, name_says, root_of
from quickstarted_proxy.immutable import Digest

PACKAGES = b"""\
Package: hello
Version: 2.10-3
Description: example package
 Filename: pool/not/this_one.deb
 .
 SHA256: aaaa
Filename: pool/main/h/hello/hello_2.10-3_amd64.deb
Size: 53080
MD5sum: 0123
SHA256: 6f1bd34ba2c1d4ac5d5f1de2b0ebe3b1a4a1a1a1b4b7ac5d9b4d3f1e3c6b9a70

Package: kept-elsewhere
Filename: pool/main/k/kept/kept_1_all.deb
SHA1: 0000

Package: flat
SHA256:  0000000000000000000000000000000000000000000000000000000000000000
Filename: ./flat_1+b1~x_all.deb
"""
PACKAGE_FILES = [
    (
        b"pool/main/h/hello/hello_2.10-3_amd64.deb",
        bytes.fromhex("6f1bd34ba2c1d4ac5d5f1de2b0ebe3b1a4a1a1a1b4b7ac5d9b4d3f1e3c6b9a70"),
    ),
    (b"flat_1+b1~x_all.deb", bytes(32)),
]
SOURCES = b"""\
Package: hello
Binary: hello
Files:
 e7bd195571b19d33bd83d1c379fe6432 1183 hello_2.10-3.dsc
Checksums-Sha256:
 1111111111111111111111111111111111111111111111111111111111111111 1183 hello_2.10-3.dsc
 2222222222222222222222222222222222222222222222222222222222222222 725946 hello_2.10.orig.tar.gz
Directory: pool/main/h/hello
Homepage: https://hello.test/
"""
SOURCE_FILES = [
    (b"pool/main/h/hello/hello_2.10-3.dsc", b"\x11" * 32),
    (b"pool/main/h/hello/hello_2.10.orig.tar.gz", b"\x22" * 32),
]
LONG = b"x" * 1024**2 + b"\n\n"
PACKERS = {"text": bytes, "xz": lzma.compress, "gz": gzip.compress, "bz2": bz2.compress}
NAME = st.text("abcXYZ019+-._~:", min_size=1, max_size=30).map(lambda text: f"pool/{text}".encode())
STANZA = st.tuples(NAME, st.binary(min_size=32, max_size=32))
NOISE = st.sampled_from(
    [b"Package: a", b"Description: b\n Filename: c\n .\n SHA256: d", b"Depends:", b"Size: 0"]
)


def read(body):
    return list(files_in(io.BytesIO(body)))


def stanza(pair, noise=()):
    name, digest = pair
    fields = [*noise, b"Filename: " + name, b"SHA256: " + digest.hex().encode()]
    return b"\n".join(fields) + b"\n"


@pytest.mark.parametrize("pack", PACKERS.values(), ids=PACKERS)
def test_a_list_names_files_and_their_digests(pack):
    assert PACKAGE_FILES == read(pack(PACKAGES))
    assert SOURCE_FILES == read(pack(SOURCES))


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress, bz2.compress])
def test_a_list_may_be_packed_in_several_streams(pack):
    """As those of Ubuntu are: the second one is empty."""
    assert PACKAGE_FILES == read(pack(PACKAGES) + pack(b""))
    assert PACKAGE_FILES == read(pack(PACKAGES[:200]) + pack(b"") + pack(PACKAGES[200:]))


@given(st.lists(st.tuples(STANZA, st.lists(NOISE, max_size=3))), st.sampled_from(sorted(PACKERS)))
def test_every_stanza_that_is_written_is_read(stanzas, packer):
    body = b"\n".join(stanza(pair, noise) for pair, noise in stanzas)

    assert [pair for pair, _ in stanzas] == read(PACKERS[packer](body))


@given(st.binary(max_size=300), st.sampled_from([b"", b"\xfd7zXZ\x00", b"\x1f\x8b\x08", b"BZh9"]))
def test_no_bytes_raise_anything_but_that_they_are_no_list(body, magic):
    try:
        found = read(magic + body)
    except ValueError:
        found = []

    assert all(name and len(digest) == 32 for name, digest in found)


@given(st.integers(1, 400))
def test_a_list_that_is_cut_where_stanzas_meet_or_not_says_no_wrong_digest(cut):
    assert all(pair in PACKAGE_FILES for pair in read(PACKAGES[:cut]))


def test_stanzas_that_cross_the_slices_are_whole():
    pairs = [
        (f"pool/{count}_{'x' * (count % 97)}.deb".encode(), bytes(32)) for count in range(9000)
    ]
    body = b"\n".join(map(stanza, pairs))

    assert len(body) > 3 * debian_lists._SLICE_BYTES
    assert pairs == read(lzma.compress(body)) == read(body)


HUGE_WINDOW = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**29}]
BROKEN = {
    "xz that is cut": (lambda: lzma.compress(PACKAGES)[:-20], "ends too early"),
    "gzip that is cut": (lambda: gzip.compress(PACKAGES)[:-9], "ends too early"),
    "bzip2 that is cut": (lambda: bz2.compress(PACKAGES)[:-9], "ends too early"),
    "nothing of xz": (lambda: b"\xfd7zXZ\x00", "ends too early"),
    "xz with another end": (lambda: lzma.compress(PACKAGES)[:-1] + b"z", "cannot be unpacked"),
    "gzip that is none": (lambda: b"\x1f\x8b\x08" + b"x" * 100, "cannot be unpacked"),
    "bzip2 that is none": (lambda: b"BZh9" + b"x" * 100, "cannot be unpacked"),
    "xz that wants too much memory": (
        lambda: lzma.compress(PACKAGES, filters=HUGE_WINDOW),
        "cannot be unpacked",
    ),
    "something after the end": (lambda: lzma.compress(PACKAGES) + b"rest", "something else"),
    "many streams": (lambda: lzma.compress(b"") * 101, "too many streams"),
    "one line": (lambda: b"x" * 2 * 1024**2, "a stanza has no end"),
    "one line, packed": (lambda: gzip.compress(b"x" * 2 * 1024**2), "a stanza has no end"),
    "bomb of xz": (lambda: lzma.compress(LONG * 3, preset=0) * 90, "too large"),
    "bomb of gzip": (lambda: gzip.compress(LONG * 3, 1) * 90, "too large"),
    "many stanzas": (lambda: b"a\n\n" * 300_002, "too many stanzas"),
    "many files": (lambda: (SOURCES + b"\n") * 150_001, "too many files"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_what_is_no_list_is_told_from_one(broken):
    body, why = BROKEN[broken]
    with pytest.raises(ValueError, match=why):
        read(body())


@pytest.mark.parametrize(
    "text",
    [
        b"Filename: pool/a\nSHA256: 00\n",
        b"Filename: pool/a\nSHA256: " + b"z" * 64,
        b"Filename: pool/a\nSHA256: \xff" + b"0" * 63,
        b"Filename:\nSHA256: " + b"0" * 64,
        b"SHA256: " + b"0" * 64,
        b" Filename: pool/a\nSHA256: " + b"0" * 64,
        b"Directory: pool/a\nChecksums-Sha1:\n " + b"0" * 40 + b" 1 a\n",
        b"Directory: pool/a\nChecksums-Sha256:\nX: y\n " + b"0" * 64 + b" 1 a\n",
        b"",
    ],
)
def test_a_stanza_that_lacks_something_says_nothing(text):
    assert [] == read(text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (b"/debian/dists/bookworm/main/binary-amd64/Packages.xz", b"/debian"),
        (b"/dists/bookworm/updates/main/binary-amd64/Packages", b""),
        (b"/a/dists/b/dists/c/binary-x/Packages", b"/a"),
    ],
)
def test_files_lie_below_what_the_list_lies_below(path, expected):
    assert expected == root_of(path)


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (b"by-hash/SHA256/" + b"a" * 64, Digest("sha256", "a" * 64)),
        (b"by-hash/SHA512/" + b"b" * 128, Digest("sha512", "b" * 128)),
        (b"by-hash/SHA256/x", Digest("sha256", "x")),
        (b"by-hash/MD5Sum/" + b"a" * 32, None),
        (b"Packages.xz", None),
    ],
)
def test_a_name_may_say_what_the_list_is(end, expected):
    assert expected == name_says(b"/debian/dists/x/main/binary-amd64/" + end)
