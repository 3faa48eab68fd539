"""Replacing in streams: the same whatever the cuts."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.substitution import Replacer, StreamFinder

PAIRS = ((b"abab", b"1"), (b"ababc", b"22"), (b"bcd", b""), (b"aaa", b"a"))
small = st.text("abcd", max_size=60).map(str.encode)


def streamed(pairs, data, cuts):
    stream = Replacer(pairs).stream()
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    pieces = [data[begin:end] for begin, end in itertools.pairwise(edges)]
    return b"".join(stream.feed(piece) for piece in pieces) + stream.end()


@given(small, st.lists(st.integers(0, 100), max_size=8))
def test_cuts_make_no_difference(data, cuts):
    assert Replacer(PAIRS).replaced(data) == streamed(PAIRS, data, cuts)


@given(small, st.lists(st.integers(0, 100), max_size=8))
def test_nothing_that_is_looked_for_is_left(data, cuts):
    pairs = ((b"abab", b"--"), (b"ababc", b"-"), (b"dd", b"+"))
    done = streamed(pairs, data, cuts)

    assert not any(form in done for form, _ in pairs)


@pytest.mark.parametrize(
    ("data", "passed"),
    [(b"xyz", b"xyz"), (b"xab", b"x"), (b"xaba", b"x"), (b"xababz", b"x1z"), (b"x", b"x")],
)
def test_only_what_may_be_a_begin_is_held_back(data, passed):
    assert passed == Replacer(PAIRS).stream().feed(data)


def test_the_longest_of_two_forms_is_taken_also_across_a_cut():
    assert b"22" == streamed(PAIRS, b"ababc", [4])


@given(small, st.lists(st.integers(0, 100), max_size=8))
def test_a_finder_finds_what_is_there(data, cuts):
    finder = StreamFinder(Replacer(PAIRS))
    edges = [0, *sorted(cut % (len(data) + 1) for cut in cuts), len(data)]
    found = [finder.feed(data[a:b]) for a, b in itertools.pairwise(edges)]

    assert Replacer(PAIRS).is_in(data) == any(found)


@pytest.mark.parametrize(
    ("data", "begun"),
    [
        (b"x", False),
        (b"xA", False),
        (b"xABCDEFGHIJK", False),
        (b"xABCDEFGHIJKL", True),
        (b"ab", True),
    ],
)
def test_a_good_part_of_a_form_at_the_end_is_told(data, begun):
    forms = ((b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", b""), (b"abcd", b""))

    assert begun == Replacer(forms).is_begun(data)


def test_without_anything_to_look_for_everything_passes():
    nothing = Replacer(())

    assert (False, b"x", "\ud800", b"x") == (
        bool(nothing),
        nothing.replaced(b"x"),
        nothing.text("\ud800"),
        nothing.stream().feed(b"x"),
    )
    assert not StreamFinder(nothing).feed(b"x")
