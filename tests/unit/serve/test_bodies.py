"""Where bytes stop being UTF-8, however they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.serve.bodies import Utf8Check
from quickstarted.serve.problems import Refusal

TEXT = "aé\N{SNOWMAN}\N{GRINNING FACE}".encode()
BYTES = st.lists(
    st.sampled_from([TEXT, b"\xff", b"\xc3", b"\xe2\x98", b"\xed\xa0\x80", b"\0", b"plain"])
    | st.binary(max_size=3)
).map(b"".join)


def take(pieces):
    check = Utf8Check()
    for number, piece in enumerate(pieces):
        check.take(piece, is_last=number == len(pieces) - 1)


def first_bad(pieces):
    """The offset that the check tells; None where all is well."""
    try:
        take(pieces)
    except Refusal as refusal:
        return refusal.byte_offset
    return None


@given(raw=BYTES, cuts=st.lists(st.integers(0, 60), max_size=4))
def test_the_offset_is_the_one_of_the_whole_wherever_it_is_cut(raw, cuts):
    at = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    pieces = [raw[start:end] for start, end in pairwise(at)]
    try:
        raw.decode("utf-8")
        expected = None
    except UnicodeDecodeError as exc:
        expected = exc.start

    assert expected == first_bad(pieces)


@pytest.mark.parametrize(
    ("pieces", "says"),
    [
        ([b"ab\xffc"], "the byte at offset 2 is 0xff"),
        ([b"ab\xe2", b"\x98"], "the body ends in the middle of a character"),
        ([b"ab\xe2", b"\x98", b"x"], "the byte at offset 2 is 0xe2"),
    ],
)
def test_the_byte_is_named(pieces, says):
    with pytest.raises(Refusal) as caught:
        take(pieces)

    assert f"the body is not UTF-8: {says}" == caught.value.message
