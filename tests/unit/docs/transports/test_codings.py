"""Content codings: undone in small steps, whatever a server makes of them."""

import gzip
import subprocess
import sys
import zlib

import brotli
import pytest

from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.transports.codings import STEP_BYTES, decoded, zstd

TEXT = b"".join(b"line %d of the page\n" % number for number in range(30_000))
ENCODERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstd.compress,
}


def in_pieces(data, size):
    return [data[start : start + size] for start in range(0, len(data), size)]


@pytest.mark.parametrize("piece_bytes", [1, 7, 4_096, 10_000_000])
@pytest.mark.parametrize("coding", ENCODERS)
def test_every_coding_is_undone_however_the_body_is_cut(coding, piece_bytes):
    text = TEXT[:20_000] if piece_bytes < 10 else TEXT
    pieces = list(decoded(in_pieces(ENCODERS[coding](text), piece_bytes), coding))

    assert b"".join(pieces) == text
    assert max(map(len, pieces)) <= 2 * STEP_BYTES


@pytest.mark.parametrize("members", [1, 2, 3])
@pytest.mark.parametrize("coding", ["gzip", "zstd"])
@pytest.mark.parametrize("piece_bytes", [1, 4_096])
def test_members_follow_one_another(coding, members, piece_bytes):
    body = ENCODERS[coding](b"text ") * members

    assert b"".join(decoded(in_pieces(body, piece_bytes), coding)) == b"text " * members


def test_padding_after_gzip_is_ignored_also_in_a_piece_of_its_own():
    assert b"".join(decoded([gzip.compress(b"a"), b"\0\0", b"\0"], "gzip")) == b"a"


@pytest.mark.parametrize("stack", ["gzip, br", "br,zstd", " deflate , GZIP", "identity, gzip"])
def test_stacked_codings_are_undone_from_the_last_to_the_first(stack):
    body = TEXT
    for coding in stack.replace(" ", "").lower().split(","):
        body = ENCODERS.get(coding, bytes)(body)

    assert b"".join(decoded([body], stack)) == TEXT


@pytest.mark.parametrize("coding", ENCODERS)
@pytest.mark.parametrize("cut", [1, 5, 100])
def test_a_body_that_ends_early_is_no_page(coding, cut):
    body = ENCODERS[coding](TEXT)[:-cut]

    with pytest.raises(FetchFailed) as failed:
        list(decoded([body], coding))

    assert failed.value.error == f"The page's compressed body ({coding}) ends early."


@pytest.mark.parametrize("coding", ENCODERS)
def test_a_page_that_is_not_compressed_as_its_header_says(coding):
    with pytest.raises(FetchFailed) as failed:
        list(decoded([b"<html><p>plain</p></html>" * 40], coding))

    words = f"The page's compression ({coding}) is damaged, or the page is not compressed"
    assert failed.value.error.startswith((words, f"The page's compressed body ({coding})"))


@pytest.mark.parametrize("coding", ENCODERS)
def test_an_empty_body_is_empty(coding):
    assert b"".join(decoded([], coding)) == b""
    assert b"".join(decoded([b""], coding)) == b""


@pytest.mark.parametrize(
    ("header", "error"),
    [
        ("gzip, pack200", 'The server sent the content coding "pack200", which was not asked for.'),
        ("gzip, gzip, gzip, gzip, gzip", "The server has applied 5 content codings to the page."),
    ],
)
def test_codings_that_nobody_asked_for(header, error):
    with pytest.raises(FetchFailed) as failed:
        decoded([b""], header)

    assert failed.value.error == error


BOMB = """
import resource, sys
from quickstarted.docs.faults import FetchFailed
import httpx
from quickstarted.docs.transports.bounded import Bounded
body = open(sys.argv[1], "rb").read()
headers = {"content-encoding": sys.argv[2], "content-type": "text/html"}
answer = lambda request: httpx.Response(
    200, headers=headers, stream=httpx.ByteStream(body)
)
layer = Bounded(httpx.MockTransport(answer), 5_000_000)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    layer.handle_request(httpx.Request("GET", "http://docs.example/"))
except FetchFailed as failed:
    print(failed.error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("coding", [*ENCODERS, "gzip, gzip"])
def test_a_bomb_ends_at_the_largest_page_and_takes_no_more_memory(coding, tmp_path):
    body = b"\0" * 80_000_000
    for one in coding.split(", "):
        body = ENCODERS[one](body)
    bomb = tmp_path / "bomb"
    bomb.write_bytes(body)

    run = subprocess.run(
        [sys.executable, "-c", BOMB, bomb, coding], capture_output=True, text=True, check=True
    )
    error, peak_kib = run.stdout.splitlines()

    assert error == "The page is larger than 5,000,000 bytes."
    assert int(peak_kib) < 40_000
