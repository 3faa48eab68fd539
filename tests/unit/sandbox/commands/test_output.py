"""Head, tail and record of what a command printed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.errors import StorageFault
from quickstarted.sandbox.commands.output import (
    FULL_OUTPUT_BYTES,
    OutputKeeper,
    first_characters,
    last_characters,
    visible,
)
from quickstarted_proxy.substitution import Replacer


def keep(tmp_path, chunks, max_chars):
    keeper = OutputKeeper(tmp_path / "out", max_chars)
    for chunk in chunks:
        keeper.write(chunk)
    return keeper.finish()


def test_what_fits_is_whole_and_makes_no_file(tmp_path):
    printed = keep(tmp_path, [b"ab", b"", b"cd"], 4)

    assert ("abcd", 4, False, None) == (
        printed.text,
        printed.total_bytes,
        printed.truncated,
        printed.full_path,
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("size", [11, 40, 41, 79, 80, 81, 1000])
@pytest.mark.parametrize("chunk", [1, 7, 5000])
def test_head_and_tail_are_exact_whatever_the_chunks(tmp_path, size, chunk):
    data = bytes(ord("a") + number % 26 for number in range(size))
    chunks = [data[at : at + chunk] for at in range(0, size, chunk)]
    printed = keep(tmp_path, chunks, 10)

    expected = f"{data[:5].decode()}\n[... {size - 10:,} bytes cut ...]\n{data[-5:].decode()}"
    assert (expected, size, True) == (printed.text, printed.total_bytes, printed.truncated)
    assert data == Path(printed.full_path).read_bytes()


def test_the_cut_is_counted_in_bytes_and_made_between_characters(tmp_path):
    printed = keep(tmp_path, ["äöü€".encode() * 100], 4)

    assert f"äö\n[... {900 - 4 - 5} bytes cut ...]\nü€" == printed.text


def test_a_limit_of_nothing_keeps_the_count(tmp_path):
    assert "\n[... 3 bytes cut ...]\n" == keep(tmp_path, [b"abc"], 0).text


def test_the_record_is_bounded(tmp_path):
    keeper = OutputKeeper(tmp_path / "out", 10)
    block = b"x" * 1_000_003
    for _ in range(20):
        keeper.write(block)
    printed = keeper.finish()

    assert 20 * len(block) == printed.total_bytes
    assert FULL_OUTPUT_BYTES == (tmp_path / "out").stat().st_size


def test_a_record_that_cannot_be_written_is_a_storage_fault(tmp_path):
    (tmp_path / "file").write_text("in the way")
    keeper = OutputKeeper(tmp_path / "file" / "out", 1)

    with pytest.raises(StorageFault, match="recording"):
        keeper.write(b"12345678")


def test_nul_and_undecodable_bytes_become_the_replacement_character():
    assert "a\ufffdb\ufffdc\x1b[0m" == visible(b"a\0b\xffc\x1b[0m")


@given(st.binary(max_size=60), st.integers(0, 70))
def test_first_and_last_characters_are_parts_of_the_data(data, count):
    assert data.startswith(first_characters(data, count))
    assert data.endswith(last_characters(data, count))
    assert len(first_characters(data, count)) == len(last_characters(data, count)) or count < len(
        data
    )


@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(0, 30))
def test_nothing_is_lost_uncounted(tmp_path_factory, chunks, max_chars):
    printed = keep(tmp_path_factory.mktemp("keep"), chunks, max_chars)
    data = b"".join(chunks)

    assert len(data) == printed.total_bytes
    assert printed.truncated == (len(visible(data)) > max_chars)
    assert printed.truncated or visible(data) == printed.text


def test_a_listener_gets_all_of_it_without_secrets(tmp_path):
    heard = []
    replacer = Replacer([(b"s3cret", b"******")])
    keeper = OutputKeeper(tmp_path / "out", 4, replacer.stream(), heard.append)
    for chunk in (b"a s3c", b"ret b", b"x" * 100):
        keeper.write(chunk)
    keeper.finish()

    assert b"a ****** b" + b"x" * 100 == b"".join(heard)
