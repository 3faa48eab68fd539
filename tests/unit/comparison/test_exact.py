import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fakes.comparisons import mirrored, tables
from quickstarted.comparison.exact import Table, fisher_p, holm, stratified_p


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        # Fisher 1935: of four cups with milk first, three are told, and of four others one is not.
        (Table(3, 4, 1, 4), 0.485714),
        # Agresti 2013, table 3.8: cancer of the larynx, surgery 21 of 23, radiation 15 of 18.
        (Table(21, 23, 15, 18), 0.6384),
        (Table(5, 5, 0, 5), 2 / 252),
        (Table(0, 5, 0, 5), 1.0),
        (Table(5, 5, 5, 5), 1.0),
        (Table(1, 1, 0, 1), 1.0),
    ],
)
def test_fisher_s_test_has_the_published_p_values(table, expected):
    assert fisher_p(table) == pytest.approx(expected, abs=5e-5)


def test_the_test_over_tasks_is_r_s_exact_one():
    # R: mantelhaen.test(Rabbits, exact = TRUE), penicillin by delay, gives p-value = 0.03994.
    rabbits = [
        Table(0, 6, 0, 5),
        Table(3, 6, 0, 6),
        Table(6, 6, 2, 6),
        Table(5, 6, 6, 6),
        Table(2, 2, 5, 5),
    ]

    assert stratified_p(rabbits) == pytest.approx(0.03994, abs=5e-6)


@given(tables())
@settings(deadline=None)
def test_over_one_task_it_is_fisher_s(table):
    assert stratified_p([table]) == pytest.approx(fisher_p(table), abs=1e-9)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 5))
@settings(deadline=None)
def test_with_one_attempt_on_both_sides_it_is_mcnemar_s(better, worse, same):
    pairs = [Table(0, 1, 1, 1)] * better + [Table(1, 1, 0, 1)] * worse + [Table(1, 1, 1, 1)] * same
    expected = stats.binomtest(better, better + worse).pvalue if better + worse else 1.0

    assert stratified_p(pairs) == pytest.approx(expected)


def _by_permutation(one, other):
    """All ways to exchange attempts within tasks, and what becomes of the passes before."""
    return [sum(chosen) for chosen in itertools.product(_choices(one), _choices(other))]


def _choices(table):
    attempts = table.attempts_before + table.attempts_after
    passes = table.passes_before + table.passes_after
    outcomes = [place < passes for place in range(attempts)]
    return [sum(some) for some in itertools.combinations(outcomes, table.attempts_before)]


@given(tables(most=3), tables(most=3))
@settings(deadline=None)
def test_it_is_the_permutation_test_within_tasks(one, other):
    sums = _by_permutation(one, other)
    share = {value: sums.count(value) / len(sums) for value in set(sums)}
    seen = share[one.passes_before + other.passes_before]
    expected = sum(chance for chance in share.values() if chance <= seen * (1 + 1e-9))

    assert stratified_p([one, other]) == pytest.approx(expected)


@given(st.lists(tables(), min_size=1, max_size=6))
@settings(deadline=None)
def test_exchanged_sides_have_the_same_p_value_between_0_and_1(known):
    found = stratified_p(known)

    assert 0 < found <= 1
    assert stratified_p([mirrored(one) for one in known]) == pytest.approx(found)
    assert fisher_p(known[0]) == pytest.approx(fisher_p(mirrored(known[0])))


def test_equal_attempts_show_nothing_over_any_number_of_tasks():
    assert stratified_p([Table(5, 5, 5, 5)] * 2_000) == 1.0


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ([], []),
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([0.02, 0.02], [0.04, 0.04]),
    ],
)
def test_holm_s_p_values_are_those_of_r(p_values, expected):
    assert holm(p_values) == pytest.approx(expected)


@given(st.lists(st.floats(0, 1), max_size=20))
@settings(deadline=None)
def test_holm_only_raises_and_keeps_the_order(p_values):
    adjusted = holm(p_values)

    assert all(before <= after <= 1 for before, after in zip(p_values, adjusted, strict=True))
    assert [p for _, p in sorted(zip(p_values, adjusted, strict=True))] == sorted(adjusted)
