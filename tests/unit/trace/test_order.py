import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.errors import StorageFault
from quickstarted.trace.order import LineIndex, rewrite_in_order


def _index(times: list[float], line_bytes: list[int], run_end: int | None = None) -> LineIndex:
    index = LineIndex()
    for number, (ts, size) in enumerate(zip(times, line_bytes, strict=True)):
        index.add(ts, size, is_run_end=number == run_end)
    return index


def _rewrite(path: Path, lines: list[bytes], times: list[float], run_end: int | None) -> None:
    path.write_bytes(b"".join(lines))
    with path.open("rb") as stream:
        rewrite_in_order(path, stream.fileno(), _index(times, [len(one) for one in lines], run_end))


def test_equal_times_keep_the_order_of_writing():
    assert _index([2.0, 1.0, 2.0, 2.0], [1] * 4).in_order() == [1, 0, 2, 3]


def test_run_end_is_last_among_equal_times():
    assert _index([1.0, 2.0, 2.0], [1] * 3, run_end=1).in_order() == [0, 2, 1]


def test_an_empty_index_has_no_size_and_no_latest():
    index = LineIndex()

    assert (0, -math.inf) == (index.size_bytes, index.latest)


@given(
    st.lists(
        st.tuples(st.binary(max_size=20), st.floats(0, 5, allow_nan=False)), min_size=1, max_size=40
    ).map(lambda pairs: [(body.replace(b"\n", b"") + b"\n", ts) for body, ts in pairs])
)
def test_every_line_is_there_once_and_sorted(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("order") / "trace.jsonl"
    lines, times = [line for line, _ in pairs], [ts for _, ts in pairs]

    _rewrite(path, lines, times, None)

    expected = [line for line, _ in sorted(pairs, key=lambda pair: pair[1])]
    assert b"".join(expected) == path.read_bytes()


def test_a_file_in_order_is_not_rewritten(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"a\nb\n")
    before = path.stat().st_ino
    with path.open("rb") as stream:
        rewrite_in_order(path, stream.fileno(), _index([1.0, 2.0], [2, 2]))

    assert (before, b"a\nb\n") == (path.stat().st_ino, path.read_bytes())


def test_a_file_that_lost_its_end_stays_as_it_was(tmp_path):
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b"a\n")
    with path.open("rb") as stream, pytest.raises(StorageFault, match="shorter than"):
        rewrite_in_order(path, stream.fileno(), _index([2.0, 1.0], [2, 2]))

    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"a\n"]


def test_lines_longer_than_a_copied_piece_stay_whole(tmp_path):
    path = tmp_path / "trace.jsonl"
    long, short = b"x" * (3 << 20) + b"\n", b"y\n"

    _rewrite(path, [long, short], [2.0, 1.0], None)

    assert short + long == path.read_bytes()
