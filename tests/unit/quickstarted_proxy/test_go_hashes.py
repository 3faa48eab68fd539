"""Go's hashes of modules, against those that others have computed."""

import base64
import hashlib
import io
import random
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.go_hashes import hash_of_mod, hash_of_zip

MODULE = "github.com/BurntSushi/Test@v1.4.0-RC1/"
CONTENT = {
    "go.mod": b"module github.com/BurntSushi/Test\n\ngo 1.19\n",
    "b.go": b"package test\n",
    "a/ü.txt": "ü".encode(),
    "a-b.txt": b"1" * 100_000,
    "a.txt": b"",
    "z/Ω": b"\xff" * 70_000,
}
GO_SUM = "+55Ofd6tgY3eo7m4OZ202KI5TvvkrB3ubr6Rj06AYdQ="
"""What the go command 1.19.8 wrote for a module with these files."""
PUBLISHED_MODS = {
    "github.com/pkg/errors": "bwawxfHBFNV+L2hUp1rHADufV3IMtnDRdf1r5NINEl0=",
    "github.com/davecgh/go-spew": "J7Y8YcW2NihsgmVo/mv3lAwl/skON4iLHjSsI+c5H38=",
}
"""Of v0.9.1 and v1.1.1, as every go.sum has them."""


def packed(files, method=zipfile.ZIP_DEFLATED):
    packed_files = io.BytesIO()
    with zipfile.ZipFile(packed_files, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed_files


def module(files=CONTENT, **more):
    return packed({MODULE + name: content for name, content in files.items()}, **more)


def base64_of(value):
    return base64.b64encode(bytes.fromhex(value)).decode()


def reference(files):
    """Hash1 as its documentation has it, from files and not from an archive."""
    lines = [
        f"{hashlib.sha256(files[name]).hexdigest()}  ".encode() + name.encode() + b"\n"
        for name in sorted(files, key=str.encode)
    ]
    return hashlib.sha256(b"".join(lines)).hexdigest()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_a_module_has_the_hash_that_go_computes(method):
    assert GO_SUM == base64_of(hash_of_zip(module(method=method)))


@pytest.mark.parametrize("name", PUBLISHED_MODS)
def test_a_go_mod_has_the_hash_that_is_published(name):
    sha256 = hashlib.sha256(f"module {name}\n".encode()).hexdigest()

    assert PUBLISHED_MODS[name] == base64_of(hash_of_mod(sha256))


@given(
    st.dictionaries(
        st.text("abzAZ/.-_üΩ 😀", min_size=1, max_size=12).filter(lambda n: not n.endswith("/")),
        st.binary(max_size=50),
        max_size=8,
    ),
    st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]),
    st.integers(),
)
def test_neither_the_order_nor_the_packing_makes_a_difference(files, method, seed):
    shuffled = list(files.items())
    random.Random(seed).shuffle(shuffled)

    assert reference(files) == hash_of_zip(packed(dict(shuffled), method))


def test_a_changed_file_makes_a_difference():
    assert hash_of_zip(module()) != hash_of_zip(module({**CONTENT, "b.go": b"package evil\n"}))


def damaged(at):
    """Flip a byte."""
    body = bytearray(module().getvalue())
    body[at] ^= 0xFF
    return io.BytesIO(bytes(body))


def with_directory_of(size):
    """An archive that says of its directory that it is so large."""
    body = module().getvalue() + b"x" * size
    end = body.rindex(b"PK\x05\x06")
    start = struct.unpack_from("<L", body, end + 16)[0]
    record = b"PK\x05\x06" + struct.pack("<4H2LH", 0, 0, 9, 9, len(body) - start, start, 0)
    return io.BytesIO(body + record)


def with_one_name_twice():
    body = packed({"a1": b"1", "a2": b"2"}).getvalue()
    return io.BytesIO(body.replace(b"a2", b"a1"))


NO_MODULES = {
    "nothing": io.BytesIO,
    "text": lambda: io.BytesIO(b"no archive" * 100),
    "cut": lambda: io.BytesIO(module().getvalue()[:-30]),
    "damaged": lambda: damaged(120),
    "name twice": with_one_name_twice,
    "line feed in a name": lambda: module({"a\nb": b""}),
    "packed with LZMA": lambda: module(method=zipfile.ZIP_LZMA),
    "packed with bzip2": lambda: module(method=zipfile.ZIP_BZIP2),
    "large directory": lambda: with_directory_of(5 * 1024**2),
}


@pytest.mark.parametrize("kind", NO_MODULES)
def test_what_is_no_module_has_no_hash(kind):
    with pytest.raises(ValueError, match=r"."):
        hash_of_zip(NO_MODULES[kind]())


def test_what_unpacks_to_more_than_a_module_has_no_hash():
    assert hash_of_zip(module(), max_unpacked_bytes=200_000)
    with pytest.raises(ValueError, match="unpacks to more"):
        hash_of_zip(module(), max_unpacked_bytes=100_000)


@given(st.binary(max_size=200), st.integers(0, 400))
def test_no_bytes_raise_anything_but_that_there_is_no_hash(noise, at):
    body = module({"go.mod": b"module x\n", "x.go": b"package x\n"}).getvalue()
    try:
        found = hash_of_zip(io.BytesIO(body[:at] + noise + body[at + len(noise) :]))
    except ValueError:
        found = "0" * 64

    assert len(found) == 64
