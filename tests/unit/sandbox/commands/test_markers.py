"""The marks of a command's outer shell in the command's stream."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quickstarted.sandbox.commands.markers import Begin, End, MarkScanner

NONCE = "0123456789abcdef"
BEGIN = f"\x1e{NONCE}:begin:7:1234:0\x1e{NONCE}\x1e".encode()
END = f"\x1e{NONCE}:end:3:1:fallback:/tmp/a:b\n\x1ec\x1e{NONCE}\x1e".encode()


def scan(data, size):
    scanner = MarkScanner(NONCE)
    output = b"".join(scanner.feed(data[at : at + size]) for at in range(0, len(data), size))
    return scanner, output + scanner.rest()


@pytest.mark.parametrize("size", [1, 2, 5, 17, 1000])
def test_marks_are_found_however_the_stream_is_cut(size):
    scanner, output = scan(BEGIN + b"out\x1eput" + END + b"late", size)

    assert b"out\x1eputlate" == output
    assert Begin(pid=7, start_ticks=1234, oom_kills=0) == scanner.begin
    assert End(exit_code=3, oom_kills=1, flags="fallback", cwd="/tmp/a:b\n\x1ec") == scanner.end


def test_output_is_passed_on_at_once_unless_a_mark_may_begin_there():
    scanner = MarkScanner(NONCE)

    assert b"abc" == scanner.feed(b"abc")
    assert b"de" == scanner.feed(b"de\x1e0123")
    assert b"\x1e0123x" == scanner.feed(b"x")


def test_a_mark_with_another_nonce_is_output():
    foreign = BEGIN.replace(NONCE.encode(), b"f" * 16)
    scanner, output = scan(foreign, 8)

    assert (foreign, None) == (output, scanner.begin)


def test_a_mark_that_never_closes_is_given_up():
    scanner = MarkScanner(NONCE)
    open_mark = f"\x1e{NONCE}:end:".encode() + b"x" * 70_000

    assert open_mark == scanner.feed(open_mark)


@example([b"\x1e", NONCE.encode(), b":", b"\x1e", NONCE.encode(), b"\x1e"])
@example([b"\x1e", NONCE.encode(), b":begin:x", b"\x1e", NONCE.encode(), b"\x1e"])
@given(st.lists(st.sampled_from([b"\x1e", b"0", b"0123", NONCE.encode(), b":", b"x"])))
def test_no_output_is_lost(parts):
    data = b"".join(parts)
    _, output = scan(data, 3)

    assert data == output
