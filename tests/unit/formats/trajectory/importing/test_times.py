"""When something happened: read as what it is, or not at all."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.formats.trajectory.importing.times import from_uuid, milliseconds, stamp

AT = datetime(2026, 11, 2, 9, tzinfo=UTC)
CHARS = "0123456789+-:.,TZ W\u0663"


@pytest.mark.parametrize(
    "given",
    [
        "2026-11-02T09:00:00Z",
        "2026-11-02t09:00:00z",
        "2026-11-02T09:00:00+00:00",
        "2026-11-02T10:30:00+01:30",
        "2026-11-02 09:00:00Z",
        "2026-11-02T09:00:00,000Z",
        1793610000,
        1793610000.0,
        1793610000000,
        1793610000000000,
        1793610000000000000,
        "1793610000",
        "1793610000.0",
        "1793610000000000000",
    ],
)
def test_a_time_is_read_in_every_spelling(given):
    assert AT == stamp(given).time
    assert stamp(given).as_given is None
    assert "2026-11-02T09:00:00Z" == stamp(given).text


@pytest.mark.parametrize("given", ["2026-11-02T09:00:00", "2026-11-02T09:00:00.0000001Z"])
def test_what_a_time_cannot_say_stays_beside_it(given):
    assert (AT, given) == (stamp(given).time, stamp(given).as_given)


@pytest.mark.parametrize(
    "given",
    [
        None,
        True,
        0,
        -1,
        12,
        1e300,
        10**400,
        "",
        "soon",
        "2026-11-02",
        "2026-W45-1",
        "20261102T090000Z",
        "2026-02-30T00:00:00Z",
        "0001-01-01T00:00:00+23:00",
        "9999-12-31T23:00:00-23:00",
        "٢٠٢٦-11-02T09:00:00Z",
        [],
        {},
    ],
)
def test_what_is_no_time_is_none(given):
    assert stamp(given) is None


@given(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=40)
    | st.from_regex(r"\d{1,4}-\d{1,2}-\d{1,2}[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
)
def test_nothing_that_is_given_is_too_odd(value):
    found = stamp(value)

    assert found is None or found.text.endswith("Z")


def test_an_id_of_version_7_has_its_time():
    found = from_uuid("01a22d21-4b1d-744c-8576-34ab508ffec3")

    assert ("2026-11-30T15:44:46.365000Z", "uuid7") == (found.text, found.source)


@pytest.mark.parametrize("given", ["01a22d21-4b1d-444c-8576-34ab508ffec3", "r2", None, 7])
def test_other_ids_have_none(given):
    assert from_uuid(given) is None


def test_a_duration_needs_two_times_in_order():
    first, last = stamp(1793610000), stamp(1793610001.5)

    assert 1500.0 == milliseconds(first, last)
    assert milliseconds(last, first) is None
    assert milliseconds(None, last) is None


@given(
    st.sampled_from(
        [
            "2026-11-02T09:00:00.020",
            "2026-11-02T09:00:00.000",
            "2026-11-02T09:00:00",
            "2026-02-30T09:00:00.1",
            "2026-11-02T09:00:00.123456",
            "2026-11-02T24:00:00.",
            "2026-W01-1T09:00:00.5",
        ]
    ),
    st.lists(
        st.tuples(st.integers(0, 27), st.sampled_from(CHARS), st.integers(0, 1)),
        max_size=3,
    ),
)
def test_the_usual_spelling_is_read_quickly_and_as_any_other(text, changes):
    for at, char, taken in changes:
        text = text[:at] + char + text[at + taken :]
    # A small letter is for those who look at every character.
    made, other = stamp(f"{text}Z"), stamp(f"{text}z")

    assert (made is None) is (other is None)
    if made is not None:
        assert (made.time, made.text, made.source) == (other.time, other.text, other.source)
        assert (made.as_given is None) is (other.as_given is None)
