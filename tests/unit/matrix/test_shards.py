import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.errors import UsageError
from quickstarted.matrix import attempts_of
from quickstarted.matrix.past import PastAttempt
from quickstarted.matrix.shards import (
    Shard,
    assigned,
    attempts_of_shard,
    median_seconds,
    read_shard,
)
from quickstarted.results import AttemptKey, CellKey

CELLS = st.builds(
    CellKey,
    st.sampled_from(["flask", "lxml", "vue", "a"]),
    st.sampled_from(["claude", "replay"]),
    st.sampled_from(["all", "none"]),
    st.sampled_from(["docs", "no-docs"]),
)
KEYS = st.sets(st.builds(lambda cell, n: AttemptKey(*cell, n), CELLS, st.integers(1, 9)))
SECONDS = st.dictionaries(CELLS, st.floats(0, 1e5, allow_nan=False), max_size=10)


@given(KEYS, SECONDS, st.integers(1, 12))
def test_every_attempt_is_in_exactly_one_shard(keys, seconds, count):
    where = assigned(keys, seconds, count)

    assert keys == set(where)
    assert set(where.values()) <= set(range(1, count + 1))


@given(KEYS, SECONDS, st.integers(1, 12), st.randoms())
def test_the_order_of_attempts_and_of_durations_changes_nothing(keys, seconds, count, chance):
    shuffled, known = list(keys), list(seconds.items())
    chance.shuffle(shuffled)
    chance.shuffle(known)

    assert assigned(sorted(keys), seconds, count) == assigned(shuffled, dict(known), count)


@given(KEYS, SECONDS, st.integers(1, 12))
def test_no_shard_has_more_than_its_part_and_one_longest_attempt(keys, seconds, count):
    """The bound of giving each to whoever has least: below total/count plus the longest."""
    usual = sorted(seconds.values())
    middle = len(usual) // 2
    median = (usual[middle] + usual[~middle]) / 2 if usual else 1.0
    costs = {key: seconds.get(key.cell, median) for key in keys}
    loads = dict.fromkeys(range(1, count + 1), 0.0)
    for key, shard in assigned(keys, seconds, count).items():
        loads[shard] += costs[key]

    longest = max(costs.values(), default=0.0)
    assert max(loads.values()) <= (sum(costs.values()) / count + longest) * (1 + 1e-9)


@given(KEYS, st.integers(1, 12))
def test_without_known_durations_shards_differ_by_one_attempt_at_most(keys, count):
    sizes = dict.fromkeys(range(1, count + 1), 0)
    for shard in assigned(keys, {}, count).values():
        sizes[shard] += 1

    assert max(sizes.values()) - min(sizes.values()) <= 1


def test_attempts_that_take_no_time_are_shared_out_as_well():
    keys = [AttemptKey("a", "replay", "all", "docs", n) for n in range(1, 7)]

    where = assigned(keys, {keys[0].cell: 0.0}, 3)

    assert [1, 1, 2, 2, 3, 3] == sorted(where.values())


def test_a_long_cell_is_kept_apart_from_the_others():
    long = AttemptKey("long", "claude", "all", "docs", 1)
    short = [AttemptKey("short", "claude", "all", "docs", n) for n in range(1, 5)]

    where = assigned([*short, long], {long.cell: 100.0, short[0].cell: 25.0}, 2)

    assert {where[long]} | {1, 2} == {1, 2}
    assert [] == [key for key in short if where[key] == where[long]]


def test_cells_that_are_not_known_count_as_the_median_of_the_known():
    cells = [CellKey(name, "replay", "all", "docs") for name in "abc"]
    keys = [cell.attempt(1) for cell in cells]

    where = assigned(keys, {cells[0]: 10.0, cells[1]: 30.0}, 2)

    # b takes 30 s alone; a takes 10 s and c is thought to take 20 s.
    assert where[keys[0]] == where[keys[2]] != where[keys[1]]


def test_a_shard_keeps_the_order_of_the_call(make_cell):
    attempts = attempts_of([make_cell("a", repeat=3), make_cell("b", repeat=3)])
    shards = [attempts_of_shard(attempts, {}, Shard(i, 2)) for i in (1, 2)]

    for shard in shards:
        assert shard == [one for one in attempts if one in shard]
    assert sorted(map(key, attempts)) == sorted(key(one) for shard in shards for one in shard)


def key(attempt):
    cell, number = attempt
    return cell.key.attempt(number)


def test_the_same_is_chosen_in_another_process_on_another_day():
    """Pinned: machines with other versions of this program must agree on running shards."""
    keys = [
        AttemptKey(task, "claude", "all", "docs", n)
        for task in ("flask", "lxml", "vue")
        for n in (1, 2)
    ]
    random.Random(7).shuffle(keys)

    where = assigned(keys, {keys[0].cell: 3.5}, 4)

    assert [1, 2, 3, 4, 1, 2] == [where[one] for one in sorted(keys)]


def test_durations_are_medians_of_attempts_that_came_to_an_end():
    past = [
        PastAttempt(task="a", agent="x", classification=what, duration_seconds=seconds)
        for what, seconds in [
            ("passed", 10.0),
            ("docs_gap", 20.0),
            ("budget_exhausted", 90.0),
            ("infra_error", 0.1),
            ("skipped", 0.0),
        ]
    ]

    assert {CellKey("a", "x", "all", "docs"): 20.0} == median_seconds(past)


@pytest.mark.parametrize(("text", "shard"), [("1/1", (1, 1)), ("3/4", (3, 4)), ("02/10", (2, 10))])
def test_a_shard_is_read(text, shard):
    assert Shard(*shard) == read_shard(text)


@pytest.mark.parametrize("text", ["", "1", "1/", "/2", "a/b", "1/2/3", "-1/2", "1.0/2", "²/3"])
def test_what_is_not_written_as_a_shard_is_refused(text):
    with pytest.raises(UsageError) as caught:
        read_shard(text)

    assert f"--shard {text}: write it as I/N, such as 1/4" == str(caught.value)


@pytest.mark.parametrize("text", ["0/2", "3/2", "0/0", "1/10001"])
def test_a_shard_that_there_cannot_be_is_refused(text):
    with pytest.raises(UsageError) as caught:
        read_shard(text)

    assert (
        f"--shard {text}: I goes from 1 to N, and N to 10,000: the shards of 1/4 are 1/4, 2/4, 3/4"
        " and 4/4"
    ) == str(caught.value)
