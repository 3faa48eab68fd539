import pytest

from quickstarted.matrix import attempts_of
from quickstarted.matrix.forecast import planned_cells, total_cost, total_minutes
from quickstarted.matrix.past import PastAttempt
from quickstarted.results.planned import Range, Total


def past(*costs, task="flask", agent="claude", affordances="all", what="passed", seconds=60.0):
    return [
        PastAttempt(
            task=task,
            agent=agent,
            affordance_policy=affordances,
            classification=what,
            duration_seconds=seconds,
            estimated_cost_usd=cost,
        )
        for cost in costs
    ]


def one(cells, done=(), earlier=()):
    (cell,) = planned_cells(attempts_of(cells), done, earlier)
    return cell


def same(value):
    return Range(low=value, expected=value, high=value)


def test_what_is_not_known_is_null_and_never_0(make_cell):
    cell = one([make_cell(agent="claude", repeat=3)])

    assert (None, None, 0) == (cell.cost_usd, cell.seconds, cell.past_attempts)
    assert Total(known=None, known_attempts=0, unknown_attempts=3) == total_cost([cell])
    assert Total(known=None, known_attempts=0, unknown_attempts=3) == total_minutes([cell], 2)


def test_the_expected_is_the_mean_and_the_bounds_are_tenths(make_cell):
    cell = one([make_cell(agent="claude")], earlier=past(*map(float, range(11))))

    assert Range(low=1.0, expected=5.0, high=9.0) == cell.cost_usd
    assert 11 == cell.past_attempts


def test_the_mean_lies_within_the_bounds_also_where_one_attempt_is_far_off(make_cell):
    cell = one([make_cell(agent="claude")], earlier=past(*[1.0] * 19, 100.0))

    assert (1.0, 5.95, 5.95) == (cell.cost_usd.low, cell.cost_usd.expected, cell.cost_usd.high)


def test_one_past_attempt_is_all_that_is_known(make_cell):
    assert same(0.5) == one([make_cell(agent="claude")], earlier=past(0.5)).cost_usd


def test_attempts_that_were_lost_are_no_measure(make_cell):
    earlier = [
        *past(9.0, what="infra_error", seconds=1.0),
        *past(None, what="skipped", seconds=0.0),
        *past(0.5),
    ]

    cell = one([make_cell(agent="claude")], earlier=earlier)

    assert (same(0.5), same(60.0)) == (cell.cost_usd, cell.seconds)


def test_attempts_of_the_same_condition_come_first(make_cell):
    earlier = [*past(0.5), *past(2.0, affordances="none")]

    cell = one([make_cell(agent="claude", affordances="none")], earlier=earlier)

    assert (same(2.0), False) == (cell.cost_usd, cell.is_of_other_conditions)


def test_attempts_under_other_conditions_are_better_than_nothing_and_said(make_cell):
    cell = one([make_cell(agent="claude", affordances="none")], earlier=past(0.5, 0.5))

    assert (same(0.5), True, 2) == (
        cell.cost_usd,
        cell.is_of_other_conditions,
        cell.past_attempts,
    )


@pytest.mark.parametrize("other", [{"task": "lxml"}, {"agent": "claude:other"}])
def test_another_task_or_agent_says_nothing(make_cell, other):
    assert one([make_cell(agent="claude")], earlier=past(0.5, **other)).cost_usd is None


def test_time_is_known_where_there_is_no_price(make_cell):
    cell = one([make_cell(agent="claude")], earlier=past(None))

    assert (None, same(60.0)) == (cell.cost_usd, cell.seconds)


def test_a_replay_costs_nothing_whatever_is_known(make_cell):
    assert same(0.0) == one([make_cell(agent="replay")]).cost_usd


def test_what_is_done_is_counted_and_costs_nothing_more(make_cell):
    cell = make_cell(agent="claude", repeat=4)
    done = {cell.key.attempt(1), cell.key.attempt(3), make_cell("other").key.attempt(1)}

    planned = one([cell], done, past(0.5))

    assert (4, 2) == (planned.attempts, planned.done)
    assert Total(known=same(1.0), known_attempts=2, unknown_attempts=0) == total_cost([planned])


def test_where_everything_is_done_nothing_is_left_to_pay(make_cell):
    cell = make_cell(agent="claude")
    planned = one([cell], {cell.key.attempt(1)})

    nothing = Total(known=same(0.0), known_attempts=0, unknown_attempts=0)
    assert (nothing, nothing) == (total_cost([planned]), total_minutes([planned], 4))


def test_a_total_says_for_how_many_attempts_it_is_not_known(make_cell):
    cells = planned_cells(
        attempts_of([make_cell(agent="claude", repeat=2), make_cell("lxml", "claude", repeat=3)]),
        (),
        past(0.5),
    )

    assert Total(known=same(1.0), known_attempts=2, unknown_attempts=3) == total_cost(cells)


@pytest.mark.parametrize(("workers", "minutes"), [(1, 6.0), (2, 3.0), (4, 1.5), (50, 1.0)])
def test_workers_share_the_time_and_no_attempt_is_shared(make_cell, workers, minutes):
    cell = one([make_cell(agent="claude", repeat=6)], earlier=past(0.5))

    assert same(minutes) == total_minutes([cell], workers).known


def test_ten_thousand_attempts_are_planned_at_once(make_cell):
    cells = [make_cell(f"t{n}", "claude", repeat=100) for n in range(100)]
    earlier = [run for n in range(100) for run in past(*[0.5] * 100, task=f"t{n}")]

    planned = planned_cells(attempts_of(cells), (), earlier)

    assert pytest.approx(5_000.0) == total_cost(planned).known.expected
