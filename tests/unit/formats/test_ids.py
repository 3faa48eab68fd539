"""The set of ids does as a set does, whatever its size."""

from hypothesis import given
from hypothesis import strategies as st

from quickstarted.formats.ids import IdSet


@given(st.lists(st.text(max_size=3)))
def test_an_id_is_new_once(texts):
    ids, seen = IdSet(), set()
    for text in texts:
        assert (text not in seen) == ids.add(text)
        seen.add(text)

    assert len(seen) == len(ids)
    assert all(text in ids for text in seen)


def test_many_ids_are_kept_in_little_memory():
    ids = IdSet()
    for number in range(600_000):
        ids.add(f"call-{number}")

    assert 600_000 == len(ids)
    assert not any(ids.add(f"call-{number}") for number in range(0, 600_000, 1_001))
    assert not any(f"other-{number}" in ids for number in range(10_000))
    assert len(ids._slots) * ids._slots.itemsize <= 32 * 600_000
